// A text that comes in many small pieces, such as an answer of a model. A string that is made longer by each piece keeps a
// node of 32 bytes for every one of them until it is read, and is copied as a whole each time that it is read.

const CHUNK_CHARS = 16 * 1024;

export class GrowingText {
  /** All but the end of the text. */
  readonly #chunks: string[] = [];
  /** Pieces of the end, in all at most a chunk. */
  #pieces: string[] = [];
  #pieceChars = 0;
  #length = 0;

  constructor(text = '') {
    if (text !== '') this.add(text);
  }

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#pieceChars += piece.length;
    this.#length += piece.length;
    if (this.#pieceChars < CHUNK_CHARS) return;
    this.#chunks.push(this.#pieces.join(''));
    this.#pieces = [];
    this.#pieceChars = 0;
  }

  /** The text without its first characters. Costs as much as is returned, apart from one chunk. */
  after(chars: number): string {
    const end = this.#pieces.join('');
    let start = this.#length - end.length;
    if (chars >= start) return end.slice(chars - start);
    const parts = [end];
    for (let index = this.#chunks.length - 1; index >= 0 && start > chars; index -= 1) {
      const chunk = this.#chunks[index] ?? '';
      start -= chunk.length;
      parts.push(chars > start ? chunk.slice(chars - start) : chunk);
    }
    return parts.reverse().join('');
  }

  toString(): string {
    return this.after(0);
  }
}
