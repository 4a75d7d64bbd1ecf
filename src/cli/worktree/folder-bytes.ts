import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_ENTRIES = 200_000; // a large installation; a list must not take minutes

/** The size of the files below a folder; of a very large one, at least this much. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const queue = [folder];
  // The list grows while it is iterated; the loop reaches the new items.
  for (const at of queue) {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      entries += 1;
      if (entries > MAX_ENTRIES) return bytes;
      const path = join(at, entry.name);
      if (entry.isDirectory()) queue.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return bytes;
}

export function shownBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
