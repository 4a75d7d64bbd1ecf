/** The only way to change files. Every change checks the file's previous content, and keeps it for undo. */
export interface FileChanges {
  /**
   * Makes all the changes or none, even if this process is killed in the middle. Throws `StaleFile` if a file no
   * longer has the expected content; then nothing was changed, and the caller reads it again.
   */
  apply(callId: string, changes: readonly FileChange[]): Promise<void>;
  /** Resolves when all changes are on disk and would survive a power failure. */
  settled(): Promise<void>;
  /** Ends helper processes that wait for the next change. */
  rest(): Promise<void>;
  /**
   * Opens the temporary journal, for a command whose changes the usual journal can't record; `cause` is the error of
   * the usual one. All changes go to the temporary journal until each of its users has called `release`. Rejects if
   * the temporary folder can't be written either.
   */
  temporaryJournal?(cause: unknown): Promise<TemporaryJournal>;
  /** The temporary journal if it is in use already; undefined if the usual journal is to be tried first. */
  temporaryJournalInUse?(): Promise<TemporaryJournal | undefined>;
}

/** A journal that stands in for that of the data folder. */
export interface TemporaryJournal {
  /** The folder that takes the place of the data folder. */
  dataFolder: string;
  release(): void;
}

/** One change of one file. */
export interface FileChange {
  /** The real path. Missing folders above a new file are created. */
  real: string;
  /** SHA-256, in hexadecimal, of the expected content; null if there must be no file. */
  before: string | null;
  /** The new content; null to remove the file. */
  after: Uint8Array | null;
  /** A file whose owner and mode a new one gets, as when it is moved. */
  like?: string;
  /** The mode of a new file, if there is no other to copy it from. */
  mode?: number;
}

/** The file does not have the content that the change expects: it was changed meanwhile. */
export class StaleFile extends Error {
  readonly real: string;

  constructor(real: string) {
    super(`${real} changed while the change was being made`);
    this.name = 'StaleFile';
    this.real = real;
  }
}
