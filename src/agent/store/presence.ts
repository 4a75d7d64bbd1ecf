// Which sessions are at work on this machine: one small file for each, in a folder of its own. The process that runs the
// session writes it; `helve ps` reads all of them. A file whose process has ended is removed by the next reader, unless it
// is that of a background session, which is listed until it is deleted.
//
//   presence/<session id>.json
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { readPrivateFile } from '../../platform/files/private-file.js';
import { makePrivateFolder } from '../../platform/files/private-files.js';
import { isObject } from '../../platform/is-object.js';
import { isRunning, type ProcessIdentity, thisProcess } from '../../platform/journal/process-identity.js';
import { parseJson } from '../../platform/parse-json.js';
import { hasKeptPrompts } from './kept-prompts.js';
import { isSessionId, sessionFolder } from './session-folder.js';

export const surfaces = ['terminal', 'print', 'acp', 'background'] as const;

/** The program that runs a session. */
export type Surface = (typeof surfaces)[number];

const MAX_BYTES = 1_000_000; // it is a few hundred bytes

const liveStates = ['running', 'waiting', 'idle', 'failed'] as const;

/** `waiting`: for an answer of the person. */
export type LiveState = (typeof liveStates)[number];

export interface Presence {
  id: string;
  surface: Surface;
  owner: ProcessIdentity;
  /** The project. */
  root: string;
  /** The git worktree that it works in, and the folder that this was made for. */
  worktree?: { name: string; project: string } | undefined;
  title: string;
  state: LiveState;
  /** What it does now, or what it waits for; empty if nothing. */
  activity: string;
  /** US dollars; null if the cost of a part is unknown. */
  costUsd: number | null;
  /** When its process opened it, and when its state last changed: milliseconds since the epoch. */
  since: number;
  changed: number;
}

/** A session as it is now. `interrupted`: its process has ended in the middle of its work. */
export interface ListedPresence extends Omit<Presence, 'state'> {
  state: LiveState | 'interrupted';
  isLive: boolean;
}

/** Where the files are, one for each session. */
export const presenceFolder = (dataFolder: string): string => join(dataFolder, 'presence');

/** Writes the file of one session. Throws if it can't be written. */
export function writePresence(dataFolder: string, presence: Presence): void {
  const folder = presenceFolder(dataFolder);
  const temporary = join(folder, `.${randomHex(6)}.tmp`);
  const text = JSON.stringify({ v: 1, ...presence });
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
  } catch {
    mkdirPrivate(dataFolder);
    makePrivateFolder(folder); // it is missing before the first session
    writeFileSync(temporary, text, { flag: 'w', mode: 0o600 });
  }
  try {
    renameSync(temporary, join(folder, `${presence.id}.json`));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export function removePresence(dataFolder: string, id: string): void {
  rmSync(join(presenceFolder(dataFolder), `${id}.json`), { force: true });
}

/** Says in the list what became of a session that is closed. */
export function noteActivity(dataFolder: string, id: string, activity: string): void {
  const presence = readPresence(dataFolder, id);
  if (presence) writePresence(dataFolder, { ...presence, activity });
}

/** All sessions that are at work, and those of the background, also after they have ended. The latest first. */
export async function listPresence(dataFolder: string): Promise<ListedPresence[]> {
  const ours = await thisProcess();
  const listed: ListedPresence[] = [];
  for (const id of presentIds(dataFolder)) {
    const present = await presenceNow(dataFolder, id, ours);
    if (present) listed.push(present);
    else if (readPresence(dataFolder, id)) removePresence(dataFolder, id);
  }
  return listed.toSorted((one, other) => other.changed - one.changed);
}

/** One session, as it is now; undefined if it is not at work and not of the background. */
export async function presenceNow(
  dataFolder: string,
  id: string,
  ours: ProcessIdentity,
): Promise<ListedPresence | undefined> {
  const presence = readPresence(dataFolder, id);
  if (!presence) return undefined;
  const isLive = await isRunning(presence.owner, presence.changed, ours);
  if (isLive) return { ...presence, state: stateOfLive(presence, dataFolder), isLive };
  if (presence.surface !== 'background' || !hasSession(dataFolder, id)) return undefined;
  return { ...presence, state: stateOfEnded(presence, dataFolder), isLive };
}

/** One session, as the file says; undefined if there is none. */
export function readPresence(dataFolder: string, id: string): Presence | undefined {
  try {
    const path = join(presenceFolder(dataFolder), `${id}.json`);
    if (statSync(path).size > MAX_BYTES) return undefined;
    const presence = checkedPresence(parseJson(readPrivateFile(path) ?? ''));
    return presence?.id === id ? presence : undefined;
  } catch {
    return undefined; // it is missing, belongs to another user, or is no file
  }
}

/** A prompt that was accepted is about to begin. */
function stateOfLive({ id, state, surface }: Presence, dataFolder: string): LiveState {
  const mayBegin = surface === 'background' && (state === 'idle' || state === 'failed');
  return mayBegin && hasKeptPrompts(sessionFolder(dataFolder, id)) ? 'running' : state;
}

function stateOfEnded({ id, state }: Presence, dataFolder: string): ListedPresence['state'] {
  if (state === 'waiting') return 'waiting';
  if (state === 'running' || hasKeptPrompts(sessionFolder(dataFolder, id))) return 'interrupted';
  return state;
}

/** The ids of sessions that have a file here, whether it still holds or not. */
export function presentIds(dataFolder: string): string[] {
  try {
    return readdirSync(presenceFolder(dataFolder))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter(isSessionId);
  } catch {
    return []; // there was no session yet
  }
}

function hasSession(dataFolder: string, id: string): boolean {
  try {
    return readdirSync(sessionFolder(dataFolder, id).path).length > 0;
  } catch {
    return false;
  }
}

function checkedPresence(value: unknown): Presence | undefined {
  if (!isObject(value)) return undefined;
  const {
    v,
    id,
    surface: given,
    owner,
    root,
    title,
    state: shown,
    activity,
    costUsd,
    since,
    changed,
    worktree,
  } = value;
  const surface = surfaces.find((known) => known === given);
  const state = liveStates.find((known) => known === shown);
  const isKnown = v === 1 && surface !== undefined && state !== undefined && isObject(owner);
  if (!isKnown || !isTime(since) || !isTime(changed)) return undefined;
  if (costUsd !== null && !(isNumber(costUsd) && costUsd >= 0)) return undefined;
  if (!isText(id) || !isText(root) || !isText(title) || !isText(activity)) return undefined;
  const { pid, started, boot, space, host } = owner;
  if (!isNumber(pid) || pid <= 0 || !isNumber(started)) return undefined;
  if (!isText(boot) || !isText(space) || !isText(host)) return undefined;
  const process = { pid, started, boot, space, host };
  const { name, project } = isObject(worktree) ? worktree : {};
  const place = isText(name) && isText(project) ? { worktree: { name, project } } : {};
  return { id, surface, owner: process, root, ...place, title, state, activity, costUsd, since, changed };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isTime = (value: unknown): value is number => isNumber(value) && !Number.isNaN(new Date(value).getTime());
const isText = (value: unknown): value is string => typeof value === 'string';
