const FIRST_BYTES = 65_536;

/** UTF-8 text that only grows. Views returned earlier stay valid while more is added. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  add(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger; // views of the old buffer stay valid
    }
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Everything so far. */
  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
