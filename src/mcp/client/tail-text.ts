/** The last characters of a text that arrives in pieces and may never end. */
export class TailText {
  readonly #max: number;
  #text = '';

  constructor(max: number) {
    this.#max = max;
  }

  add(piece: string): void {
    this.#text = `${this.#text}${piece.slice(-this.#max)}`.slice(-this.#max);
  }

  get text(): string {
    return this.#text;
  }

  /** The last line with content. After an uncaught error Node prints its version, which is skipped. */
  get lastLine(): string {
    const lines = this.#text.trimEnd().split('\n');
    const last = lines.at(-1)?.trim() ?? '';
    if (!/^Node\.js v\d/.test(last)) return last;
    return lines.findLast((line) => /^(?:Uncaught )?\w*Error\b.*:/.test(line))?.trim() ?? last;
  }
}
