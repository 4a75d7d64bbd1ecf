/** The last characters of a text that comes in pieces and may never end. */
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

  /** The last line that says something. */
  get lastLine(): string {
    return this.#text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}
