// Writers whose changes are neither journaled nor detected by a snapshot, such as hooks and in-process tools,
// announce that they are running. Commands of other sessions then do not claim changes that such a writer may have
// made.
import { randomHex } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { anyWrites, type DeclaredWrites } from './declared-writes.js';
import { journalFolders, makeJournal } from './journal.js';
import { RunningCommands } from './running-commands.js';

export interface AnnouncedWriter {
  /** As undo messages name it, such as `the hook "format"`. */
  name: string;
  /** The paths that it may write. Default: any. */
  writes?: DeclaredWrites;
}

export class AnnouncedWriters {
  readonly #dataFolder: string;
  readonly #commands: RunningCommands;

  constructor({ dataFolder, id }: { dataFolder: string; id: string }) {
    this.#dataFolder = dataFolder;
    this.#commands = new RunningCommands(journalFolders(dataFolder), id, { looks: false });
  }

  /** Call it before the writer starts. Call the returned function once the writer can't write any more. */
  async begin({ name, writes = anyWrites }: AnnouncedWriter): Promise<() => void> {
    const key = randomHex(6);
    const begin = (): Promise<void> => this.#commands.begin(key, writes, { writer: name });
    try {
      await begin().catch(async (error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
        await makeJournal(journalFolders(this.#dataFolder));
        await begin();
      });
    } catch {
      return () => {}; // a writer never fails because of undo: an unwritable data folder is reported by the code that needs it
    }
    return () => {
      try {
        this.#commands.end(key);
      } catch {
        // the journal has become unwritable; the next start removes the leftovers
      }
    };
  }
}
