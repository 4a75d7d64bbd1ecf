// Places that stay guarded in every mode: what runs programs or holds secrets is never written without a question, and
// what would take everything with it is never removed without one. They are judged by name, so that a file which does
// not exist yet is guarded as well.
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

/** Hidden names only: a star that is not meant for them does not take them, and the others are no secret from it. */
function protectedByGlob(glob: string, style: PathStyle): string | undefined {
  const globs = components(glob, style).filter((name) => /[*?[(]/.test(name));
  const hidden = ['.env', ...PROTECTED_FOLDERS, ...PROTECTED_FILES].filter((name) => name.startsWith('.'));
  const meant = hidden.find((name) => globs.some((part) => shareName(part.toLowerCase(), name)));
  return meant === undefined ? undefined : `it may be ${meant}, which is protected`;
}

function protectedName(path: string, removes: boolean, style: PathStyle): string | undefined {
  const names = components(path, style).map((name) => plainName(name, style));
  const name = names.at(-1) ?? '';
  // A worktree is a project of its own: what lies before it says nothing about it.
  const worktree = names.findIndex((part, index) => part === 'worktrees' && AGENT_FOLDERS.has(names[index - 1] ?? ''));
  const own = worktree >= 0 && names.length > worktree + 2 ? names.slice(worktree + 2) : names;
  const folder = own.find((part) => PROTECTED_FOLDERS.has(part));
  if (folder !== undefined) return `${folder} is a protected folder`;
  // To throw packages away and install them anew is daily work; to change one is to change what runs.
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

/** Whatever the volume, a name counts by what it could be taken for: case, and characters that a file system skips. */
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

  /** Everything in a place is the place; a narrower glob is critical where it may take such a place along. */
  function criticalGlob(glob: string): string | undefined {
    const names = components(glob, style);
    if (names.length <= 1) return 'it is directly below the root of the file system';
    if (/^[*?.]*\*[*?.]*$/.test(names.at(-1) ?? '')) {
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
