// The file of one session on disk. As long as the data folder can't be written, records wait in memory, the person is
// informed once, and every later write tries again.

import { statSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { makePrivateFolder } from '../../platform/files/private-files.js';
import { unwritableNotice } from '../../platform/files/spare-folder.js';
import { asWriteFailure } from '../../platform/files/write-failure.js';
import { type ProcessIdentity, thisProcess } from '../../platform/journal/process-identity.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import { AppendLog, MAX_WAITING_BYTES, type ReportProblem } from './append-log.js';
import { keepLarge, lineOf } from './large-values.js';
import { type SessionFolder, sessionsFolder } from './session-folder.js';
import { lockSession, type SessionLock } from './session-lock.js';
import { SessionProblem } from './session-problem.js';
import type { SessionHeader, SessionRecord } from './session-record.js';
import { SpareTail } from './spare-tail.js';

export interface SessionFileOptions {
  dataFolder: string;
  folder: SessionFolder;
  /** Returns the first line; called when the file is created. */
  header(): SessionHeader;
  /** For a resumed session: its file exists, and this process holds its lock. */
  lock?: SessionLock | undefined;
  report: ReportProblem;
}

export class SessionFile {
  readonly #options: SessionFileOptions;
  /** Records from before the file was open. */
  #early: SessionRecord[] = [];
  #earlyBytes = 0;
  #opening: Promise<void> | undefined;
  #log: AppendLog | undefined;
  #lock: SessionLock | undefined;
  #hasHeader: boolean;
  #isStopped = false;
  #isReported = false;
  #lost = 0;
  readonly #tail: SpareTail;
  #owner: ProcessIdentity | undefined;
  /** How many early records are in the spare folder. */
  #keptEarly = 0;
  #whyNotKept: string | undefined;
  #isWriteDue = false;
  #settled: Promise<void> = Promise.resolve();

  constructor(options: SessionFileOptions) {
    this.#options = options;
    this.#lock = options.lock;
    this.#hasHeader = options.lock !== undefined;
    this.#tail = new SpareTail(options.dataFolder, options.folder.path);
  }

  /** The number of records that are not in the file. */
  get lost(): number {
    return this.#lost + this.#early.length + (this.#log?.lost ?? 0);
  }

  /** Takes the lock and opens the file. Never rejects. */
  async open(): Promise<void> {
    this.#opening ??= this.#open();
    await this.#opening;
  }

  /** Creates the file of a new session with its first line, before there is a record. */
  async announce(): Promise<void> {
    await this.open();
    if (this.#isStopped || !this.#lock || this.#log) return;
    try {
      this.#log = this.#begun();
      this.#log.write();
    } catch (error) {
      await this.#unwritable(error);
    }
  }

  add(record: SessionRecord): void {
    if (this.#isStopped) this.#lost += 1;
    else if (this.#log) {
      const line = this.#line(record);
      if (line !== undefined) this.#log.add(line);
    } else if (this.#isReported && !this.#hasRoomFor(record)) this.#lost += 1;
    else this.#early.push(record);
  }

  /** Writes all pending records synchronously, unless the disk can't be written. */
  write(): void {
    if (this.#isStopped || (!this.#log && this.#early.length === 0)) return;
    if (!this.#lock) {
      if (!this.#isReported) return;
      this.#keepInSpare();
      void this.#openAgain();
      return;
    }
    try {
      this.#log ??= this.#begun();
    } catch (error) {
      void this.#unwritable(error);
      return;
    }
    const early = this.#early;
    this.#early = [];
    this.#earlyBytes = 0;
    for (const record of early) this.add(record);
    this.#log.write();
    this.#isReported = false;
    this.#keepInSpare();
  }

  /** Writes a moment later, so that the result of a run that ends with this turn is in the same write, and syncs. */
  flushSoon(): void {
    if (this.#isWriteDue) return;
    this.#isWriteDue = true;
    queueMicrotask(() => {
      this.#isWriteDue = false;
      this.write();
      this.#settled = this.#settled.then(() => this.#settle());
    });
  }

  /** Resolves once the added records are on disk, or a failure was reported. */
  async flushed(): Promise<void> {
    await this.#opening;
    this.write();
    await this.#opening;
    await this.#settled;
    await this.#log?.sync();
  }

  async close(): Promise<void> {
    await this.flushed();
    this.#releaseSpare();
    await this.#log?.close();
    await this.#lock?.release();
    this.#isStopped = true;
    if (!this.#hasHeader) await rmdir(this.#options.folder.path).catch(() => {}); // there was no prompt, so nothing is kept
  }

  /** Records that can't be written to the data folder are written to the spare folder at once, so that a kill loses nothing. */
  #keepInSpare(): void {
    if (this.#isStopped || !this.#owner) return;
    try {
      if (!this.#log) this.#keepEarly(this.#owner);
      else if (this.#log.unwritten) this.#tail.keep(this.#log.unwritten, this.#owner);
      else this.#tail.drop();
      this.#whyNotKept = undefined;
    } catch (error) {
      this.#whyNotKept = messageOf(error); // retried with the next record
    }
  }

  #keepEarly(owner: ProcessIdentity): void {
    const { folder, header } = this.#options;
    const isFirst = this.#keptEarly === 0 && !this.#hasHeader;
    const more = this.#early.slice(this.#keptEarly).flatMap((record) => this.#line(record) ?? []);
    const lines = isFirst && more.length > 0 ? [JSON.stringify(header()), ...more] : more;
    const offset = statSync(folder.file, { throwIfNoEntry: false })?.size ?? 0;
    this.#tail.add({ bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), offset }, owner);
    this.#keptEarly = this.#early.length;
  }

  #releaseSpare(): void {
    this.#keepInSpare();
    if (this.#whyNotKept !== undefined && this.lost > 0) {
      this.#options.report(
        `The end of the session ${this.#options.folder.id} is lost: it could be written neither to the data folder nor to the temporary folder. ${this.#whyNotKept}`,
      );
    }
    this.#tail.release();
  }

  async #open(): Promise<void> {
    const { dataFolder, folder } = this.#options;
    this.#owner ??= await thisProcess();
    try {
      makePrivateFolder(sessionsFolder(dataFolder));
      makePrivateFolder(folder.path);
      this.#lock ??= await lockSession(folder);
      // The file of a new session is created with its first prompt; the folder exists for the lock.
      if (this.#hasHeader) this.#log ??= new AppendLog(folder.file, this.#report);
      this.write();
    } catch (error) {
      await this.#unwritable(error);
    }
  }

  #openAgain(): Promise<void> {
    const again = async (): Promise<void> => {
      await this.#opening;
      if (!this.#lock && !this.#isStopped) await this.#open();
    };
    this.#opening = again();
    return this.#opening;
  }

  #hasRoomFor(record: SessionRecord): boolean {
    this.#earlyBytes += sizeOf(record);
    return this.#earlyBytes <= MAX_WAITING_BYTES;
  }

  /** The file of a new session, with its first line. */
  #begun(): AppendLog {
    const log = new AppendLog(this.#options.folder.file, this.#report);
    if (!this.#hasHeader && log.isNew) log.add(JSON.stringify(this.#options.header())); // not new: it was announced before
    this.#hasHeader = true;
    this.#tail.drop(); // the log has all records now, and keeps those that it can't write
    this.#keptEarly = 0;
    return log;
  }

  #line(record: SessionRecord): string | undefined {
    try {
      return lineOf(record, (text) => this.#keep(text));
    } catch (error) {
      this.#lost += 1;
      const why = messageOf(error);
      this.#options.report(
        `A part of the session (${record.type}) can't be written as JSON: ${clause(why)}. It will be missing when the session is resumed.`,
      );
      return undefined;
    }
  }

  #keep(text: string): string | undefined {
    try {
      const { hash, descriptor } = keepLarge(this.#options.folder.results, text);
      if (descriptor !== undefined) this.#log?.syncWith(descriptor);
      return hash;
    } catch {
      return undefined; // stays in its line, which is retried if the disk is full
    }
  }

  async #settle(): Promise<void> {
    await this.#log?.sync();
    if (this.#isStopped || !this.#lock || (await this.#lock.isOurs().catch(() => true))) return;
    this.#isStopped = true;
    this.#options.report(
      `The session ${this.#options.folder.id} was removed, or another process has taken it over. The conversation goes on, but nothing more of it is saved.`,
    );
  }

  /** Adds advice if the data folder is the reason. */
  readonly #report: ReportProblem = (text, kind) => {
    const { dataFolder, folder, report } = this.#options;
    const [sessionId = ''] = relative(sessionsFolder(dataFolder), folder.path).split(sep); // that of the root session for a child agent
    report(kind === 'unwritable' ? unwritableNotice({ dataFolder, sessionId }, text) : text, kind);
  };

  async #unwritable(error: unknown): Promise<void> {
    if (this.#isReported) return;
    this.#isReported = true;
    const isFinal = error instanceof SessionProblem; // another process uses the session
    if (isFinal) {
      this.#isStopped = true;
      this.#lost += this.#early.length;
      this.#early = [];
    }
    const reason = await asWriteFailure(error, this.#options.folder.file, 'made');
    const why = messageOf(reason);
    if (!isFinal) this.#keepInSpare();
    if (isFinal)
      this.#options.report(`The conversation goes on, but it is not saved, so it can't be resumed later. ${why}`);
    else this.#report(why, 'unwritable');
  }
}

/** The approximate size of the record; one that can't be serialized is reported when it is written. */
function sizeOf(record: SessionRecord): number {
  try {
    return JSON.stringify(record).length;
  } catch {
    return 0;
  }
}
