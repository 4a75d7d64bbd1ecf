// Requests to the host and their responses, in any order.
import { randomId } from '../../platform/crypto.js';
import type { HostResponse } from './parse-input.js';

export type Line = Readonly<Record<string, unknown>>;

export type WriteOut = (line: Line) => Promise<void>;

interface Pending {
  line: Line;
  answer: PromiseWithResolvers<unknown>;
}

export class ControlChannel {
  readonly #write: WriteOut;
  readonly #pending = new Map<string, Pending>();
  #closed: Error | undefined;

  constructor(write: WriteOut) {
    this.#write = write;
  }

  /** Resolves with the host's response. Rejects with its error, if it can no longer answer, or if the signal aborts. */
  async ask(request: Line & { subtype: string }, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#closed) throw this.#closed;
    const id = randomId();
    const answer = Promise.withResolvers<unknown>();
    answer.promise.catch(() => {}); // it may fail while the request is still being written
    const line = { type: 'control_request', request_id: id, request };
    this.#pending.set(id, { line, answer });
    const withdraw = (): void => {
      if (!this.#pending.delete(id)) return;
      answer.reject(signal.reason);
      void this.#write({ type: 'control_cancel_request', request_id: id });
    };
    signal.addEventListener('abort', withdraw, { once: true });
    try {
      await this.#write(line);
      return await answer.promise;
    } finally {
      this.#pending.delete(id);
      signal.removeEventListener('abort', withdraw);
    }
  }

  /** A response to a request that is not open, for example a withdrawn one, has no effect. */
  answer(requestId: string, response: HostResponse): void {
    const pending = this.#take(requestId);
    if (response.subtype === 'success') pending?.resolve(response.response);
    else pending?.reject(new Error(response.error));
  }

  /** The host will not answer this one. */
  cancel(requestId: string): void {
    this.#take(requestId)?.reject(new Error('the host withdrew from the question'));
  }

  /** Sends all open requests again, for a host that may have missed them. */
  async redeliver(): Promise<void> {
    for (const { line } of [...this.#pending.values()]) await this.#write(line);
  }

  async respond(requestId: string, response: Line = {}): Promise<void> {
    await this.#write({
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId, response },
    });
  }

  async refuse(requestId: string, error: string): Promise<void> {
    await this.#write({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } });
  }

  /** The host can no longer answer. */
  close(reason: string): void {
    this.#closed = new Error(reason);
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(this.#closed);
  }

  #take(requestId: string): PromiseWithResolvers<unknown> | undefined {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    return pending?.answer;
  }
}
