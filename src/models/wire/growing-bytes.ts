const FIRST_BYTES = 65_536;

/** Text as UTF-8 that only grows. What was given out stays as it is, also while more is added. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  add(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger; // whoever has the old one keeps it
    }
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** All of it so far. */
  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
