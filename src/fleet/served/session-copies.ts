// Copies of sessions in a folder of this process, so that they are read there as those of the machine are. A copy is brought
// up to date before each look; records only grow, so it gets what is new.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore, recordsAmong } from '../store/file-store.js';
import type { RecordStore } from '../store/record-store.js';
import { SessionCopy } from '../store/session-copy.js';

const MAX_COPIES = 200;

export class SessionCopies {
  /** A data folder with nothing else in it. */
  readonly dataFolder = mkdtempSync(join(tmpdir(), 'helve-fleet-'));
  readonly #store: RecordStore;
  readonly #here = new FileStore(this.dataFolder);
  /** The last look at each session, the latest used last: one at a time. */
  readonly #looks = new Map<string, Promise<void>>();

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** Resolves once the copy has all that was stored before. */
  async refresh(sessionId: string): Promise<void> {
    const before = this.#looks.get(sessionId) ?? Promise.resolve();
    const look = before.catch(() => {}).then(() => this.#refresh(sessionId));
    this.#looks.delete(sessionId);
    this.#looks.set(sessionId, look);
    await look;
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > MAX_COPIES && oldest !== undefined && oldest !== sessionId) {
      this.#looks.delete(oldest);
      await this.#here.remove(oldest);
    }
  }

  remove(): void {
    rmSync(this.dataFolder, { recursive: true, force: true });
  }

  async #refresh(sessionId: string): Promise<void> {
    const files = recordsAmong(await this.#store.files(sessionId));
    let stored = await this.#here.files(sessionId);
    const isAnother = [...stored].some(([file, size]) => size > (files.get(file) ?? 0)); // made again under its id
    if (isAnother) {
      await this.#here.remove(sessionId);
      stored = new Map();
    }
    const isNew = [...files].some(([file, size]) => size > (stored.get(file) ?? 0));
    if (!isNew) return;
    const owner = await this.#here.claim(sessionId);
    const copy = new SessionCopy({ from: this.#store, to: this.#here, owner, stored, onFailed: () => {} });
    await copy.flushed();
  }
}
