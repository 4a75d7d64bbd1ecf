// Keeps the store ahead of the records of a session: before a record says that a call has ended, what the call has done to
// the workspace is stored, and what `helve undo` needs of it.
import { CHANGES, FileStore } from '../store/file-store.js';
import type { BeforeImages } from './before-images.js';
import type { OpenWorkspace } from './fleet-workspaces.js';

const LOG = /(?:^|\/)session\.jsonl$/;
const ENDED_CALL = '"type":"result"';

export interface SessionKeepingOptions {
  dataFolder: string;
  sessionId: string;
  images: BeforeImages;
  workspace: OpenWorkspace | undefined;
  /** The lengths of the files in the store. */
  stored: ReadonlyMap<string, number>;
}

export class SessionKeeping {
  readonly #options: SessionKeepingOptions;
  /** How much of each log was looked at. */
  readonly #seen: Map<string, number>;

  constructor(options: SessionKeepingOptions) {
    this.#options = options;
    this.#seen = new Map(options.stored);
  }

  /** Resolves once these files may be stored up to these lengths. */
  async before(files: ReadonlyMap<string, number>): Promise<void> {
    const { images, workspace } = this.#options;
    await images.copy(files.get(CHANGES) ?? 0);
    if (workspace && (await this.#hasEndedCall(files))) await workspace.save();
  }

  async #hasEndedCall(files: ReadonlyMap<string, number>): Promise<boolean> {
    const { dataFolder, sessionId } = this.#options;
    const here = new FileStore(dataFolder);
    let found = false;
    for (const [file, size] of files) {
      const from = this.#seen.get(file) ?? 0;
      if (!LOG.test(file) || size <= from) continue;
      this.#seen.set(file, size);
      let before = '';
      for await (const bytes of here.read(sessionId, file, from)) {
        const text = before + Buffer.from(bytes).toString('latin1');
        found ||= text.includes(ENDED_CALL);
        before = text.slice(-ENDED_CALL.length);
      }
    }
    return found;
  }
}
