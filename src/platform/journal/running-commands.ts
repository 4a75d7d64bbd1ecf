// Sessions in one project share their running commands, and the changes that they make while a command runs:
//
//   journal/commands/<session>.<id>.jsonl    exists while commands of a session run: its owner, the start and end of its
//                                            own commands and of those of other sessions, and every journaled change
//   journal/commands/<session>.<id>.writers.jsonl
//                                            the same for hooks, in-process tools and left-over processes, whose
//                                            changes are not detected; other sessions append nothing to it
//
// Each session with a running command has one such file. A command is appended to the file of its own session first,
// then to all others, and only then are the others read: of two commands that start at once, each sees the other. A
// change is appended to all files before its record in `journal/open` is removed. If Helve is killed, the file stays
// for the recovery, and other sessions keep appending to it. Until then its commands count as running, because they
// may have outlived Helve.
import { appendFileSync, closeSync, constants, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { randomHex } from '../crypto.js';
import { namesIn } from '../files/lenient-reads.js';
import { ownRecords } from '../own-records.js';
import { type DeclaredWrites, declaredWrites } from './declared-writes.js';
import type { JournalFolders } from './journal.js';
import { isRunning, type ProcessIdentity, thisProcess } from './process-identity.js';
import { type RecordedChange, recordedChange } from './recorded-change.js';

const WRITERS = '.writers.jsonl';

const runningCommand = z.object({
  id: z.string(),
  sessionId: z.string(),
  callId: z.string(),
  writes: declaredWrites,
  /** The start time of a command that creates new files only: no other data is kept for its recovery. */
  newFilesSince: z.string().optional(),
  /** The name of a writer that is not a command, such as a hook. Its changes are not detected, so it claims none. */
  writer: z.string().optional(),
});

/** A running command, or another writer, in any session. */
export type RunningCommand = z.output<typeof runningCommand>;

const owner = z.object({
  pid: z.number(),
  started: z.number(),
  boot: z.string(),
  space: z.string(),
  host: z.string(),
});

const line = z.union([
  z.object({ owner, at: z.number() }),
  z.object({ own: runningCommand }),
  z.object({ other: runningCommand }),
  z.object({ ended: z.string() }),
  z.object({ change: recordedChange }),
]);

type Line = z.output<typeof line>;

/** The updates since the last read. */
export interface CommandUpdates {
  /** In the order in which they were made. */
  changes: RecordedChange[];
  /** Commands of other files that ran at any time since then. */
  beside: ConcurrentCommand[];
}

export type ConcurrentCommand = RunningCommand & { hasEnded: boolean };

/** The commands of one session, as other sessions see them. */
export class RunningCommands {
  readonly #folders: JournalFolders;
  readonly #sessionId: string;
  /** Whether its commands' changes are detected, so that it needs updates from other sessions. */
  readonly #looks: boolean;
  readonly #own = new Map<string, string>();
  readonly #others = new Map<string, RunningCommand>();
  readonly #ended = new Set<string>();
  #owner: ProcessIdentity | undefined;
  #file: string | undefined;
  /** The byte offset up to which the file has been read. */
  #read = 0;

  constructor(folders: JournalFolders, sessionId: string, { looks = true }: { looks?: boolean } = {}) {
    this.#folders = folders;
    this.#sessionId = sessionId;
    this.#looks = looks;
  }

  /** Call it before the command starts, and before the workspace is scanned for it. */
  async begin(
    callId: string,
    writes: DeclaredWrites,
    about: Pick<RunningCommand, 'newFilesSince' | 'writer'> = {},
  ): Promise<void> {
    this.#owner ??= await thisProcess();
    const owner = this.#owner;
    const command = { id: randomHex(6), sessionId: this.#sessionId, callId, writes, ...about };
    const text = textOf({ own: command });
    const own = this.#file ?? `${this.#sessionId}.${randomHex(6)}${this.#looks ? '.jsonl' : WRITERS}`;
    if (this.#file === undefined) {
      const begun = Buffer.from(textOf({ owner, at: Date.now() }) + text);
      appendFileSync(this.#path(own), begun, { flag: 'ax', mode: 0o600 });
      this.#file = own;
      ownRecords().add(this.#path(own));
      this.#read = begun.length;
    } else {
      append(this.#path(own), text);
    }
    this.#own.set(callId, command.id);
    for (const file of this.#otherFiles()) {
      if (hears(file)) append(this.#path(file), textOf({ other: command }));
      if (!this.#looks) continue;
      // Also written to the file, for the recovery.
      for (const other of unfinishedCommands(linesIn(contentOf(this.#path(file)), isAboutOwn))) {
        append(this.#path(own), textOf({ other }));
      }
    }
  }

  /** Call it when the command has ended and its changes are recorded. */
  end(callId: string): void {
    const id = this.#own.get(callId);
    if (id === undefined || this.#file === undefined) return;
    this.#own.delete(callId);
    for (const file of this.#otherFiles().filter(hears)) append(this.#path(file), textOf({ ended: id }));
    if (this.#own.size > 0) {
      append(this.#path(this.#file), textOf({ ended: id }));
      return;
    }
    rmSync(this.#path(this.#file), { force: true });
    ownRecords().delete(this.#path(this.#file));
    this.#file = undefined;
    this.#others.clear();
    this.#ended.clear();
  }

  /** The name of the file, while commands run. */
  get file(): string | undefined {
    return this.#file;
  }

  /** Resumes from the file of a killed process; each of its commands must be ended. */
  takeOver(file: string): void {
    this.#file = file;
    for (const one of linesIn(contentOf(this.#path(file)))) if ('own' in one) this.#own.set(one.own.callId, one.own.id);
  }

  endAll(): void {
    for (const callId of [...this.#own.keys()]) this.end(callId);
  }

  /** Reads the entries added since the last read. A command that has ended is reported once more. */
  read(): CommandUpdates {
    for (const id of this.#ended) this.#others.delete(id);
    this.#ended.clear();
    if (this.#file === undefined) return { changes: [], beside: [] };
    const changes: RecordedChange[] = [];
    for (const news of this.#unread(this.#path(this.#file))) {
      if ('other' in news) this.#others.set(news.other.id, news.other);
      if ('ended' in news) this.#ended.add(news.ended);
      if ('change' in news) changes.push(news.change);
    }
    return {
      changes,
      beside: [...this.#others.values()].map((one) => ({ ...one, hasEnded: this.#ended.has(one.id) })),
    };
  }

  #unread(path: string): Line[] {
    if (statSync(path, { throwIfNoEntry: false })?.size === this.#read) return [];
    const bytes = contentOf(path);
    const lines = linesIn(bytes.subarray(this.#read));
    this.#read = bytes.lastIndexOf('\n') + 1;
    return lines;
  }

  #path(file: string): string {
    return join(this.#folders.commands, file);
  }

  #otherFiles(): string[] {
    return namesIn(this.#folders.commands).filter((file) => file !== this.#file);
  }
}

/** Whether commands of any session are running whose changes are detected. */
export const areCommandsRunning = (folders: JournalFolders): boolean => namesIn(folders.commands).some(hears);

/** Appends a change to the files of all sessions with running commands. */
export function notifyRunningCommands(folders: JournalFolders, change: RecordedChange): void {
  const files = namesIn(folders.commands).filter(hears);
  if (files.length === 0) return;
  const text = textOf({ change });
  for (const file of files) append(join(folders.commands, file), text);
}

/** The calls of a session, or of all sessions, whose commands are running, as far as known. */
export function runningCalls(folders: JournalFolders, sessionId: string | undefined): string[] {
  const running = namesIn(folders.commands).flatMap((file) =>
    unfinishedCommands(linesIn(contentOf(join(folders.commands, file)), isAboutOwn)),
  );
  const calls = running.filter(
    (one) => (sessionId === undefined || one.sessionId === sessionId) && one.writer === undefined,
  );
  return [...new Set(calls.map(({ callId }) => callId))];
}

/** Removes the files of dead processes. `recover` gets the commands that were running in them. */
export async function removeEndedCommands(
  folders: JournalFolders,
  recover: (file: string, commands: readonly RunningCommand[]) => Promise<void>,
): Promise<void> {
  const us = await thisProcess();
  for (const file of namesIn(folders.commands)) {
    const path = join(folders.commands, file);
    const lines = linesIn(contentOf(path));
    if (await isOwned(lines, us)) continue;
    await recover(file, unfinishedCommands(lines));
    rmSync(path, { force: true });
  }
}

async function isOwned(lines: readonly Line[], us: ProcessIdentity): Promise<boolean> {
  const first = lines.find((one) => 'owner' in one);
  return first === undefined || (await isRunning(first.owner, first.at, us)); // without a first line the file is being created
}

/** The commands of the file's own session that have not ended. */
function unfinishedCommands(lines: readonly Line[]): RunningCommand[] {
  const running = new Map<string, RunningCommand>();
  for (const one of lines) {
    if ('own' in one) running.set(one.own.id, one.own);
    if ('ended' in one) running.delete(one.ended);
  }
  return [...running.values()];
}

/** Whether the file's session wants updates from others. */
const hears = (file: string): boolean => !file.endsWith(WRITERS);

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0); // its commands have ended
  }
}

/** The leading newline ends a line that was truncated. */
const textOf = (news: Line): string => `\n${JSON.stringify(news)}\n`;

/** A single write, so that lines of several processes don't interleave. A removed file is not created again. */
function append(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return; // its commands have ended
  }
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** With many other sessions, most lines of a file are about those. */
const isAboutOwn = (text: string): boolean => /^\{"(?:owner|own|ended)":/.test(text);

function linesIn(bytes: Buffer, isWanted = (_text: string): boolean => true): Line[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((text) => {
      if (text === '' || !isWanted(text)) return [];
      try {
        return [line.parse(JSON.parse(text))];
      } catch {
        return []; // truncated
      }
    });
}
