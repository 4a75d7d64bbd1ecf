import { accessSync, constants, lstatSync, renameSync, type Stats } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type FileChange, StaleFile } from '../../contract/file-change.js';
import { codeOf } from '../error-code.js';
import { discard, type Owner, overwrite, publishNew, stage } from '../files/atomic-write.js';
import { type AttributeFreeFiles, changeStamp } from '../files/attribute-free-files.js';
import type { CopyAttributes, CopyTo } from '../files/copy-attributes.js';
import {
  type DeferredFsync,
  type FsyncStrategy,
  immediateFsync,
  ordersDataBeforeRename,
} from '../files/deferred-fsync.js';
import { type Folder, fsyncFolder, makeFolder, missingFolders, openFolder } from '../files/folder.js';
import { isInside } from '../files/paths.js';
import { type CurrentFile, readCurrent } from '../files/read-current.js';
import { asWriteFailure, WriteFailure } from '../files/write-failure.js';
import { messageOf } from '../message-of.js';
import { type JournalFolders, makeJournal, recordChange, saveBeforeImage } from './journal.js';
import { asSentence, JournalUnwritable, journalError } from './journal-unwritable.js';
import { acquireLocks, closeRecord, lockName, type OpenChange, takeOver, writeRecord } from './lock.js';
import { finishChange, nothingFound, rollBack } from './recover-changes.js';
import { type ChangePlan, temporaryName, writePlan } from './recovery-plan.js';
import { areCommandsRunning } from './running-commands.js';

const MAX_HELD_MS = 5 * 60_000; // half of the time after which other machines consider this process dead

/** State that one change keeps for the next. */
export interface ChangeTools {
  plain: AttributeFreeFiles;
  copy: CopyAttributes;
  behind: DeferredFsync;
}

const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

/** The lock keys of a change: the path, and the inode if the file has other hard links. */
export function lockKeys(changes: readonly FileChange[]): string[] {
  const keys = changes.flatMap(({ real }) => {
    const name = `name:${foldsCase ? real.normalize('NFC').toLowerCase() : real}`;
    const stats = statsOf(real);
    return stats && stats.nlink > 1 ? [name, fileKey(stats)] : [name];
  });
  return [...new Set(keys)];
}

/** Undefined if there is no file; other kinds of entries are detected when they are opened. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

const fileKey = ({ dev, ino }: Stats): string => `file:${dev}:${ino}`;

const newOwner = (mode: number | undefined): Owner | undefined => (mode === undefined ? undefined : { mode });

interface Step {
  index: number;
  change: FileChange;
  /** The existing file; undefined if there is none. */
  found: CurrentFile | undefined;
  inPlace: boolean;
  temporary: string;
  /** The file whose owner and mode the new content gets, instead of the defaults for a new file. */
  owner: Owner | undefined;
  /** Whether the new content has been given extended attributes. */
  attributes?: 'none' | 'copied';
}

/** One attempt at a change, from acquiring the locks to releasing them. */
export class ChangeAttempt {
  readonly #folders: JournalFolders;
  readonly #changes: readonly FileChange[];
  readonly #record: OpenChange;
  readonly #tools: ChangeTools;
  readonly #held: string[] = [];
  readonly #opened = new Map<string, Folder>();
  /** Requested early, keyed by the file's state at that time. */
  readonly #copies = new Map<string, CopyTo>();
  readonly #staged = new Set<Step>();
  readonly #begun = new Set<number>();
  #plan: ChangePlan = { files: [] };
  #toDisk: FsyncStrategy = immediateFsync;

  constructor(folders: JournalFolders, tools: ChangeTools, changes: readonly FileChange[], record: OpenChange) {
    this.#folders = folders;
    this.#tools = tools;
    this.#changes = changes;
    this.#record = record;
  }

  async run(lockWaitMs: number): Promise<'done' | 'look again'> {
    try {
      this.#lookAhead();
      await this.#lock(lockWaitMs);
      const steps = await this.#check();
      // The file got another hard link after the locks were chosen, so one more lock is needed.
      if (steps.some(({ inPlace, found }) => inPlace && found && !this.#holds(fileKey(found.stats))))
        return 'look again';
      await this.#change(steps);
      return 'done';
    } finally {
      for (const folder of this.#opened.values()) folder.close();
      // A record that can't be removed is recovered by the next start. The outcome of the change is what the caller needs.
      await closeRecord(this.#folders, this.#record, this.#held).catch(() => {});
    }
  }

  /** Queries the file's attributes early: the other program takes about as long for this as the rest of the change. */
  #lookAhead(): void {
    for (const { real, before, after } of this.#changes) {
      const stats = before && after ? statsOf(real) : undefined;
      if (!stats?.isFile() || this.#tools.plain.has(real, stats)) continue;
      try {
        this.#copies.set(changeStamp(stats), this.#tools.copy(this.#folder(dirname(real)).anchor, basename(real)));
      } catch {
        // the error is reported when the file is opened for the change
      }
    }
  }

  #holds(key: string): boolean {
    return this.#record.locks.includes(lockName(key));
  }

  async #lock(waitMs: number): Promise<void> {
    const durable = this.#changes.length > 1 || this.#record.locks.length > 1;
    const write = (): Promise<void> => writeRecord(this.#folders, this.#record, { durable });
    await this.#inJournal(async () => {
      await write().catch(async (error) => {
        if (codeOf(error) !== 'ENOENT') throw error;
        await makeJournal(this.#folders); // the folder was removed while this process was running
        await write();
      });
    });
    await this.#inJournal(() =>
      acquireLocks(this.#folders, this.#record, this.#held, {
        waitMs,
        takeOver: (ended) =>
          takeOver(this.#folders, ended, this.#record, (change) => finishChange(this.#folders, change, nothingFound())),
      }),
    );
  }

  /** Checks that every file is as its change expects it, and is writable. */
  async #check(): Promise<Step[]> {
    return await Promise.all(
      this.#changes.map(async (change, index) => {
        const { real, before, after, like, mode } = change;
        try {
          const found = await readCurrent(real);
          if ((found?.hash ?? null) !== before) throw new StaleFile(real);
          if (found && after) accessSync(real, constants.W_OK); // a rename would replace a file that we may not write
          return {
            index,
            change,
            found,
            inPlace: found !== undefined && after !== null && found.stats.nlink > 1,
            temporary: temporaryName(this.#record.token, index),
            owner: found?.stats ?? (like === undefined ? newOwner(mode) : await stat(like)),
          };
        } catch (error) {
          throw await asWriteFailure(error, real, after ? 'written' : 'removed', needed(change));
        }
      }),
    );
  }

  async #change(steps: readonly Step[]): Promise<void> {
    const plan = await planFor(steps);
    this.#plan = plan;
    const alone = steps.length === 1 && plan.files.every(({ inPlace, folders }) => !inPlace && folders.length === 0);
    try {
      // No fsync is awaited if the change is a single rename on a file system that orders data before the rename.
      const [only] = alone ? steps : [];
      if (only?.found && only.change.after && ordersDataBeforeRename(dirname(only.change.real)))
        this.#toDisk = this.#tools.behind.of(only.change.real);
      // Written before anything is created, so that the recovery after a crash can roll everything back.
      if (!alone) await this.#inJournal(() => writePlan(this.#folders, this.#record.token, plan));
      await all(steps.flatMap((step) => [this.#keep(step), this.#canStage(step) ? this.#stage(step) : undefined]));
      this.#assertInTime();
      for (const step of steps) await this.#make(step);
      await all([this.#list(steps), ...[...this.#opened.values()].map((folder) => fsyncFolder(folder, this.#toDisk))]);
    } catch (error) {
      throw await this.#giveUp(error);
    }
  }

  #assertInTime(): void {
    if (Date.now() - Date.parse(this.#record.at) < MAX_HELD_MS) return;
    const names = this.#changes.map(({ real }) => real).join(', ');
    throw new WriteFailure(
      'ETIMEDOUT',
      `${names} was not changed: it took more than ${MAX_HELD_MS / 60_000} minutes to prepare, as when the machine sleeps. Try again.`,
    );
  }

  /**
   * Keeps the file's content; for a write in place also the new content, so that recovery can recognise a partial
   * write. While a command runs, the new content is kept as well: the command may remove it before it is scanned.
   */
  async #keep({ found, inPlace, change, index }: Step): Promise<void> {
    const { before, after } = this.#record.files[index] ?? {};
    await this.#inJournal(async () => {
      if (found && before) await saveBeforeImage(this.#folders, found.bytes, before, this.#toDisk);
      if (inPlace && change.after && after) await saveBeforeImage(this.#folders, change.after, after);
    });
    if (inPlace || !change.after || !after || !areCommandsRunning(this.#folders)) return;
    await saveBeforeImage(this.#folders, change.after, after, this.#toDisk).catch(() => {}); // undo of the command says that it is missing
  }

  /** A file can replace a folder of the same name only once that folder is gone. */
  #canStage({ change }: Step): boolean {
    return !this.#changes.some(({ real, after }) => after === null && isInside(real, dirname(change.real)));
  }

  async #stage(step: Step): Promise<void> {
    const { change, inPlace, temporary, owner, index } = step;
    const { real, after } = change;
    try {
      if (this.#plan.files[index]?.folders.length) await makeFolder(dirname(real));
      const folder = this.#folder(dirname(real));
      if (after === null || inPlace || this.#isSame(step)) return;
      this.#staged.add(step);
      const like = owner && { owner, copy: this.#copyFor(folder, step) };
      step.attributes = await stage(folder, temporary, after, like, this.#toDisk);
    } catch (error) {
      throw new Unexplained(error, change);
    }
  }

  #copyFor({ anchor }: Folder, { change: { real, like }, found }: Step): CopyTo | undefined {
    if (found && this.#tools.plain.has(real, found.stats)) return undefined;
    const early = found && this.#copies.get(changeStamp(found.stats)); // unusable if the file has been given attributes since
    const from = found ? basename(real) : like;
    return early ?? (from === undefined ? undefined : this.#tools.copy(anchor, from));
  }

  #folder(real: string): Folder {
    const opened = this.#opened.get(real) ?? openFolder(real);
    this.#opened.set(real, opened);
    return opened;
  }

  #isSame({ index }: Step): boolean {
    const file = this.#record.files[index];
    return file !== undefined && file.before === file.after;
  }

  async #make(step: Step): Promise<void> {
    const { change, found, inPlace, temporary, index } = step;
    const { real, after } = change;
    if (this.#isSame(step)) return;
    if (!this.#canStage(step)) await this.#stage(step);
    try {
      const folder = this.#folder(dirname(real));
      const name = basename(real);
      if (found) assertUnchanged(folder, real, found.stats);
      if (inPlace && found && after) {
        this.#begun.add(index); // a partial write must be rolled back too
        await overwrite(folder, name, after, found.stats);
      } else if (after === null) await unlink(folder.at(name));
      else if (found) renameSync(folder.at(temporary), folder.at(name));
      else await publishNew(folder, temporary, name);
    } catch (error) {
      if (!found && codeOf(error) === 'EEXIST') throw new StaleFile(real);
      throw new Unexplained(error, change);
    }
    this.#begun.add(index);
    this.#staged.delete(step);
    if (step.attributes === 'none') this.#remember(step);
  }

  #remember({ change }: Step): void {
    const folder = this.#folder(dirname(change.real));
    const stats = statsOf(folder.at(basename(change.real))); // other processes may be changing it now
    if (stats) this.#tools.plain.add(change.real, stats);
  }

  async #list(steps: readonly Step[]): Promise<void> {
    const { token, callId, at, sessionId, files } = this.#record;
    const recorded = files.map((file, index) => {
      const { mode, uid, gid } = steps[index]?.owner ?? {};
      const { folders = [] } = this.#plan.files[index] ?? {};
      return {
        ...file,
        ...(mode !== undefined && { mode: mode & 0o7777 }),
        ...(uid !== undefined && { uid, gid }),
        ...(folders.length > 0 && { folders }), // so that they are removed with it on undo
      };
    });
    const change = { change: token, callId, at, files: recorded };
    await this.#inJournal(() => recordChange(this.#folders, sessionId, change, this.#toDisk));
  }

  async #inJournal(work: () => Promise<void>): Promise<void> {
    await work().catch(async (error) => {
      throw await journalError(error, this.#folders.top);
    });
  }

  /** Rolls back completed steps, and says how that went. */
  async #giveUp(thrown: unknown): Promise<unknown> {
    for (const { change, temporary } of this.#staged) await discard(this.#folder(dirname(change.real)), temporary);
    const error = thrown instanceof Unexplained ? await thrown.explained() : thrown;
    const report = nothingFound();
    await rollBack(this.#folders, this.#record, this.#plan, report, (index) => this.#begun.has(index));
    const isPassedOn = error instanceof StaleFile || error instanceof JournalUnwritable || this.#begun.size === 0;
    if (report.left.length === 0 && isPassedOn) return error;
    const message = messageOf(error);
    return new WriteFailure(codeOf(error) ?? 'EIO', `${asSentence(message)} ${outcome(report.left)}`, { cause: error });
  }
}

/**
 * A system error that is put into words only after our own temporary files, which need space too, have been removed.
 */
class Unexplained extends Error {
  readonly #change: FileChange;

  constructor(cause: unknown, change: FileChange) {
    super('not explained yet', { cause });
    this.#change = change;
  }

  async explained(): Promise<unknown> {
    const { real, after } = this.#change;
    return await asWriteFailure(this.cause, real, after ? 'written' : 'removed', needed(this.#change));
  }
}

const outcome = (left: ReadonlyArray<{ real: string; why: string; image: string | undefined }>): string => {
  if (left.length === 0) return 'What had been changed before was put back, so all files are as they were.';
  const shown = left.map(({ real, why, image }) => `${real} (${why}${image ? `; what it held is in ${image}` : ''})`);
  return `What had been changed before was put back, but for ${shown.join(', ')}. Look at what is there now before you go on.`;
};

const needed = ({ after }: FileChange): string => (after ? `${after.length} bytes` : 'some bytes');

async function planFor(steps: readonly Step[]): Promise<ChangePlan> {
  const removed = steps.filter(({ change }) => change.after === null).map(({ change }) => change.real);
  const isAboutToGo = (path: string): boolean => removed.includes(path);
  const files = steps.map(async ({ change, found, inPlace }) => ({
    owner: found ? { mode: found.stats.mode & 0o7777, uid: found.stats.uid, gid: found.stats.gid } : null,
    inPlace,
    folders: change.after && !found ? await missingFolders(dirname(change.real), isAboutToGo) : [],
  }));
  return { files: await Promise.all(files) };
}

/**
 * The last check before the file is changed: a program that does not use our locks may have written it since it was
 * read.
 */
function assertUnchanged(folder: Folder, real: string, expected: Stats): void {
  const { dev, ino, size, mtimeMs } = lstatSync(folder.at(basename(real)));
  const same = dev === expected.dev && ino === expected.ino && size === expected.size && mtimeMs === expected.mtimeMs;
  if (!same) throw new StaleFile(real);
}

/** Waits for all, then rejects if one has: unfinished work can't be cleaned up. */
async function all(work: ReadonlyArray<Promise<void> | undefined>): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
