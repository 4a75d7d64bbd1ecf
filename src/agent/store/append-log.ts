import {
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openFlags } from '../../platform/files/private-files.js';
import { asWriteFailure } from '../../platform/files/write-failure.js';
import { messageOf } from '../../platform/message-of.js';

export const MAX_WAITING_BYTES = 16 * 1024 * 1024; // kept in memory while the disk is full

// Not with `import`, which would load every export of node:util and take milliseconds.
const dataSync = process.getBuiltinModule('node:util').promisify(fdatasync);

/** Reports a sentence to the person; `unwritable` if the disk can't be written for now. */
export type ReportProblem = (sentence: string, kind?: 'unwritable') => void;

/** The end of a file that could not be written. */
export interface Unwritten {
  bytes: Buffer;
  /** Its position in the file. */
  offset: number;
}

/**
 * A file to which lines are appended. Writes are synchronous, with all pending lines at once, so that they are done before
 * the next step; syncing to disk is asynchronous. Lines that can't be written are retried with the next write.
 */
export class AppendLog {
  readonly path: string;
  readonly #onProblem: ReportProblem;
  readonly #descriptor: number;
  #lines: string[] = [];
  /** Bytes that an earlier write could not write. They may begin in the middle of a line. */
  #rest: Buffer = Buffer.alloc(0);
  #waiting = 0;
  #dropped = 0;
  #isReported = false;
  #isNew: boolean;
  #alsoSync: number[] = [];
  #syncing: Promise<void> | undefined;
  #isDirty = false;

  /** Throws if the file can't be opened. */
  constructor(path: string, onProblem: ReportProblem) {
    this.path = path;
    this.#onProblem = onProblem;
    this.#descriptor = openSync(path, (openFlags.append & ~constants.O_WRONLY) | constants.O_RDWR, 0o600);
    const { size, mode } = fstatSync(this.#descriptor);
    if ((mode & 0o077) !== 0) fchmodSync(this.#descriptor, 0o600);
    this.#isNew = size === 0;
    if (size > 0 && !this.#endsWithBreak(size)) this.#rest = Buffer.from('\n'); // a crash cut off the last line
  }

  /** The file had nothing in it when it was opened. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Lines that are not in the file. */
  get lost(): number {
    return this.#dropped + this.#waiting;
  }

  add(line: string): void {
    if (this.#isReported && this.#rest.length + line.length > MAX_WAITING_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#waiting += 1;
  }

  write(): void {
    if (this.#waiting === 0) return;
    const text = this.#lines.map((line) => `${line}\n`).join('');
    const bytes = this.#rest.length === 0 ? Buffer.from(text) : Buffer.concat([this.#rest, Buffer.from(text)]);
    this.#lines = [];
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
      this.#waiting = 0;
      this.#isReported = false;
    } catch (error) {
      this.#tell(error, `${bytes.length - written} bytes`);
      if (this.#isTakenBack(written)) written = 0;
    }
    this.#rest = bytes.subarray(written);
    this.#isDirty ||= written > 0;
  }

  /** The bytes that are not in the file, and the length of the file; undefined if all is written. */
  get unwritten(): Unwritten | undefined {
    if (this.#waiting === 0) return undefined;
    return { bytes: this.#rest, offset: fstatSync(this.#descriptor).size };
  }

  /** Takes ownership of the descriptor of another new file, which is synced with this one. */
  syncWith(descriptor: number): void {
    this.#alsoSync.push(descriptor);
    this.#isDirty = true;
  }

  /** Resolves once everything that was written is on disk, or a failure was reported. */
  async sync(): Promise<void> {
    while (this.#isDirty || this.#syncing) {
      this.#syncing ??= this.#syncOnce().finally(() => {
        this.#syncing = undefined;
      });
      await this.#syncing;
    }
  }

  async close(): Promise<void> {
    this.write();
    await this.sync();
    closeSync(this.#descriptor);
  }

  async #syncOnce(): Promise<void> {
    this.#isDirty = false;
    const others = this.#alsoSync;
    this.#alsoSync = [];
    try {
      for (const descriptor of others) await dataSync(descriptor);
      await dataSync(this.#descriptor);
      if (this.#isNew) await syncFolder(dirname(this.path));
      this.#isNew = false;
    } catch (error) {
      this.#tell(error, 'some bytes');
    } finally {
      for (const descriptor of others) closeSync(descriptor);
    }
  }

  /** Truncates a partly written line, so that another process can append the missing lines. */
  #isTakenBack(written: number): boolean {
    if (written === 0) return true;
    try {
      ftruncateSync(this.#descriptor, fstatSync(this.#descriptor).size - written);
      return true;
    } catch {
      return false; // the remaining bytes begin in the middle of a line
    }
  }

  #endsWithBreak(size: number): boolean {
    const last = Buffer.alloc(1);
    readSync(this.#descriptor, last, 0, 1, size - 1);
    return last[0] === 0x0a;
  }

  /** Reported once until a write succeeds: a full disk is one problem, however many lines are affected. */
  #tell(error: unknown, needed: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    void asWriteFailure(error, this.path, 'written', needed).then((reason) => {
      const why = messageOf(reason);
      this.#onProblem(why, 'unwritable');
    });
  }
}

/** Syncs the folder, so that the entry of a new file is on disk. Some file systems don't support or need this. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
