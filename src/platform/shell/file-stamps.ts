// Detects whether files have changed since something was derived from them.
import { lstatSync, statSync } from 'node:fs';

export interface Stamps {
  readonly text: string;
  /** The time of the latest change among the files, in milliseconds since the epoch. */
  readonly changedMs: number;
}

/** Device, inode, owner, size and timestamps of each file, or that it is missing. For folders only their identity. */
export function stampsOf(paths: readonly string[]): Stamps {
  let changedMs = 0;
  const texts = paths.map((path) => {
    const found = look(path, lstatSync);
    const target = found?.isSymbolicLink() ? look(path, statSync) : undefined;
    const parts = [found, target].flatMap((stats) => {
      if (stats === undefined) return [];
      const { dev, ino, mode, uid, size, mtimeNs, ctimeNs } = stats;
      if (stats.isDirectory()) return [`${dev}:${ino}:${mode}:${uid}`];
      changedMs = Math.max(changedMs, Number(ctimeNs / 1_000_000n));
      return [`${dev}:${ino}:${mode}:${uid}:${size}:${mtimeNs}:${ctimeNs}`];
    });
    return `${path}\0${parts.join('>')}`;
  });
  return { text: texts.join('\0\0'), changedMs };
}

function look(path: string, stat: typeof lstatSync | typeof statSync) {
  try {
    return stat(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // unreadable, or a part of its path is not a folder
  }
}
