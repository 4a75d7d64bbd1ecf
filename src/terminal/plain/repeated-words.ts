/** What is new in an answer that starts over: words that were already written are not written again. */
export class RepeatedWords {
  /** Of this answer. */
  #written = '';
  /** What has come since it started over, as long as it repeats what was written. */
  #again: string | undefined;

  /** The next answer begins. */
  begin(): void {
    this.#written = '';
    this.#again = undefined;
  }

  restart(): void {
    this.#again = '';
  }

  /** `isOther`: the answer differs from the one that was written, so it must be written from its beginning. */
  take(text: string): { text: string; isOther: boolean } {
    if (this.#again === undefined) {
      this.#written += text;
      return { text, isOther: false };
    }
    this.#again += text;
    if (this.#written.startsWith(this.#again)) return { text: '', isOther: false };
    const isOther = !this.#again.startsWith(this.#written);
    const news = isOther ? this.#again : this.#again.slice(this.#written.length);
    this.#written = this.#again;
    this.#again = undefined;
    return { text: news, isOther };
  }

  /** The text is complete: the whole of an answer that is shorter than the one that was written, else nothing. */
  end(): string {
    const again = this.#again ?? '';
    const isShorter = again !== '' && again !== this.#written;
    if (this.#again !== undefined && isShorter) this.#written = again;
    this.#again = undefined;
    return isShorter ? again : '';
  }
}
