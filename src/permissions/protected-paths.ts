// Paths that are guarded in every mode: files that run programs or hold secrets are never written without a question,
// and folders such as the root or the home folder are never removed without one. Matching is by name, so that files
// which don't exist yet are guarded as well.
import type { FileEffect } from '../contract/effect.js';
import {
  holdsSecrets,
  isPrivateKey,
  PROTECTED_ENDINGS,
  PROTECTED_FILES,
  PROTECTED_FOLDERS,
} from '../platform/files/protected-names.js';
import { components, mayBePath, type PathStyle, shareName } from './match-path.js';

/** Why a write there is asked about, or undefined. */
export function protectedPlace({ path, real, removes, pattern }: FileEffect, style: PathStyle): string | undefined {
  const byName = protectedName(path, removes === true, style) ?? protectedName(real, removes === true, style);
  return byName ?? (pattern === undefined ? undefined : protectedByGlob(pattern, style));
}

/** Checks hidden names only: a glob matches them only if it is written for them, while a plain star matches all others. */
function protectedByGlob(glob: string, style: PathStyle): string | undefined {
  const globs = components(glob, style).filter((name) => /[*?[(]/.test(name));
  const hidden = ['.env', ...PROTECTED_FOLDERS, ...PROTECTED_FILES].filter((name) => name.startsWith('.'));
  const meant = hidden.find((name) => globs.some((part) => shareName(part.toLowerCase(), name)));
  return meant === undefined ? undefined : `it may be ${meant}, which is protected`;
}

function protectedName(path: string, removes: boolean, style: PathStyle): string | undefined {
  const names = components(path, style).map((name) => plainName(name, style));
  const name = names.at(-1) ?? '';
  // A worktree is a project of its own: the folders above it don't count.
  const worktree = names.findIndex((part, index) => part === 'worktrees' && AGENT_FOLDERS.has(names[index - 1] ?? ''));
  const own = worktree >= 0 && names.length > worktree + 2 ? names.slice(worktree + 2) : names;
  const folder = own.find((part) => PROTECTED_FOLDERS.has(part));
  if (folder !== undefined) return `${folder} is a protected folder`;
  // Removing and reinstalling packages is daily work; changing one changes code that runs.
  if (own.includes('node_modules') && !removes) return 'node_modules is a protected folder';
  const pair = own.some((part, index) => part === '.config' && own[index + 1] === 'git');
  if (pair) return '.config/git is a protected folder';
  if (PROTECTED_FILES.has(name)) return `${name} is a protected file`;
  if (PROTECTED_ENDINGS.some((ending) => names.join('/').endsWith(ending))) return `${name} is a protected file`;
  if (holdsSecrets(name)) return `${name} holds secrets`;
  if (isPrivateKey(name)) return `${name} is a private key`;
  return undefined;
}

const AGENT_FOLDERS: ReadonlySet<string> = new Set(['.claude', '.helve']);

/** Compares names regardless of case and of characters that some file systems ignore, whatever the volume. */
function plainName(name: string, { windows }: PathStyle): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase();
  return windows && /^git~\d$/.test(plain) ? '.git' : plain;
}

/** Why the removal of the path is asked about, or undefined. */
export function criticalPlace(
  { path, real, pattern }: FileEffect,
  { workspace, home, style }: { workspace: readonly string[]; home: readonly string[]; style: PathStyle },
): string | undefined {
  return pattern === undefined ? (criticalName(path) ?? criticalName(real)) : criticalGlob(pattern);

  /** Removing everything in a folder counts as removing it; a narrower glob is critical if it may match such a folder. */
  function criticalGlob(glob: string): string | undefined {
    const names = components(glob, style);
    if (names.length <= 1) return 'it is directly below the root of the file system';
    if (/^[?.]*\*[*?.]*$/.test(names.at(-1) ?? '')) {
      const folder = criticalName(path) ?? criticalName(real);
      if (folder !== undefined) return `it means all that is in ${path}, and ${folder}`;
    }
    const holders = [...home, ...workspace].flatMap((folder) => {
      const parts = components(folder, style);
      return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
    });
    return holders.some((folder) => mayBePath(glob, folder, style))
      ? 'it may be or hold the project or the home folder'
      : undefined;
  }

  function criticalName(name: string): string | undefined {
    const names = components(name, style);
    if (names.length === 0) return 'it is the root of the file system';
    if (names.length === 1) return 'it is directly below the root of the file system';
    if (style.windows && names.length === 2 && /^[a-z]$/i.test(names[0] ?? '')) return 'it is directly below a drive';
    if (home.some((folder) => holds(names, folder))) return 'it is or holds the home folder';
    if (workspace.some((folder) => holds(names, folder))) return 'it is or holds the project';
    return undefined;
  }

  function holds(names: readonly string[], folder: string): boolean {
    const inner = components(folder, style).map((name) => plainName(name, style));
    return names.every((name, index) => plainName(name, style) === inner[index]);
  }
}
