import type { Stats } from 'node:fs';

const MAX_FILES = 10_000;

/**
 * Caches the files that are known to have no extended attributes, so that they need not be probed again. Setting an
 * attribute changes the ctime, which invalidates the entry.
 */
export class AttributeFreeFiles {
  readonly #seen = new Map<string, string>();

  has(real: string, stats: Stats): boolean {
    return this.#seen.get(real) === changeStamp(stats);
  }

  add(real: string, stats: Stats): void {
    if (this.#seen.size >= MAX_FILES) this.#seen.clear();
    this.#seen.set(real, changeStamp(stats));
  }
}

/** Identifies the file and its last change of content, mode or attributes. */
export const changeStamp = ({ dev, ino, ctimeMs }: Stats): string => `${dev}:${ino}:${ctimeMs}`;
