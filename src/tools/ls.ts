import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { inFolder } from '../platform/files/folder.js';
import { elidedPath, isMissing, realPath, resolveIn, shortPath } from '../platform/files/paths.js';
import { pseudoFoldersBelow } from '../platform/files/pseudo-file-system.js';
import { counted } from '../platform/text/counted.js';
import { globMatcher, MAX_GLOB_CHARS, MAX_GLOBS } from '../platform/text/glob-matcher.js';
import { readEffects } from './file-effect.js';
import { pathText, systemText } from './input.js';
import { errorCode, pathFailure, realTarget } from './path-failure.js';
import { refusal } from './refusal.js';
import { checkApproved, nameOnOneLine } from './search-root.js';

const MAX_ENTRIES = 1_000;
const LOOKED_AT_ONCE = 64; // a directory may have a million entries, and the call must stay cancellable
const CLOSED = new Set(['.git', 'node_modules']); // thousands of entries of little interest; LS of the folder itself shows them

const description = `List a directory as a tree, hidden entries too, at most ${MAX_ENTRIES}, the nearest first. To find files use Glob.
.git and node_modules stay closed unless path names them.`;

const input = z.strictObject({
  path: pathText.optional(),
  ignore: z
    .array(systemText.max(MAX_GLOB_CHARS))
    .refine((globs) => globs.length <= MAX_GLOBS, `must hold at most ${MAX_GLOBS} patterns`)
    .optional(),
});

interface Entry {
  name: string;
  isFolder: boolean;
  /** The target of a symlink, as stored in it. */
  target?: string;
  entries: Entry[];
  note?: string;
}

interface LsData {
  path: string;
  entries: Entry[];
  count: number;
  /** Some entries are omitted because there are too many; notes on their directories say where. */
  capped: boolean;
  /** What is omitted from this directory. */
  note?: string;
}

export const lsTool = defineTool<z.output<typeof input>, LsData>({
  name: 'LS',
  title: 'List',
  about: 'Lists a directory as a tree.',
  traits: { family: 'read', subject: ['path'], fields: ['path'] },
  description,
  input,
  effects: ({ path = '.' }, context) => readEffects(path, context, { tree: true }),

  async execute({ path = '.', ignore = [] }, { cwd, signal, mayRead, approved }) {
    const absolute = resolveIn(cwd, path);
    const shown = elidedPath(shortPath(cwd, absolute));
    const root = await realTarget(absolute, { cwd });
    checkApproved(path, root, approved);
    const isIgnored = globMatcher(ignore);
    const top = newFolder('');
    const pseudo = pseudoFoldersBelow(root);
    let looked = 0;
    let count = 0;
    let capped = false;
    // Breadth first, so that one deep folder can't crowd out its neighbours.
    let level = [{ folder: top, at: '' }];
    while (level.length > 0) {
      const next: typeof level = [];
      for (const { folder, at } of level) {
        signal.throwIfAborted();
        if (count === MAX_ENTRIES) {
          folder.note = 'not shown'; // the limit was reached before its turn
          capped = true;
          continue;
        }
        const asked = folder === top ? { absolute, shown, cwd } : undefined;
        let leftOut = 0;
        for (const item of await itemsOf(join(root, at), folder, asked)) {
          looked += 1;
          if (looked % LOOKED_AT_ONCE === 0) await setImmediate(undefined, { signal });
          const place = at === '' ? item.name : `${at}/${item.name}`;
          if (isIgnored(place) || !mayRead(join(root, place))) continue;
          const target = item.isSymbolicLink() ? await targetOf(join(root, place), mayRead) : undefined;
          if (target === DENIED) continue;
          if (count === MAX_ENTRIES) {
            leftOut += 1;
            continue;
          }
          count += 1;
          const entry: Entry = { ...newFolder(item.name), isFolder: item.isDirectory(), ...(target && { target }) };
          folder.entries.push(entry);
          if (!entry.isFolder) continue;
          if (CLOSED.has(item.name) || pseudo.includes(join(root, place))) entry.note = 'not shown';
          else next.push({ folder: entry, at: place });
        }
        if (leftOut > 0) {
          folder.note = `${leftOut} more not shown`;
          capped = true;
        }
      }
      level = next;
    }
    return { path: shown, entries: top.entries, count, capped, ...(top.note && { note: top.note }) };
  },

  toModel({ path, entries, capped, note }) {
    if (entries.length === 0) return `${path} is an empty directory, or everything in it is ignored.`;
    const end = capped
      ? `\n(Only the first ${MAX_ENTRIES} entries are shown; there are more. List a directory below, or use ignore.)`
      : '';
    return `${path}/${noteText(note)}\n${drawn(entries, 1).join('\n')}${end}`;
  },

  displayCall: ({ path = '.' }) => ({ title: path, looks: 'list' }),
  displayResult: ({ path, entries, count, capped }) => ({
    title: path,
    facts: [capped ? `more than ${count} entries` : counted(count, 'entry', 'entries')],
    looks: 'list',
    body: { type: 'list', items: drawn(entries, 0) },
  }),
});

const newFolder = (name: string): Entry => ({ name, isFolder: true, entries: [] });

const noteText = (note: string | undefined): string => (note ? ` (${note})` : '');

const DENIED = Symbol('a link to what is denied');

/** The target of a symlink. A link to a path that may not be read is treated as missing, like the path itself. */
async function targetOf(path: string, mayRead: ToolContext['mayRead']): Promise<string | typeof DENIED> {
  const real = await realPath(path).catch(() => undefined); // a loop has no target
  if (real !== undefined && !mayRead(real)) return DENIED;
  return await readlink(path).catch(() => '?'); // it was removed meanwhile
}

interface AskedFolder {
  absolute: string;
  shown: string;
  cwd: string;
}

/**
 * Directories first, then by name. Only the requested directory may fail; an unreadable one below is noted and skipped.
 */
async function itemsOf(path: string, folder: Entry, asked: AskedFolder | undefined): Promise<Dirent[]> {
  try {
    const items = await inFolder(path, (opened) => readdir(opened.anchor, { withFileTypes: true }));
    return items.sort(
      (one, other) => Number(other.isDirectory()) - Number(one.isDirectory()) || (one.name < other.name ? -1 : 1),
    );
  } catch (error) {
    if (asked === undefined) {
      folder.note = "can't be read";
      return [];
    }
    const { absolute, shown, cwd } = asked;
    const code = errorCode(error);
    if (code === 'ENOTDIR')
      throw refusal(`${shown} is not a directory.`, { advice: 'Use Read to see a file.', cause: error });
    if (isMissing(error))
      throw refusal(`${shown} does not exist.`, {
        advice: 'Check the path, or list a directory above it.',
        cause: error,
      });
    if (code === 'EACCES')
      throw refusal(`${shown} can't be listed: permission to read it is missing.`, {
        advice: 'Ask the user.',
        cause: error,
      });
    throw pathFailure(error, absolute, cwd);
  }
}

function drawn(entries: readonly Entry[], depth: number): string[] {
  return entries.flatMap((entry) => {
    const mark = entry.isFolder ? '/' : entry.target ? ` -> ${nameOnOneLine(entry.target)}` : '';
    const line = `${'  '.repeat(depth)}${nameOnOneLine(entry.name)}${mark}${noteText(entry.note)}`;
    return [line, ...drawn(entry.entries, depth + 1)];
  });
}
