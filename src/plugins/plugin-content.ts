// The content of a plugin: every file with its mode and hash, and one hash over all of them. Trust is bound to that hash.
// Reading it also checks it: nothing in a plugin may lead out of it, and its size is limited.
import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { sha256 } from '../platform/crypto.js';
import { messageOf } from '../platform/message-of.js';
import { grouped } from '../platform/text/digits.js';
import { visible } from '../platform/text/visible.js';
import { PluginProblem } from './plugin-problem.js';

const MAX_ENTRIES = 10_000;
const MAX_DEPTH = 32;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Folders of version control, which are no part of a plugin. */
const skipped: ReadonlySet<string> = new Set(['.git', '.hg', '.svn']);

/** Where Helve keeps the entry of the marketplace beside the files of a plugin, so that the hash covers it. */
export const ENTRY_FOLDER = '.helve-plugin';
export const ENTRY_FILE = `${ENTRY_FOLDER}/entry.json`;

export interface ContentEntry {
  /** Relative, with `/`. */
  path: string;
  kind: 'file' | 'program' | 'link' | 'folder';
  /** The hash of a file, the target of a link; empty for a folder. */
  content: string;
}

export interface PluginContent {
  entries: readonly ContentEntry[];
  hash: string;
}

interface ReadOptions {
  /** Gets the bytes of each file. */
  onBytes?: (path: string, bytes: Buffer) => Promise<void>;
  /** The folder is one of Helve's own copies, which holds the entry of the marketplace. */
  isCopy?: boolean;
}

/** Throws `PluginProblem` for a folder that can't be a plugin. */
export async function readContent(root: string, { onBytes, isCopy = false }: ReadOptions = {}): Promise<PluginContent> {
  const entries: ContentEntry[] = [];
  let bytes = 0;
  const add = (entry: ContentEntry): void => {
    entries.push(entry);
    if (entries.length > MAX_ENTRIES) throw refused(`it has more than ${grouped(MAX_ENTRIES)} files and folders`);
  };
  const readFolder = async (folder: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw refused(`its folders are nested more than ${MAX_DEPTH} deep`);
    for (const name of (await readdir(join(root, folder))).sort()) {
      if (skipped.has(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (/[\p{Cc}\\]/u.test(name)) throw refused(`${shown(path)} has a name with a control character or a backslash`);
      if (path === ENTRY_FOLDER && !isCopy) throw refused(`it has a folder ${ENTRY_FOLDER}, which Helve uses itself`);
      const stats = await lstat(join(root, path));
      if (stats.isDirectory()) {
        add({ path, kind: 'folder', content: '' });
        await readFolder(path, depth + 1);
      } else if (stats.isSymbolicLink()) {
        add({ path, kind: 'link', content: await linkTarget(root, path) });
      } else if (stats.isFile()) {
        bytes += stats.size;
        if (stats.size > MAX_FILE_BYTES) throw tooLarge(path, stats.size);
        if (bytes > MAX_BYTES) throw refused(`its files have more than ${megabytes(MAX_BYTES)} together`);
        const isProgram = (stats.mode & 0o100) !== 0;
        const content = await hashFile(root, path, onBytes);
        add({ path, kind: isProgram ? 'program' : 'file', content });
      } else throw refused(`${shown(path)} is neither a file, a folder nor a link`);
    }
  };
  await readFolder('', 1);
  return { entries, hash: hashOfEntries(entries) };
}

export function hashOfEntries(entries: readonly ContentEntry[]): string {
  const sorted = entries.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const hash = sha256();
  for (const { path, kind, content } of sorted) hash.update(JSON.stringify([path, kind, content]));
  return hash.digest('hex');
}

/** A link may only lead to a place inside the plugin, also through other links. */
async function linkTarget(root: string, path: string): Promise<string> {
  const target = await readlink(join(root, path));
  if (isAbsolute(target)) throw leavesPlugin(path, target);
  await followLink(root, path, target.split(sep).join('/'));
  return target;
}

/** Goes part by part, as the system does: `..` after a link leads to the folder above the link's target. */
async function followLink(root: string, path: string, target: string): Promise<void> {
  let place = path.split('/').slice(0, -1);
  let left = target.split('/');
  for (let links = 1; left.length > 0; ) {
    const [part = '', ...rest] = left;
    left = rest;
    if (part === '' || part === '.') continue;
    if (skipped.has(part)) throw leavesPlugin(path, target);
    if (part === '..') {
      if (place.length === 0) throw leavesPlugin(path, target);
      place = place.slice(0, -1);
      continue;
    }
    const next = await readlink(join(root, ...place, part)).catch(() => undefined);
    if (next === undefined) place = [...place, part];
    else if (isAbsolute(next)) throw leavesPlugin(path, next);
    else if (++links > 40) throw refused(`${shown(path)} is a link that leads back to itself`);
    else left = [...next.split(sep).join('/').split('/'), ...left];
  }
}

async function hashFile(root: string, path: string, onBytes: ReadOptions['onBytes']): Promise<string> {
  const handle = await open(join(root, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const hash = sha256();
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      size += bytesRead;
      if (size > MAX_FILE_BYTES) throw tooLarge(path, size); // it has grown
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      if (onBytes) chunks.push(chunk);
    }
    await onBytes?.(path, Buffer.concat(chunks));
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof PluginProblem) throw error;
    throw new PluginProblem(`${shown(path)} can't be read: ${messageOf(error)}`, { cause: error });
  } finally {
    await handle.close();
  }
}

const refused = (why: string): PluginProblem => new PluginProblem(`The plugin can't be used: ${why}.`);

const tooLarge = (path: string, size: number): PluginProblem =>
  refused(`${shown(path)} has ${megabytes(size)}, and at most ${megabytes(MAX_FILE_BYTES)} are read`);

const leavesPlugin = (path: string, target: string): PluginProblem =>
  refused(`${shown(path)} is a link to ${shown(target)}, which is outside of the plugin`);

const megabytes = (bytes: number): string => `${Math.ceil(bytes / (1024 * 1024))} MB`;

const shown = (path: string): string => visible(path).replaceAll(/[\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
