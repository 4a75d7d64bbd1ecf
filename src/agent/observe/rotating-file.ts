import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder, openFlags } from '../../platform/files/private-files.js';
import { messageOf } from '../../platform/message-of.js';

const MAX_BYTES = 5 * 1024 * 1024;
const KEPT_BEFORE = 2; // full files in addition to the current one

export interface RotatingFileOptions {
  path: string;
  /** Creates the folder of the file if necessary, and keeps only the newest logs in it. */
  ownFolder?: { keptFiles: number };
  maxBytes?: number;
  /** Called with one sentence for the person, the first time that something can't be written. */
  onProblem: (sentence: string) => void;
}

/**
 * A file to which lines are appended synchronously, so that none is lost in a crash. A full file is renamed to
 * FILE.1, the previous one to FILE.2, and the oldest is removed. Lines that can't be written are lost, which is reported once.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #size = 0;
  /** Pipes and devices are never rotated. */
  #isFile = true;
  #isReported = false;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
  }

  add(text: string): void {
    try {
      const bytes = Buffer.from(text);
      if (this.#isFile && this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
      const descriptor = this.#opened();
      for (let written = 0; written < bytes.length; ) {
        const count = writeSync(descriptor, bytes, written);
        written += count;
        this.#size += count;
      }
    } catch (error) {
      if (this.#isReported) return;
      this.#isReported = true;
      const why = messageOf(error);
      this.#options.onProblem(
        `The debug log ${this.#options.path} can't be written (${why}). The work continues without it.`,
      );
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #opened(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const { path, ownFolder } = this.#options;
    if (ownFolder) {
      makePrivateFolder(dirname(path));
      removeOldest(dirname(path), basename(path), ownFolder.keptFiles);
    }
    // Opening a pipe without a reader would wait for one; with these flags it fails.
    const probe = ownFolder ? undefined : openSync(path, openFlags.probe, 0o600);
    this.#descriptor = openSync(path, ownFolder ? openFlags.append : 'a', 0o600);
    if (probe !== undefined) closeSync(probe); // closed last, since the reader of a pipe ends when no writer has it open
    const stats = fstatSync(this.#descriptor);
    this.#size = stats.size;
    this.#isFile = stats.isFile();
    return this.#descriptor;
  }

  #rotate(): void {
    const { path } = this.#options;
    this.close();
    for (let number = KEPT_BEFORE; number > 0; number -= 1) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`);
    }
    this.#size = 0;
  }
}

/** Removes logs of other sessions until there is room for one more. */
function removeOldest(folder: string, own: string, kept: number): void {
  const others = readdirSync(folder)
    .filter((name) => /\.log(?:\.\d+)?$/.test(name) && !name.startsWith(own))
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs }))
    .toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0));
  for (const { path } of others.slice(kept - 1)) rmSync(path, { force: true });
}
