// The notes of a project: a private folder in Helve's data, used only by the two memory tools.
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { ToolContext } from '../../contract/tool-context.js';
import { randomHex, sha256 } from '../../platform/crypto.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { refusal } from '../refusal.js';

export const MAX_FILE_BYTES = 100_000; // a note, not an archive: all of it may be read into a conversation
export const MAX_FILES = 200;
const MAX_TOTAL_BYTES = 5_000_000;
const MAX_NAME_CHARS = 200;
const MAX_PART_BYTES = 255; // the limit of file systems
const MAX_DEPTH = 5;

export interface MemoryFile {
  /** With slashes, relative to the folder. */
  name: string;
  bytes: number;
  modified: Date;
}

/** One folder per project, by its path; the project's name is included for people who browse it. */
export function memoryFolder({ root: own, session }: Pick<ToolContext, 'root' | 'session'>): string {
  const { dataFolder, worktree } = session;
  const root = worktree?.project ?? own;
  const name = basename(root)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 40);
  return join(dataFolder, 'memory', `${name}-${sha256().update(root).digest('hex').slice(0, 16)}`);
}

/** The normalised name of a note. Throws for one that could lead out of the folder, or be hidden in it. */
export function memoryName(given: string, folder: string): string {
  const inside = given.startsWith(`${folder}${sep}`) ? relative(folder, given) : given;
  const name = inside.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const parts = name.split('/');
  const problem = problemWith(name, parts);
  if (problem !== undefined) {
    throw refusal(`"${given.slice(0, MAX_NAME_CHARS)}" is not a name for a note: ${problem}.`, {
      advice: 'Use a relative name such as "build.md" or "api/errors.md".',
    });
  }
  return parts.join('/');
}

function problemWith(name: string, parts: readonly string[]): string | undefined {
  if (name === '' || name.endsWith('/')) return 'it names no file';
  if (name.startsWith('/') || name.startsWith('~') || /^[a-zA-Z]:/.test(name)) {
    return 'notes are in a folder of their own, so it must be relative';
  }
  if (parts.includes('..')) return 'it leads out of the folder of notes';
  if (parts.some((part) => part === '' || part.startsWith('.')))
    return 'no part of it may be empty or begin with a dot';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names with control characters are what is refused here
  if (/[\u0000-\u001f\u007f:*?"<>|]/.test(name)) return 'it holds characters that not every system takes';
  if (name.length > MAX_NAME_CHARS) return `it is longer than ${MAX_NAME_CHARS} characters`;
  if (parts.some((part) => Buffer.byteLength(part) > MAX_PART_BYTES)) return 'a part of it is too long for most disks';
  if (parts.some((part) => /[.\s]$/.test(part))) return 'no part of it may end with a dot or a blank';
  if (parts.length > MAX_DEPTH) return `it is deeper than ${MAX_DEPTH} folders`;
  return undefined;
}

/** All notes, by name. Symlinks are skipped: they have no legitimate use here. */
export async function listMemory(folder: string): Promise<MemoryFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(orNothing);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  const listed = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const { size, mtime } = await lstat(path);
      return { name: relative(folder, path).replaceAll(sep, '/'), bytes: size, modified: mtime };
    }),
  );
  return listed.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export async function readMemory(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name);
  await refuseLinks(folder, name);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(orMissing);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, MAX_FILE_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

/** Atomic: another session may read it at the same time. */
export async function writeMemory(folder: string, name: string, content: string): Promise<{ isNew: boolean }> {
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > MAX_FILE_BYTES) {
    throw refusal(`The note would have ${bytes.length} bytes, and a note may have ${MAX_FILE_BYTES}.`, {
      advice: 'Shorten it, or write several.',
    });
  }
  const others = (await listMemory(folder)).filter((file) => file.name !== name);
  const total = others.reduce((sum, file) => sum + file.bytes, bytes.length);
  if (others.length >= MAX_FILES || total > MAX_TOTAL_BYTES) {
    throw refusal(
      `The project's memory is full (${others.length} notes, ${total} bytes with this one; the most is ${MAX_FILES} and ${MAX_TOTAL_BYTES}).`,
      { advice: 'Put notes together by writing over one that is there.' },
    );
  }
  const path = join(folder, name);
  await refuseLinks(folder, name);
  mkdirPrivate(dirname(path));
  await refuseLinks(folder, name);
  const isNew = (await lstat(path).catch(orMissing)) === undefined;
  const temporary = join(dirname(path), `.${randomHex(8)}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { isNew };
}

/** No part of the path may be a symlink, and the target must be a regular file. */
async function refuseLinks(folder: string, name: string): Promise<void> {
  let path = folder;
  const parts = name.split('/');
  for (const [index, part] of ['', ...parts].entries()) {
    path = join(path, part);
    const found = await lstat(path).catch(orMissing);
    if (!found) return;
    if (found.isSymbolicLink())
      throw refusal(`The note ${name} is behind a link, so it is not touched.`, { advice: 'Use another name.' });
    const isLast = index === parts.length;
    if (isLast ? !found.isFile() : !found.isDirectory()) {
      if (isLast) throw refusal(`${name} is a folder of notes.`, { advice: 'Name a note in it.' });
      throw refusal(`${parts.slice(0, index).join('/')} is a note, so there can be none below it.`, {
        advice: 'Use another name.',
      });
    }
  }
}

function orMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined;
  throw error;
}

function orNothing(error: unknown): [] {
  orMissing(error);
  return [];
}
