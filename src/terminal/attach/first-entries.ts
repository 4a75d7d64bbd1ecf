// What was said before a client attached. Of a long session, only the end is drawn.
import type { EntryLine } from '../../host/sent-entry.js';

const MAX_DRAWN = 100; // about as much as is drawn of a session that is resumed

export class FirstEntries {
  #lines: EntryLine[] = [];
  #left = 0;

  /** How many that would be shown are left out. */
  get left(): number {
    return this.#left;
  }

  get lines(): readonly EntryLine[] {
    return this.#lines;
  }

  /** True if it was the last one. */
  add(line: EntryLine): boolean {
    this.#lines.push(line);
    if (this.#lines.length >= 2 * MAX_DRAWN) this.#shorten();
    if (line.entry.kind !== 'state') return false;
    this.#shorten();
    return true;
  }

  /** Open questions stay, whenever they were asked. */
  #shorten(): void {
    const cut = Math.max(0, this.#lines.length - MAX_DRAWN);
    const old = this.#lines.slice(0, cut);
    const kept = old.filter(({ entry }) => entry.kind === 'question' && entry.isOpen);
    this.#left += old.filter(({ entry }) => entry.kind !== 'question' && !('agent' in entry)).length;
    this.#lines = [...kept, ...this.#lines.slice(cut)];
  }
}
