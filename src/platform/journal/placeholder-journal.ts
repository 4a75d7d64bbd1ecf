// Placeholders for missing protected paths while sandboxed commands run. They are recorded beside the changes in
// progress, so that the next start after a kill removes them from the project:
//
//   journal/open/<token>.held     a line for each placeholder that was created or removed
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, textIn } from '../files/lenient-reads.js';
import { removeUnchangedPlaceholder } from '../sandbox/placeholders.js';
import { type JournalFolders, journalFolders, makeJournal } from './journal.js';
import { closeRecord, type OpenChange, openRecord } from './lock.js';

export const placeholderLogPath = ({ open }: JournalFolders, token: string): string => join(open, `${token}.held`);

/** The placeholders of one session. Synchronous, because a command waits for it. */
export class PlaceholderJournal {
  readonly #folders: JournalFolders;
  readonly #record: OpenChange;
  readonly #file: number;

  private constructor(folders: JournalFolders, record: OpenChange) {
    this.#folders = folders;
    this.#record = record;
    this.#file = openSync(placeholderLogPath(folders, record.token), 'ax', 0o600);
  }

  static async begin(dataFolder: string, sessionId: string): Promise<PlaceholderJournal> {
    const folders = journalFolders(dataFolder);
    await makeJournal(folders);
    return new PlaceholderJournal(folders, await openRecord(folders, { sessionId }));
  }

  /** Call it before they are created. */
  add(paths: readonly string[]): void {
    this.#write(paths.map((path) => ({ put: path })));
  }

  /** Call it when they have been removed. */
  remove(paths: readonly string[]): void {
    this.#write(paths.map((path) => ({ gone: path })));
  }

  #write(lines: ReadonlyArray<{ put: string } | { gone: string }>): void {
    if (lines.length > 0) writeSync(this.#file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** Call it when none are left. */
  async end(): Promise<void> {
    closeSync(this.#file);
    rmSync(placeholderLogPath(this.#folders, this.#record.token), { force: true });
    await closeRecord(this.#folders, this.#record, []);
  }
}

/** The current placeholders of all sessions, dead or alive. */
export function allPlaceholders({ open }: JournalFolders): Set<string> {
  const files = namesIn(open).filter((name) => name.endsWith('.held'));
  return new Set(files.flatMap((name) => [...placeholdersIn(join(open, name))]));
}

function placeholdersIn(file: string): Set<string> {
  const left = new Set<string>();
  for (const { put, gone } of textIn(file).split('\n').map(parsed)) {
    if (put !== undefined) left.add(put);
    if (gone !== undefined) left.delete(gone);
  }
  return left;
}

/** Removes the placeholders of a killed process. One that is no longer empty is kept. */
export function removePlaceholders(file: string): void {
  for (const path of placeholdersIn(file)) {
    try {
      removeUnchangedPlaceholder(path);
    } catch {
      // already removed, or not empty
    }
  }
  rmSync(file, { force: true });
}

function parsed(line: string): { put?: string; gone?: string } {
  try {
    const { put, gone } = JSON.parse(line);
    return { ...(typeof put === 'string' && { put }), ...(typeof gone === 'string' && { gone }) };
  } catch {
    return {}; // truncated
  }
}
