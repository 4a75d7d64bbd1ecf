/** Wraps a text at words while it arrives in pieces. A word is held back until it is complete. */
export class WordWrap {
  readonly #columns: number;
  #column = 0;
  #word = '';

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** The part that can be written now. */
  push(text: string): string {
    let out = '';
    for (const part of text.split(/(\s)/)) {
      if (!/^\s$/.test(part)) {
        this.#word += part;
        continue;
      }
      out += this.#placed();
      if (part === '\n') this.#column = 0;
      else if (this.#column > 0) this.#column += 1;
      // Behind a full line a terminal would show the space as an empty line.
      if (this.#column <= this.#columns) out += part;
    }
    return out;
  }

  /** The rest: the text has ended. */
  flush(): string {
    const rest = this.#placed();
    this.#column = 0;
    return rest;
  }

  #placed(): string {
    const word = this.#word;
    this.#word = '';
    const breaks = this.#column > 0 && this.#column + word.length > this.#columns;
    this.#column = (breaks ? 0 : this.#column) + word.length;
    return breaks ? `\n${word}` : word;
  }
}
