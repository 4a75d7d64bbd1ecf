// Copies the records of a session from the folder that the engine writes to a store that outlives the machine, and back.
import { writeAuditHead } from '../../agent/observe/audit-log.js';
import { sessionFolder } from '../../agent/store/session-folder.js';
import { FileStore, recordsAmong } from './file-store.js';
import { type AppendedBytes, PART_BYTES, type RecordStore, type SessionOwner } from './record-store.js';

const MAX_APPEND_BYTES = 4 * PART_BYTES;

export interface SessionCopyOptions {
  from: RecordStore;
  to: RecordStore;
  /** In `to`. */
  owner: SessionOwner;
  /** The lengths of the files there. */
  stored: ReadonlyMap<string, number>;
  /** Stores what must not be behind these files, which are stored afterwards up to these lengths. */
  before?(files: ReadonlyMap<string, number>): Promise<void>;
  /** The session has another owner, or can't be stored. Called once. */
  onFailed(error: unknown): void;
}

export class SessionCopy {
  readonly #options: SessionCopyOptions;
  readonly #stored: Map<string, number>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(options: SessionCopyOptions) {
    this.#options = options;
    this.#stored = new Map(options.stored);
  }

  /** Resolves once everything that is written now is stored. Rejects if it can't be, and from then on. */
  async flushed(): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (!this.#running) this.#running = this.#copy();
    else {
      // What is written now may be too late for the copy that runs; one after it is enough for all that wait.
      this.#next ??= this.#running.then(() => {
        this.#next = undefined;
        this.#running = this.#copy();
        return this.#running;
      });
      return await this.#next;
    }
    return await this.#running;
  }

  /** Copies what was written, without waiting for it. */
  changed(): void {
    void this.flushed().catch(() => {}); // reported by `onFailed`
  }

  async #copy(): Promise<void> {
    const { to, owner, onFailed } = this.#options;
    try {
      for await (const appended of this.#newBytes()) await to.append(owner, appended);
      this.#running = undefined;
    } catch (error) {
      this.#failure = { error };
      onFailed(error);
      throw error;
    }
  }

  async *#newBytes(): AsyncIterable<AppendedBytes[]> {
    const { from, owner } = this.#options;
    const { sessionId } = owner;
    const files = recordsAmong(await from.files(sessionId));
    await this.#options.before?.(files);
    let appended: AppendedBytes[] = [];
    let waiting = 0;
    for (const [file, size] of [...files].toSorted(largeFirst)) {
      for (let position = this.#stored.get(file) ?? 0; position < size; ) {
        for await (const part of from.read(sessionId, file, position)) {
          const bytes = part.subarray(0, size - position); // the file may have grown since, and refer to results that are not listed
          appended.push({ file, position, bytes });
          position += bytes.length;
          waiting += bytes.length;
          this.#stored.set(file, position);
          if (waiting >= MAX_APPEND_BYTES) {
            yield appended;
            [appended, waiting] = [[], 0];
          }
          if (position >= size) break;
        }
      }
    }
    if (appended.length > 0) yield appended;
  }
}

/** Results come before the records that refer to them. */
const largeFirst = ([one]: readonly [string, number], [other]: readonly [string, number]): number =>
  Number(other.includes('results/')) - Number(one.includes('results/'));

/**
 * Makes the folder of a session again from the store, as it would be after a kill. A folder of the session that is here is
 * removed: it may have records that were rejected there. Returns the lengths of the files in the store.
 */
export async function fetchSession(
  from: RecordStore,
  dataFolder: string,
  sessionId: string,
): Promise<ReadonlyMap<string, number>> {
  const here = new FileStore(dataFolder);
  await here.remove(sessionId);
  const stored = await from.files(sessionId);
  const files = recordsAmong(stored);
  if (files.size === 0) return stored;
  const owner = await here.claim(sessionId);
  for (const file of files.keys()) {
    let position = 0;
    for await (const bytes of from.read(sessionId, file)) {
      await here.append(owner, [{ file, position, bytes }]);
      position += bytes.length;
    }
  }
  writeAuditHead(sessionFolder(dataFolder, sessionId).path);
  return stored;
}
