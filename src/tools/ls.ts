import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { cutPath, resolveIn, shortPath } from '../platform/files/paths.js';
import { globMatcher, MAX_GLOB_CHARS, MAX_GLOBS } from '../platform/text/glob-matcher.js';
import { counted } from './counted.js';
import { readEffects } from './file-effect.js';
import { pathText, systemText } from './input.js';
import { errorCode, pathFailure, realTarget } from './path-failure.js';
import { refusal } from './refusal.js';
import { isMissing } from './target-file.js';

const MAX_ENTRIES = 1_000;
const LOOKED_AT_ONCE = 64; // a directory may have a million entries, and the call must still be cancelled when asked to
const CLOSED = new Set(['.git', 'node_modules']); // thousands of entries that nobody asked for; LS of the folder itself shows them

const description = `List a directory as a tree, directories first.
Use it to see how a project is laid out. Use Glob to find files by name, Grep to search inside them.
Shows at most ${MAX_ENTRIES} entries, those nearest to the top first. The insides of .git and node_modules are left out unless the path names them.`;

const input = z.strictObject({
  path: pathText.optional().describe('The directory. Defaults to the working directory.'),
  ignore: z
    .array(systemText.max(MAX_GLOB_CHARS))
    .refine((globs) => globs.length <= MAX_GLOBS, `must hold at most ${MAX_GLOBS} patterns`)
    .optional()
    .describe('Glob patterns of entries to leave out, for example ["*.log", "dist"]'),
});

interface Entry {
  name: string;
  isFolder: boolean;
  isLink: boolean;
  entries: Entry[];
  note?: string;
}

interface LsData {
  path: string;
  entries: Entry[];
  count: number;
  /** Some entries are not shown, because there are too many. */
  capped: boolean;
}

export const lsTool = defineTool<z.output<typeof input>, LsData>({
  name: 'LS',
  description,
  input,
  effects: ({ path = '.' }, context) => readEffects(path, context, { tree: true }),

  async execute({ path = '.', ignore = [] }, { cwd, signal, mayRead }) {
    const absolute = resolveIn(cwd, path);
    const shown = cutPath(shortPath(cwd, absolute));
    const root = await realTarget(absolute, { cwd });
    const isIgnored = globMatcher(ignore);
    const top = newFolder('');
    let looked = 0;
    let count = 0;
    let capped = false;
    // Level by level, so that one deep folder can't hide its neighbours.
    let level = [{ folder: top, at: '' }];
    while (level.length > 0 && !capped) {
      const next: typeof level = [];
      for (const { folder, at } of level) {
        signal.throwIfAborted();
        const asked = folder === top ? { absolute, shown, cwd } : undefined;
        for (const item of await itemsOf(join(root, at), folder, asked)) {
          looked += 1;
          if (looked % LOOKED_AT_ONCE === 0) await setImmediate(undefined, { signal });
          const place = at === '' ? item.name : `${at}/${item.name}`;
          if (isIgnored(place) || !mayRead(join(root, place))) continue;
          if (count === MAX_ENTRIES) {
            capped = true;
            break;
          }
          count += 1;
          const entry: Entry = { ...newFolder(item.name), isFolder: item.isDirectory(), isLink: item.isSymbolicLink() };
          folder.entries.push(entry);
          if (!entry.isFolder) continue;
          if (CLOSED.has(item.name)) entry.note = 'not shown';
          else next.push({ folder: entry, at: place });
        }
        if (capped) break;
      }
      level = next;
    }
    return { path: shown, entries: top.entries, count, capped };
  },

  toModel({ path, entries, capped }) {
    if (entries.length === 0) return `${path} is an empty directory, or everything in it is ignored.`;
    const end = capped
      ? `\n(Only the first ${MAX_ENTRIES} entries are shown; there are more. List a directory below, or use ignore.)`
      : '';
    return `${path}/\n${drawn(entries, 1).join('\n')}${end}`;
  },

  displayCall: ({ path = '.' }) => ({ title: path }),
  displayResult: ({ path, entries, count, capped }) => ({
    title: capped ? `${path}: ${count} and more entries` : `${path}: ${counted(count, 'entry', 'entries')}`,
    body: { type: 'list', items: drawn(entries, 0) },
  }),
});

const newFolder = (name: string): Entry => ({ name, isFolder: true, isLink: false, entries: [] });

interface AskedFolder {
  absolute: string;
  shown: string;
  cwd: string;
}

/** Directories first, then by name. Only the directory that was asked for may fail; one below is noted and left out. */
async function itemsOf(path: string, folder: Entry, asked: AskedFolder | undefined): Promise<Dirent[]> {
  try {
    const items = await readdir(path, { withFileTypes: true });
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
    if (code === 'ENOTDIR') throw refusal(`${shown} is not a directory. Use Read to see a file.`, error);
    if (isMissing(error))
      throw refusal(`${shown} does not exist. Check the path, or list a directory above it.`, error);
    if (code === 'EACCES')
      throw refusal(`${shown} can't be listed: permission to read it is missing. Ask the user.`, error);
    throw pathFailure(error, absolute, cwd);
  }
}

function drawn(entries: readonly Entry[], depth: number): string[] {
  return entries.flatMap((entry) => {
    const mark = entry.isFolder ? '/' : entry.isLink ? ' (link)' : '';
    const note = entry.note ? ` (${entry.note})` : '';
    return [`${'  '.repeat(depth)}${entry.name}${mark}${note}`, ...drawn(entry.entries, depth + 1)];
  });
}
