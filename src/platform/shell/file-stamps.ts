// Tells whether files are still what they were when something was derived from them.
import { lstatSync, statSync } from 'node:fs';

export interface Stamps {
  readonly text: string;
  /** When the last of the files changed, in milliseconds since the epoch. */
  readonly readChangedMs: number;
}

/** Device, inode, owner, size and times of each file, or that it is missing. Of folders only which one it is. */
export function stampsOf(paths: readonly string[]): Stamps {
  let readChangedMs = 0;
  const texts = paths.map((path) => {
    const found = look(path, lstatSync);
    const target = found?.isSymbolicLink() ? look(path, statSync) : undefined;
    const parts = [found, target].flatMap((stats) => {
      if (stats === undefined) return [];
      const { dev, ino, mode, uid, size, mtimeNs, ctimeNs } = stats;
      if (stats.isDirectory()) return [`${dev}:${ino}:${mode}:${uid}`];
      readChangedMs = Math.max(readChangedMs, Number(ctimeNs / 1_000_000n));
      return [`${dev}:${ino}:${mode}:${uid}:${size}:${mtimeNs}:${ctimeNs}`];
    });
    return `${path}\0${parts.join('>')}`;
  });
  return { text: texts.join('\0\0'), readChangedMs };
}

function look(path: string, stat: typeof lstatSync | typeof statSync) {
  try {
    return stat(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look at, or a part of its path is no folder
  }
}
