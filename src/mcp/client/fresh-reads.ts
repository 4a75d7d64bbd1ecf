// Resources that the server allows to be used again for a time, so that a second read needs no request.
import { monotonicMs } from '../../platform/clock.js';
import { timeToLive } from './time-to-live.js';

const MAX_READS = 50;
const MAX_CHARS = 4 * 1024 * 1024; // of all reads together

interface Read {
  result: Readonly<Record<string, unknown>>;
  until: number;
  chars: number;
}

export class FreshReads {
  readonly #reads = new Map<string, Read>();
  #chars = 0;

  get(uri: string): Readonly<Record<string, unknown>> | undefined {
    const read = this.#reads.get(uri);
    if (read && read.until > monotonicMs()) return read.result;
    this.#forget(uri);
    return undefined;
  }

  /** Keeps a result for as long as its server says; `askedAt` is a time of the monotonic clock. */
  keep(uri: string, result: Readonly<Record<string, unknown>>, askedAt: number): void {
    this.#forget(uri);
    const until = askedAt + timeToLive(result);
    if (until <= monotonicMs()) return;
    const chars = uri.length + JSON.stringify(result).length;
    if (chars > MAX_CHARS) return;
    this.#reads.set(uri, { result, until, chars });
    this.#chars += chars;
    for (const oldest of this.#reads.keys()) {
      if (this.#reads.size <= MAX_READS && this.#chars <= MAX_CHARS) break;
      this.#forget(oldest);
    }
  }

  /** To be called when anything may have changed, for example by a call of one of the server's tools. */
  clear(): void {
    this.#reads.clear();
    this.#chars = 0;
  }

  #forget(uri: string): void {
    this.#chars -= this.#reads.get(uri)?.chars ?? 0;
    this.#reads.delete(uri);
  }
}
