import { setImmediate as nextTurn } from 'node:timers';
import { ofProcess } from './of-process.js';

/**
 * Starts one program in each turn of the event loop: `spawn` holds it for milliseconds, so that those of fifty sessions
 * must not follow each other. The first one starts at once.
 */
class SpacedStarts {
  readonly #waiting: Array<() => void> = [];
  #isPaused = false;

  add(start: () => void): void {
    if (this.#isPaused) this.#waiting.push(start);
    else this.#startAndPause(start);
  }

  #startAndPause(start: () => void): void {
    this.#isPaused = true;
    nextTurn(() => {
      this.#isPaused = false;
      const next = this.#waiting.shift();
      if (next) this.#startAndPause(next);
    });
    start();
  }
}

/** Calls the function now, or in one of the next turns of the event loop. */
export const startSpaced = (start: () => void): void => ofProcess('spacedStarts', () => new SpacedStarts()).add(start);
