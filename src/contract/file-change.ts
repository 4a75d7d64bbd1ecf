/** The one way to change files. Every change is guarded by what the file held before, and keeps that for undo. */
export interface FileChanges {
  /**
   * Makes all the changes or none, also when this process is killed in the middle. Throws `StaleFile` where a file no
   * longer holds what the change was made for; then nothing was changed, and the caller looks again.
   */
  apply(callId: string, changes: readonly FileChange[]): Promise<void>;
  /** Resolves when all that was changed is on the disk, and would outlive a power cut. */
  settled(): Promise<void>;
  /** Ends helper programs that wait for the next change. */
  rest(): void | Promise<void>;
}

/** One change of one file. */
export interface FileChange {
  /** The real path. Folders that are missing above a new file are made. */
  real: string;
  /** SHA-256, in hexadecimal, of what the file must hold; null where there must be no file. */
  before: string | null;
  /** What it shall hold; null to remove it. */
  after: Uint8Array | null;
  /** A file whose owner and mode a new one takes, as when it is moved. */
  like?: string;
  /** The mode of a new file, where there is no other to take it from. */
  mode?: number;
}

/** The file is not as the change expects it: somebody else was there in between. */
export class StaleFile extends Error {
  readonly real: string;

  constructor(real: string) {
    super(`${real} changed while the change was being made`);
    this.name = 'StaleFile';
    this.real = real;
  }
}
