// Work of many sessions may become possible at the same moment, such as when fifty answers arrive. One after the other
// would hold the event loop for as long as all of it takes: docs/decisions/0221.
import { setImmediate as nextTurn } from 'node:timers';
import { monotonicMs } from './clock.js';
import { ofProcess } from './of-process.js';

const MAX_TURN_MS = 30; // of the pieces of work that begin in one turn of the event loop

class LoopShare {
  readonly #waiting: Array<() => void> = [];
  /** When the first piece of work of this turn began. */
  #began: number | undefined;

  take(): Promise<void> | undefined {
    if (this.#began === undefined) this.#begin();
    else if (this.#waiting.length > 0 || monotonicMs() - this.#began >= MAX_TURN_MS) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    return undefined;
  }

  #begin(): void {
    this.#began = monotonicMs();
    nextTurn(() => {
      this.#began = undefined;
      if (this.#waiting.length === 0) return;
      this.#begin();
      this.#continue();
    });
  }

  /** The first that waits goes on, and others after it while there is time; the rest in the next turn. */
  #continue(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0) return;
    // All promises of the piece of work are settled before a tick that one of them has scheduled.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#began !== undefined && monotonicMs() - this.#began < MAX_TURN_MS) this.#continue();
      }),
    );
  }
}

/**
 * Call it where a piece of work begins that takes up to some milliseconds, and await what it returns: undefined if the
 * work may begin at once, otherwise a promise that resolves in one of the next turns of the event loop.
 */
export const loopShare = (): Promise<void> | undefined => ofProcess('loopShare', () => new LoopShare()).take();
