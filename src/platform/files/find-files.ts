import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { IgnoreRules } from '../search/ignore-rules.js';
import { type FileQuery, SearchFailure, VERSION_CONTROL } from '../search/query.js';
import { fileTypes } from '../text/file-types.js';
import { globFilter, globMatcher } from '../text/glob-matcher.js';

const LOOKED_AT_ONCE = 200; // entries between two checks for cancellation

interface Walk {
  signal: AbortSignal;
  /** Called for each unreadable folder, with its path relative to the query's. */
  onUnreadable: (path: string) => void;
}

/**
 * The regular files that match a query, relative to its folder, in batches. Includes hidden files; does not follow
 * symlinks, and skips ignored files unless the query wants them. Memory use is bounded by the depth of the tree.
 */
export async function* findFiles(query: FileQuery, walk: Walk): AsyncGenerator<string[], void, void> {
  const { folder, file, globs, type, includeIgnored } = query;
  const isOfType = type === undefined ? () => true : globMatcher(globsOfType(type));
  if (file !== undefined) {
    yield [file];
    return;
  }
  const isWanted = globFilter(globs);
  const rules = includeIgnored ? undefined : await IgnoreRules.above(folder);
  for await (const files of filesBelow('', { folder, opened: query.opened?.folder ?? folder }, rules, walk)) {
    const wanted = files.filter((path) => isOfType(path) && isWanted(path));
    if (wanted.length > 0) yield wanted;
  }
}

async function* filesBelow(
  at: string,
  root: { folder: string; opened: string },
  rules: IgnoreRules | undefined,
  walk: Walk,
): AsyncGenerator<string[], void, void> {
  walk.signal.throwIfAborted();
  const folder = join(root.folder, at);
  const opened = join(root.opened, at);
  let entries: Dirent[];
  try {
    entries = await readdir(opened, { withFileTypes: true });
  } catch {
    walk.onUnreadable(at === '' ? '.' : at);
    return;
  }
  const own = await rules?.within(folder, new Set(entries.map(({ name }) => name)));
  const files: string[] = [];
  const folders: string[] = [];
  for (const [index, entry] of entries.entries()) {
    if ((index + 1) % LOOKED_AT_ONCE === 0) await setImmediate(undefined, { signal: walk.signal });
    if (versionControl.has(entry.name)) continue;
    const kind = await kindOf(entry, opened);
    if (kind === undefined || own?.ignores(join(folder, entry.name), { isFolder: kind === 'folder' })) continue;
    (kind === 'folder' ? folders : files).push(at === '' ? entry.name : `${at}/${entry.name}`);
  }
  yield files;
  for (const below of folders) yield* filesBelow(below, root, own, walk);
}

const versionControl: ReadonlySet<string> = new Set(VERSION_CONTROL);

async function kindOf(entry: Dirent, folder: string): Promise<'file' | 'folder' | undefined> {
  // Some file systems do not report the type in the directory entry.
  const isKnown = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket();
  const kind = isKnown ? entry : await lstat(join(folder, entry.name)).catch(() => entry);
  return kind.isFile() ? 'file' : kind.isDirectory() ? 'folder' : undefined;
}

function globsOfType(type: string): readonly string[] {
  const globs = fileTypes.get(type);
  if (globs) return globs;
  throw new SearchFailure(
    `unrecognized file type: ${type}. Without ripgrep these are known: ${[...fileTypes.keys()].join(', ')}. Use glob instead.`,
  );
}
