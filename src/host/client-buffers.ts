// The unsaved texts of a session's clients. A client that does not answer is not waited for again: files are then read
// as they are on disk, and the person gets a notice.

import type { EditorBuffers } from '../contract/editor-buffers.js';

const LIMIT_MS = 2_000; // an editor answers from memory

/** Asks one client. Resolves with undefined if it does not have the file. */
export type ReadBuffer = (path: string, signal: AbortSignal) => Promise<string | undefined>;

export class ClientBuffers implements EditorBuffers {
  readonly #readers = new Set<ReadBuffer>();
  readonly #tell: (sentence: string) => void;
  readonly #limitMs: number;

  constructor(tell: (sentence: string) => void, { limitMs = LIMIT_MS } = {}) {
    this.#tell = tell;
    this.#limitMs = limitMs;
  }

  /** Returns a function that detaches the client. */
  attach(read: ReadBuffer): () => void {
    this.#readers.add(read);
    return () => void this.#readers.delete(read);
  }

  /** The text of the first client that has the file. */
  async textOf(path: string, signal: AbortSignal): Promise<string | undefined> {
    for (const read of [...this.#readers]) {
      const text = await this.#ask(read, path, signal);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  async #ask(read: ReadBuffer, path: string, signal: AbortSignal): Promise<string | undefined> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#limitMs);
    try {
      return await read(path, AbortSignal.any([signal, limit.signal]));
    } catch {
      signal.throwIfAborted();
      // Calls that ask at the same time all reach the limit: one notice is enough.
      if (this.#readers.delete(read) && limit.signal.aborted) {
        this.#tell(
          `The editor did not answer fs/read_text_file for ${path} within ${this.#limitMs / 1_000} s, so files are read and changed as they are on disk, without unsaved changes. Save your files before Helve works on them.`,
        );
      }
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
