import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EndedCommand } from '../../contract/background.js';
import type { PermissionMode } from '../../contract/permission.js';
import { randomId } from '../../platform/crypto.js';
import { makePrivateFolder, openFlags } from '../../platform/files/private-files.js';
import { listChanges } from '../../platform/journal/journal.js';
import { endedCommands, endedReminder } from './ended-commands.js';
import { taskReminder } from './open-tasks.js';
import { readSession } from './read-session.js';
import { restoreSession } from './restore-session.js';
import type { RestoredSession } from './restored-session.js';
import { agentFolder, isSessionId, type SessionFolder, sessionFolder } from './session-folder.js';
import { isInUse, lockSession, removeEndedLock } from './session-lock.js';
import { isPrompt } from './session-outline.js';
import { noSuchSession } from './session-problem.js';
import { SESSION_FORMAT, type SessionHeader } from './session-record.js';
import { SessionStore } from './session-store.js';
import type { SessionStoreOptions } from './session-store-options.js';

const MAX_FILES = 20; // that are named in a reminder

export interface ResumeSessionOptions extends Omit<SessionStoreOptions, 'root'> {
  /** Continues in a new session and leaves this one unchanged. Allowed even while it is in use. */
  fork?: boolean;
  /** With `fork`: the conversation from this prompt on (counted from 0) is left out. */
  beforePrompt?: number | undefined;
  /** A mode that replaces the mode of the session. */
  mode?: PermissionMode | undefined;
  /** Calls that had not begun are run by `continueRun` instead of being answered as not run. */
  reopen?: boolean | undefined;
  /** Used if the session's root is lost with its first line. */
  root: string;
}

export interface ResumedSession {
  /** The id of the session, or of the fork. */
  id: string;
  root: string;
  /** Whether it continues in a copy. */
  isFork: boolean;
  restored: RestoredSession;
  /** Open; no other process writes it. */
  store: SessionStore;
  /** Reminders for the model with the next prompt. */
  reminders: readonly string[];
  leftCommands: readonly EndedCommand[];
}

/** Resumes a session. Rejects with `SessionProblem` if it does not exist, or if another process uses it. */
export async function resumeSession(options: ResumeSessionOptions): Promise<ResumedSession> {
  const source = sessionFolder(options.dataFolder, options.id);
  const folder = options.fork ? await forkOf(source, options) : source;
  if (!(await stat(folder.file).catch(() => undefined))) throw noSuchSession(options.id);
  const lock = await lockSession(folder);
  try {
    const restored = restoreSession(readSession(folder), { mode: options.mode, reopen: options.reopen === true });
    const root = restored.root ?? options.root;
    const { totals, title, damaged } = restored;
    const beginning = { lock, totals, title, damaged, reopens: restored.openCalls !== undefined };
    const store = new SessionStore({ ...options, id: folder.id, root }, beginning);
    await store.open();
    await removeLocksOfAgents(folder, options.dataFolder);
    const undone = await undoneSince(restored, options.dataFolder, folder.id);
    const { background, isBackgroundTold } = restored;
    const leftCommands = background.length === 0 ? [] : await endedCommands(background, options.dataFolder);
    const isFork = options.fork === true;
    const reminders = [
      ...undone,
      ...(isBackgroundTold ? [] : leftCommands.map(endedReminder)),
      ...restored.tasks.map((task) => taskReminder(task, isFork)),
    ];
    return { id: folder.id, root, isFork, restored, store, reminders, leftCommands };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Removes locks of child agents that were running when the session's process was killed. */
async function removeLocksOfAgents({ id, path }: SessionFolder, dataFolder: string): Promise<void> {
  for (const name of namesIn(join(path, 'agents')).filter(isSessionId)) {
    await removeEndedLock(agentFolder(dataFolder, id, name)).catch(() => {}); // another process is removing it
  }
}

/** An independent copy with a new id: the original may be continued or deleted. */
async function forkOf(
  source: SessionFolder,
  { dataFolder, root, model, beforePrompt }: ResumeSessionOptions,
): Promise<SessionFolder> {
  const { header, from, upTo } = outline(source, { wholeTurns: await isInUse(source), beforePrompt });
  const folder = sessionFolder(dataFolder, randomId());
  try {
    makePrivateFolder(folder.path);
    const first: SessionHeader = {
      type: 'session',
      v: SESSION_FORMAT,
      id: folder.id,
      root: header?.root ?? root,
      created: new Date().toISOString(),
      model: header?.model ?? model,
      title: header?.title ?? '',
      fork: { id: source.id },
    };
    copyPart(source.file, { from, upTo }, folder.file, `${JSON.stringify(first)}\n`);
    copyLarge(source.results, folder.results);
    copyAgents(source.path, folder.path);
    return folder;
  } catch (error) {
    rmSync(folder.path, { recursive: true, force: true });
    throw error;
  }
}

/** The part of the file for a fork. If the session is in use, the unfinished turn is left out. */
function outline(
  source: SessionFolder,
  { wholeTurns, beforePrompt }: { wholeTurns: boolean; beforePrompt: number | undefined },
) {
  let header: SessionHeader | undefined;
  let from = 0;
  let upTo = 0;
  let prompts = 0;
  for (const { line, end } of readSession(source, { withoutLarge: true })) {
    if (line?.type === 'user' && isPrompt(line.content)) {
      if (prompts === beforePrompt) break;
      prompts += 1;
    }
    if (line?.type === 'session' && !header) {
      header = line;
      from = end;
    }
    if (!wholeTurns || line?.type === 'turn' || line?.type === 'run') upTo = end;
  }
  return { header, from, upTo: Math.max(from, upTo) };
}

function copyPart(source: string, { from, upTo }: { from: number; upTo: number }, target: string, first: string): void {
  const input = openSync(source, openFlags.read);
  const output = openSync(target, openFlags.create, 0o600);
  try {
    writeAll(output, Buffer.from(first));
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let offset = from; offset < upTo; ) {
      const count = readSync(input, chunk, 0, Math.min(chunk.length, upTo - offset), offset);
      if (count === 0) break;
      writeAll(output, chunk.subarray(0, count));
      offset += count;
    }
    fsyncSync(output);
  } finally {
    closeSync(input);
    closeSync(output);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

function copyLarge(source: string, target: string): void {
  const names = namesIn(source).filter((name) => /^[0-9a-f]{64}$/.test(name));
  if (names.length > 0) makePrivateFolder(target);
  for (const name of names) {
    try {
      linkSync(join(source, name), join(target, name)); // these files never change
    } catch {
      copyFileSync(join(source, name), join(target, name));
    }
  }
}

/** Child agents can be resumed in the fork as well. */
function copyAgents(source: string, target: string): void {
  const [from, to] = [join(source, 'agents'), join(target, 'agents')];
  if (!existsSync(from)) return;
  cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== 'lock' });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there are no large values
  }
}

/**
 * Changes that a person has undone since the last prompt, of which the model does not know. By order in the list of changes,
 * since a clock may be set back; sessions of earlier versions have only the time.
 */
async function undoneSince(
  { changes: known, at: last }: RestoredSession,
  dataFolder: string,
  id: string,
): Promise<string[]> {
  const changes = await listChanges(dataFolder, id).catch(() => []); // without the list, nothing could be undone
  return changes.flatMap(({ undoes, at, position, callId }) => {
    if (undoes === undefined || last === undefined) return [];
    if (known === undefined ? Date.parse(at) <= last : position < known) return [];
    const undone = changes.filter((change) => change.callId === callId).flatMap(({ files }) => files);
    const paths = [...new Set(undone.map(({ real }) => real))];
    const more = paths.length > MAX_FILES ? ` and ${paths.length - MAX_FILES} more` : '';
    const shown =
      paths.length === 0 ? '' : ` These are now as they were before: ${paths.slice(0, MAX_FILES).join(', ')}${more}.`;
    return [
      `The user has taken back the changes of ${undoes.join(', ')} with helve undo.${shown} Read a file again before you rely on what it holds.`,
    ];
  });
}
