import { lstat, opendir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monotonicMs } from '../clock.js';
import { homeFolder } from '../files/paths.js';

const MAX_ENTRIES = 30_000;
const MAX_MS = 500; // a person waits for the answer, and it is only a hint
const LEVELS_UP = 2;
const SHOWN = 3;
const MIN_BYTES = 100_000; // cleaning up less than this does not help

export interface LargeFolder {
  path: string;
  bytes: number;
  /** The scan below it was cut short. */
  atLeast: boolean;
}

/** The largest folders near the given one, on the same disk, found in a short scan. */
export async function largestFolders(near: string): Promise<LargeFolder[]> {
  const budget = { entries: MAX_ENTRIES, until: monotonicMs() + MAX_MS };
  const device = await deviceOf(near);
  const home = homeFolder();
  const places = [await placeToSearch(near), ...(home ? [join(home, '.cache')] : []), tmpdir()];
  const found = new Map<string, LargeFolder>();
  for (const place of places) {
    if ((await deviceOf(place)) !== device) continue;
    for (const path of await foldersIn(place)) {
      if (found.has(path)) continue;
      const bytes = await sizeBelow(path, device, budget);
      found.set(path, { path, bytes, atLeast: spent(budget) });
      if (spent(budget)) return largest(found);
    }
  }
  return largest(found);
}

type Budget = { entries: number; until: number };

const spent = ({ entries, until }: Budget): boolean => entries <= 0 || monotonicMs() > until;

const largest = (found: ReadonlyMap<string, LargeFolder>): LargeFolder[] =>
  [...found.values()]
    .filter(({ bytes }) => bytes >= MIN_BYTES)
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, SHOWN);

/**
 * Starts a few levels up, where a project keeps its build output; never at a home folder or the root, which hold
 * everything.
 */
async function placeToSearch(near: string): Promise<string> {
  let place = near;
  for (let level = 0; level < LEVELS_UP; level += 1) {
    const above = dirname(place);
    if (above === dirname(above) || above === homeFolder() || place === homeFolder()) break;
    if (await stat(join(place, '.git')).catch(() => undefined)) break; // the root of the project
    if ((await deviceOf(above)) !== (await deviceOf(near))) break;
    place = above;
  }
  return place;
}

async function deviceOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.dev;
}

async function foldersIn(place: string): Promise<string[]> {
  const folders: string[] = [];
  for await (const entry of entriesOf(place)) if (entry.isDirectory()) folders.push(join(place, entry.name));
  return folders;
}

async function sizeBelow(folder: string, device: number | undefined, budget: Budget): Promise<number> {
  let bytes = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for await (const entry of entriesOf(next)) {
      budget.entries -= 1;
      if (spent(budget)) return bytes;
      const path = join(next, entry.name);
      const stats = await lstat(path).catch(() => undefined); // it may have been removed meanwhile
      if (stats?.dev !== device) continue;
      if (stats?.isDirectory()) waiting.push(path);
      else bytes += (stats?.blocks ?? 0) * 512;
    }
  }
  return bytes;
}

async function* entriesOf(folder: string) {
  try {
    yield* await opendir(folder);
  } catch {
    // unreadable folders are skipped: this is only a hint
  }
}
