// Writers of a session whose changes are neither journaled nor looked for, such as hooks and tools of the program, tell the
// commands of other sessions that they run: those then don't claim what may be the work of such a writer.
import { randomHex } from '../crypto.js';
import { codeOf } from '../files/write-failure.js';
import { anyWrites, type DeclaredWrites } from './declared-writes.js';
import { journalFolders, makeJournal } from './journal.js';
import { RunningCommands } from './running-commands.js';

export interface AnnouncedWriter {
  /** As notes of undo call it, such as `the hook "format"`. */
  name: string;
  /** What it may write. Default: anything. */
  writes?: DeclaredWrites;
}

export class AnnouncedWriters {
  readonly #dataFolder: string;
  readonly #commands: RunningCommands;

  constructor({ dataFolder, id }: { dataFolder: string; id: string }) {
    this.#dataFolder = dataFolder;
    this.#commands = new RunningCommands(journalFolders(dataFolder), id, { looks: false });
  }

  /** To be called before the writer begins. What it resolves with is to be called when nothing of it can write any more. */
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
      return () => {}; // no writer waits for undo: a data folder that can't be written is reported by those that need it
    }
    return () => {
      try {
        this.#commands.end(key);
      } catch {
        // the journal has become unwritable; the next start removes what is left
      }
    };
  }
}
