/** Reads lines of JSON from a stream that comes in pieces. Blank lines are skipped. */
export class JsonLineReader<Line> {
  #rest = '';

  /** The lines that this piece completes. */
  take(text: string): Line[] {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    return parts.filter((part) => part !== '').map((part): Line => JSON.parse(part));
  }
}
