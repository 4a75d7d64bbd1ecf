import type { FileLedger, SeenFile } from '../contract/tool-context.js';

type Listener = (real: string, seen: SeenFile) => void;

/** A ledger with listeners that are called with each file that is shown to the model. */
export class WatchedLedger implements FileLedger {
  readonly #ledger: FileLedger;
  readonly #listeners: Listener[] = [];

  constructor(ledger: FileLedger) {
    this.#ledger = ledger;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  get(real: string): SeenFile | undefined {
    return this.#ledger.get(real);
  }

  set(real: string, seen: SeenFile): void {
    this.#ledger.set(real, seen);
    for (const listener of this.#listeners) listener(real, seen);
  }

  forget(real: string): void {
    this.#ledger.forget(real);
  }
}
