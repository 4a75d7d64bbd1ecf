// Two ends of a connection inside of one process. A line counts as accepted once the other side has taken it, so that a
// reader that is slow is noticed as on a socket.
import type { RpcTransport } from './json-rpc.js';

interface Waiting {
  text: string;
  taken(): void;
}

export interface PairedTransport extends RpcTransport {
  /** Ends both directions. */
  close(): void;
}

export function pairedTransports(): [PairedTransport, PairedTransport] {
  const [there, back] = [new Lines(), new Lines()];
  const close = (): void => {
    there.end();
    back.end();
  };
  const end = (incoming: Lines, outgoing: Lines): PairedTransport => ({
    lines: incoming,
    write: (line) => outgoing.add(line),
    close,
  });
  return [end(back, there), end(there, back)];
}

class Lines implements AsyncIterable<{ text: string }> {
  readonly #waiting: Waiting[] = [];
  #wake = Promise.withResolvers<void>();
  #hasEnded = false;

  async add(text: string): Promise<void> {
    if (this.#hasEnded) return; // the other side is gone
    await new Promise<void>((taken) => {
      this.#waiting.push({ text: text.endsWith('\n') ? text.slice(0, -1) : text, taken });
      this.#wake.resolve();
    });
  }

  end(): void {
    this.#hasEnded = true;
    for (const { taken } of this.#waiting.splice(0)) taken();
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<{ text: string }, void, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        next.taken();
        yield { text: next.text };
      } else if (this.#hasEnded) return;
      else {
        this.#wake = Promise.withResolvers<void>();
        await this.#wake.promise;
      }
    }
  }
}
