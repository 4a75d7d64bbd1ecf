// Markdown that arrives in pieces. Each line is looked at once, so the cost is that of the text, whatever its pieces.
import { blockOf, fenceAfter, isOuterFence, type MarkdownBlock, startsNewBlock } from './markdown-source.js';

export class MarkdownStream {
  /** What further text can still change. */
  #tail = '';
  /** The offset in it up to which lines were looked at. */
  #seen = 0;
  #fence: string | undefined;
  #hasBlankBefore = false;

  get tail(): string {
    return this.#tail;
  }

  /** Adds text. Returns the blocks that are settled by it: nothing that follows can change them. */
  append(piece: string): MarkdownBlock[] {
    this.#tail += piece;
    const settled: MarkdownBlock[] = [];
    // The last line is left out: it may be incomplete.
    for (let end = this.#tail.indexOf('\n', this.#seen); end !== -1; end = this.#tail.indexOf('\n', this.#seen)) {
      const line = this.#tail.slice(this.#seen, end);
      const open = this.#fence;
      this.#fence = fenceAfter(line, open);
      if (open === undefined && (isOuterFence(line) || (this.#hasBlankBefore && startsNewBlock(line)))) {
        settled.push(...this.#settle(this.#seen));
      }
      this.#seen += line.length + 1;
      if (open !== undefined && this.#fence === undefined && isOuterFence(this.#tail)) {
        settled.push(...this.#settle(this.#seen));
      }
      this.#hasBlankBefore = line.trim() === '';
    }
    return settled;
  }

  /** Of code whose end has not come: what there is of it, if it is long. The rest goes on as another block of code. */
  splitCode(maxChars: number): MarkdownBlock | undefined {
    if (this.#fence === undefined || this.#seen < maxChars || !isOuterFence(this.#tail)) return undefined;
    const opening = this.#tail.slice(0, this.#tail.indexOf('\n') + 1);
    const block = blockOf(this.#tail.slice(0, this.#seen));
    this.#tail = opening + this.#tail.slice(this.#seen);
    this.#seen = opening.length;
    return block;
  }

  #settle(end: number): MarkdownBlock[] {
    const block = blockOf(this.#tail.slice(0, end));
    this.#tail = this.#tail.slice(end);
    this.#seen -= end;
    return block.type === 'code' || block.text.trim() !== '' ? [block] : [];
  }
}
