import type { Stats } from 'node:fs';

const MAX_FILES = 10_000;

/**
 * The files that are known to have no attributes of their own, so that nobody has to look again. Giving a file one
 * changes the time of its last change of state, and then it is not known any more.
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

/** Which file it is, and when it was last given something: content, a mode or an attribute. */
export const changeStamp = ({ dev, ino, ctimeMs }: Stats): string => `${dev}:${ino}:${ctimeMs}`;
