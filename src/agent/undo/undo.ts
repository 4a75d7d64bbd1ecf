// Undoes the changes of calls to files. A plan is made from the session's list of changes and from the current files on
// disk, may be shown, and is then applied as shown.
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  currentState,
  type EntryState,
  type FileState,
  isSameContent,
  modeOf,
  type Obstacle,
  stateAfter,
  stateBefore,
} from '../../platform/files/entry-state.js';
import { shortPath } from '../../platform/files/paths.js';
import { BeforeImageReader } from '../../platform/journal/before-image-pack.js';
import { journalFolders, type ListedChange, listChanges } from '../../platform/journal/journal.js';
import type { RecordedChange, RecordedFile } from '../../platform/journal/recorded-change.js';
import { isOwnTemporary } from '../../platform/journal/recovery-plan.js';
import { runningCalls } from '../../platform/journal/running-commands.js';
import { entryAt } from '../../platform/snapshots/workspace-tree.js';
import { grouped } from '../../platform/text/digits.js';
import { localSecond } from '../../platform/text/local-time.js';
import { callNames } from './call-names.js';
import { asCalls, selectCalls, type UndoableCall, UndoFailure, type UndoSelection } from './undo-calls.js';

const MAX_DIFFS = 100; // more than a person reads
const AT_ONCE = 32; // files that are open at the same time
const MAX_DIFF_BYTES = 20_000_000; // more than a person reads, and larger than the copies made around commands

export interface UndoPlan {
  dataFolder: string;
  sessionId: string;
  /** Oldest first. */
  calls: UndoableCall[];
  items: UndoItem[];
  /** Commands whose changes are unknown, and why. */
  notCovered: string[];
  /** Notes for each call about changes that may be missing, or made by others. */
  notes: string[];
  /** Files that changed during the calls, possibly by a command of another session: they stay. By real path. */
  unclaimed: string[];
  /** Calls of the session whose commands still run: they are not undone. */
  running: string[];
  /** Whether the calls include commands, whose changes outside the project and to ignored files are unknown. */
  hasCommands: boolean;
}

/** The planned change of one file, folder or link. */
export interface UndoItem {
  real: string;
  action: 'change' | 'make' | 'remove' | 'mode';
  now: EntryState;
  target: EntryState;
  /** Whether a file with other hard links is written in place rather than replaced, because those were changed with it. */
  keepsNames: boolean;
  /** A patch, or a line that describes the change; undefined after the first hundred. */
  diff?: string;
  /** Why it should not be restored: changes of another program would be lost. */
  conflict?: string;
  /** Why it can't be restored. */
  impossible?: string;
  /** Why a folder stays: it holds files of others. */
  stays?: string;
}

export interface PlanOptions {
  /** Paths in patches are relative to this folder. */
  cwd?: string;
  /** Also undoes the changes so far of commands that still run, and changes that no session claims. */
  force?: boolean;
}

/** Makes a plan without changing anything. */
export async function planUndo(
  dataFolder: string,
  sessionId: string,
  selection: UndoSelection,
  { cwd = '/', force = false }: PlanOptions = {},
): Promise<UndoPlan> {
  const changes = (await listChanges(dataFolder, sessionId)).map((change) => (force ? withUnclaimed(change) : change));
  const running = runningCalls(journalFolders(dataFolder), sessionId);
  const chosen = selectCalls(asCalls(changes), selection);
  const calls = force ? chosen : chosen.filter(({ callId }) => !running.includes(callId));
  const nameOf = callNames(dataFolder, sessionId);
  if (calls.length === 0) throw stillRunning(chosen.map(({ callId }) => nameOf(callId)));
  const ids = new Set(calls.map(({ callId }) => callId));
  const selected = changes.filter(({ callId }) => ids.has(callId));
  const histories = historiesOf(selected);
  const images = new BeforeImageReader(journalFolders(dataFolder));
  const found: UndoItem[] = [];
  const paths = [...histories.keys()];
  const goingLinks = new Set(paths.filter((real) => isGoingLink(real, histories.get(real)?.[0])));
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE).map(async (real) => {
      const item = await planItem(images, real, histories.get(real) ?? [], goingLinks);
      return item?.conflict === undefined ? item : { ...item, conflict: await explainConflict(item, changes, ids) };
    });
    found.push(...(await Promise.all(some)).filter((item) => item !== undefined));
  }
  const items = found.toSorted((one, other) => (one.real < other.real ? -1 : 1));
  const looked = await lookInFolders(items);
  return {
    dataFolder,
    sessionId,
    calls,
    items: await withDiffs(images, cwd, checkPlaces(looked)),
    notCovered: selected.map(({ seen }) => seen?.notCovered).filter((why) => why !== undefined),
    notes: calls.flatMap(({ callId, notes = [] }) => notes.map((note) => `${nameOf(callId)}: ${note}.`)),
    unclaimed: [...new Set(calls.flatMap((call) => call.unclaimed ?? []))],
    running: running.filter((id) => !ids.has(id)),
    hasCommands: selected.some(({ seen }) => seen !== undefined),
  };
}

function stillRunning(calls: readonly string[]): UndoFailure {
  const names = calls.join(', ');
  const [are, them] = calls.length > 1 ? ['are', 'them'] : ['is', 'it'];
  return new UndoFailure(
    `Nothing was undone: ${names} ${are} still running and would continue to change files. Stop ${them} in that session, or wait until that has ended, then undo again. helve undo --force undoes the changes so far.`,
  );
}

/** Adds the changes that no session claims to the changes of the call. */
const withUnclaimed = ({ seen, files, ...change }: ListedChange): ListedChange => ({
  ...change,
  files: [...files, ...(seen?.unclaimedFiles ?? [])],
  ...(seen && { seen: { ...seen, unclaimed: seen.unclaimedFiles ? undefined : seen.unclaimed } }),
});

interface Moment {
  file: RecordedFile;
  seen: boolean;
}

/** The changes of the calls to each path, in order. */
function historiesOf(changes: readonly RecordedChange[]): Map<string, Moment[]> {
  const histories = new Map<string, Moment[]>();
  for (const { files, seen } of changes) {
    const made = files.flatMap(({ folders = [] }) => folders).map(madeFolder);
    // A file may have been replaced by a folder of the same name.
    for (const file of [...files, ...made]) {
      if (isOwnTemporary(file.real)) continue; // earlier versions recorded them as files of the project
      const history = histories.get(file.real) ?? [];
      history.push({ file, seen: seen !== undefined });
      histories.set(file.real, history);
    }
  }
  return histories;
}

const madeFolder = (real: string): RecordedFile => ({
  real,
  before: null,
  after: null,
  otherAfter: { kind: 'folder', mode: 0o755 },
});

function isGoingLink(real: string, start: Moment | undefined): boolean {
  if (!start || stateBefore(start.file)?.kind === 'link') return false;
  return entryAt(real)?.kind === 'link';
}

async function planItem(
  images: BeforeImageReader,
  real: string,
  history: readonly Moment[],
  goingLinks: ReadonlySet<string>,
): Promise<UndoItem | undefined> {
  const [start, end] = [history[0], history.at(-1)];
  if (!start || !end) return undefined;
  const [first, last] = [stateBefore(start.file), stateAfter(end.file)];
  const changesContent = !isSameContent(first, last);
  const changesMode = first?.kind === last?.kind && modeOf(first) !== modeOf(last);
  if (!changesContent && !changesMode) return undefined;

  const found = await currentState(real, goingLinks);
  const keepsNames = !end.seen;
  if (isObstacle(found)) {
    return { real, action: 'change', now: null, target: first, keepsNames, impossible: found.what };
  }
  const target = targetOf(first, found, { changesContent, changesMode });
  if (isSameContent(found, target) && isSameMode(found, target)) return undefined; // already restored
  const item = { real, action: actionOf(found, target), now: found, target, keepsNames };
  const impossible = await whyImpossible(images, found, target, start.file);
  if (impossible !== undefined) return { ...item, impossible };
  const conflict = conflictOf(found, last, history, { changesContent, changesMode });
  return conflict === undefined ? item : { ...item, conflict };
}

const isObstacle = (state: EntryState | Obstacle): state is Obstacle => state?.kind === 'obstacle';

/** Properties that the calls did not change keep their current values, even if another program has changed them. */
function targetOf(
  first: EntryState,
  now: EntryState,
  { changesContent, changesMode }: { changesContent: boolean; changesMode: boolean },
): EntryState {
  if (first === null || now === null || first.kind !== now.kind || first.kind === 'link' || now.kind === 'link')
    return first;
  const mode = (changesMode ? first.mode : undefined) ?? now.mode;
  if (first.kind === 'folder') return mode === undefined ? now : { kind: 'folder', mode };
  const content: FileState = changesContent || now.kind !== 'file' ? first : now;
  return { ...content, mode };
}

function isSameMode(now: EntryState, target: EntryState): boolean {
  const wanted = modeOf(target);
  return wanted === undefined || wanted === modeOf(now);
}

function actionOf(now: EntryState, target: EntryState): UndoItem['action'] {
  if (target === null) return 'remove';
  if (now === null) return 'make';
  return isSameContent(now, target) ? 'mode' : 'change';
}

async function whyImpossible(
  images: BeforeImageReader,
  now: EntryState,
  target: EntryState,
  { uncopied }: RecordedFile,
): Promise<string | undefined> {
  if (target?.kind !== 'file' || isSameContent(now, target)) return undefined;
  if (target.hash === undefined) {
    return `what it held before is not kept: ${target.unkept ?? 'it was not read'}`;
  }
  if (await images.has(target.hash)) return undefined;
  if (uncopied !== undefined) return `what it held before is not kept: ${uncopied}`;
  return 'what it held before is not kept any more: copies are removed after 30 days, or when they exceed 1 GB';
}

function conflictOf(
  now: EntryState,
  last: EntryState,
  history: readonly Moment[],
  { changesContent, changesMode }: { changesContent: boolean; changesMode: boolean },
): string | undefined {
  if (changesContent && !isSameContent(now, last)) {
    if (now === null) return 'it was removed since';
    if (last === null) return 'something was created there since';
    return now.kind === last.kind ? 'it was changed since' : `it is a ${now.kind} now`;
  }
  if (changesMode && modeOf(last) !== undefined && modeOf(now) !== modeOf(last)) return 'its mode was changed since';
  const broken = history.some(({ file }, index) => {
    const next = history[index + 1];
    return next !== undefined && isOther(stateAfter(file), stateBefore(next.file));
  });
  return broken ? 'another program changed it between these calls' : undefined;
}

/** Whether they are known to differ, so that content would be lost. Folders have no content of their own. */
function isOther(one: EntryState, other: EntryState): boolean {
  if (one?.kind === 'folder' || other?.kind === 'folder') return false;
  if (one?.kind === 'file' && other?.kind === 'file' && (one.hash === undefined) !== (other.hash === undefined))
    return false;
  return !isSameContent(one, other);
}

/** The facts of a conflict: a later call, a missing folder, or the time of the change. */
async function explainConflict(
  { real, now, conflict }: UndoItem,
  changes: readonly RecordedChange[],
  selected: ReadonlySet<string>,
): Promise<string> {
  // An undo and the calls that it undid cancel each other out.
  const cancelled = new Set(
    asCalls(changes.map((change) => ({ ...change, position: 0 })))
      .filter(({ undoes, undoneBy }) => undoes !== undefined || undoneBy !== undefined)
      .map(({ callId }) => callId),
  );
  const lastSelected = changes.findLastIndex(({ callId }) => selected.has(callId));
  const later = changes.find(
    ({ callId, files }, index) =>
      !selected.has(callId) &&
      !cancelled.has(callId) &&
      files.some((file) => file.real === real) &&
      index > firstOf(changes, selected, real),
  );
  if (later) {
    const when = changes.indexOf(later) > lastSelected ? 'later' : 'in between';
    return `${conflict}, ${when} by the call ${later.callId}, which is not undone with it`;
  }
  if (now === null) {
    const missing = await missingFolder(real);
    return missing === undefined ? `${conflict}` : `its folder ${missing} does not exist any more`;
  }
  const stats = await lstat(real).catch(() => undefined);
  return stats ? `${conflict}, at ${localSecond(stats.mtimeMs)}` : `${conflict}`;
}

const firstOf = (changes: readonly RecordedChange[], selected: ReadonlySet<string>, real: string): number =>
  changes.findIndex(({ callId, files }) => selected.has(callId) && files.some((file) => file.real === real));

/** The outermost missing folder above the path. */
async function missingFolder(real: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let folder = dirname(real); folder !== dirname(folder) && !existsSync(folder); folder = dirname(folder)) {
    missing = folder;
  }
  return missing;
}

/** A folder is removed only if it is empty; one that holds files of others can't be replaced by another entry. */
async function lookInFolders(items: readonly UndoItem[]): Promise<UndoItem[]> {
  const going = new Set(
    items.filter(({ now, target }) => now !== null && isReplaced(now, target)).map(({ real }) => real),
  );
  const stay = new Set<string>();
  const looked: UndoItem[] = [];
  // From the innermost, since a folder that stays also keeps the folders above it.
  for (const item of items.toReversed()) {
    if (item.now?.kind !== 'folder' || !isReplaced(item.now, item.target)) {
      looked.unshift(item);
      continue;
    }
    const names = await readdir(item.real).catch(() => []);
    const other = names.find((name) => !going.has(join(item.real, name)) || stay.has(join(item.real, name)));
    if (other !== undefined) stay.add(item.real);
    if (other === undefined) looked.unshift(item);
    else if (item.target === null) looked.unshift({ ...item, stays: `it holds ${other}` });
    else looked.unshift({ ...item, impossible: `a folder that holds ${other} is in its place now` });
  }
  return looked;
}

const isReplaced = (now: EntryState, target: EntryState): boolean => target === null || now?.kind !== target.kind;

/** A restored entry needs its folder. If it is missing and the calls did not remove it, another program did. */
function checkPlaces(items: readonly UndoItem[]): UndoItem[] {
  const made = new Set(items.filter(({ target }) => target?.kind === 'folder').map(({ real }) => real));
  return items.map((item) => {
    const folder = dirname(item.real);
    if (item.target === null || item.now !== null || item.conflict || made.has(folder) || existsSync(folder))
      return item;
    return { ...item, conflict: `its folder ${folder} does not exist any more` };
  });
}

async function withDiffs(images: BeforeImageReader, cwd: string, items: readonly UndoItem[]): Promise<UndoItem[]> {
  const { describeContent } = await import('./undo-diff.js');
  const shown: UndoItem[] = [];
  for (const item of items) {
    if (shown.length >= MAX_DIFFS) shown.push(item);
    else shown.push({ ...item, diff: await diffOf(images, shortPath(cwd, item.real), item, describeContent) });
  }
  return shown;
}

async function diffOf(
  images: BeforeImageReader,
  shown: string,
  { real, now, target }: UndoItem,
  describeContent: (path: string, now: Uint8Array | undefined, then: Uint8Array | undefined) => string,
): Promise<string> {
  const lines: string[] = [];
  if (now?.kind === 'link') lines.push(`(a link to ${now.target} is removed)`);
  if (target?.kind === 'link') lines.push(`(a link to ${target.target} is restored)`);
  const [oldMode, mode] = [modeOf(now), modeOf(target)];
  if (oldMode !== undefined && mode !== undefined && oldMode !== mode && now?.kind === target?.kind)
    lines.push(`(mode ${oldMode.toString(8)} becomes ${mode.toString(8)})`);
  const hasContent = now?.kind === 'file' || target?.kind === 'file';
  if (hasContent && !isSameContent(now, target)) {
    const hash = target?.kind === 'file' ? target.hash : undefined;
    const then = hash === undefined ? undefined : await images.read(hash);
    const { size = 0 } = (await lstat(real).catch(() => undefined)) ?? {};
    const isLarge = now?.kind === 'file' && size > MAX_DIFF_BYTES;
    if (isLarge) lines.push(`(too large to be compared: ${grouped(size)} bytes now, ${lengthOf(then)} then)`);
    const current = now?.kind === 'file' && !isLarge ? await readFile(real).catch(() => undefined) : undefined;
    if (!isLarge && (hash !== undefined || target === null)) lines.push(describeContent(shown, current, then));
  }
  return lines.filter((line) => line !== '').join('\n');
}

const lengthOf = (bytes: Uint8Array | undefined): string => (bytes ? `${grouped(bytes.length)} bytes` : 'nothing');
