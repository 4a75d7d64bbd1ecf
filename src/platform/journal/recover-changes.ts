import { existsSync } from 'node:fs';
import { readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { discard, overwrite, publishNew, stage } from '../files/atomic-write.js';
import { copyAttributes } from '../files/copy-attributes.js';
import { fsyncFolder, inFolder, makeFolder } from '../files/folder.js';
import { type CurrentFile, readCurrent } from '../files/read-current.js';
import { messageOf } from '../message-of.js';
import { readSnapshotLog, snapshotLogPath } from '../snapshots/snapshot-log.js';
import {
  beforeImagePath,
  type JournalFolders,
  journalFolders,
  listChanges,
  listSessions,
  makeJournal,
  pruneJournal,
  readBeforeImage,
  recordChange,
} from './journal.js';
import {
  closeRecord,
  holdsAllLocks,
  inspectRecord,
  type OpenChange,
  openRecord,
  openTokens,
  recordPath,
  takeOver,
} from './lock.js';
import { packPath } from './pack-index.js';
import { placeholderLogPath, removePlaceholders } from './placeholder-journal.js';
import { type ProcessIdentity, thisProcess } from './process-identity.js';
import { neededBeforeImages } from './recorded-change.js';
import { type ChangePlan, readPlan, temporaryName } from './recovery-plan.js';
import { removeEndedCommands } from './running-commands.js';
import { markerPath } from './undo-marker.js';

const WAIT_MS = 10_000; // for another process that is already recovering

/** Interrupted changes that were found, and their outcome. */
export interface RecoveryReport {
  /** Files whose previous content was restored. */
  restored: string[];
  /** Files of changes that were complete but not yet listed; they stay as they are. */
  finished: string[];
  /** Files that were changed since, or can't be written: they were left alone. */
  left: Array<{ real: string; why: string /** The location of its previous content. */; image: string | undefined }>;
  /** Temporary files that were removed. */
  removed: string[];
  /** Calls whose commands were running when Helve died: their changes are in the session's list. */
  listed: InterruptedCall[];
  /** Interrupted undos: all their changes were rolled back. */
  undos: Array<{ undoId: string } & RolledBackUndo>;
}

/** A call whose command was running when Helve died. */
export interface InterruptedCall {
  sessionId: string;
  callId: string;
}

/** The outcome of an interrupted undo: paths restored to their state before it, and paths that could not be. */
export interface RolledBackUndo {
  done: readonly string[];
  left: ReadonlyArray<{ real: string; why: string }>;
}

export type RollBackUndo = (dataFolder: string, sessionId: string, undoId: string) => Promise<RolledBackUndo>;

export const nothingFound = (): RecoveryReport => ({
  restored: [],
  finished: [],
  left: [],
  removed: [],
  listed: [],
  undos: [],
});

/**
 * Recovers from a process that was killed, or lost power, in the middle of a change: the change is rolled back as a
 * whole. Any number of processes may run this at once, and changes of live processes are not touched. Without work to
 * do it costs one directory lookup. An interrupted undo waits for a caller that can roll it back.
 */
export async function recoverChanges(dataFolder: string, takeBackUndo?: RollBackUndo): Promise<RecoveryReport> {
  const report = nothingFound();
  const folders = journalFolders(dataFolder);
  const { records, others } = await openTokens(folders);
  if (records.length > 0 || others.length > 0) await recoverAll(folders, { records, others }, report, takeBackUndo);
  await recoverCommands(folders, report).catch(() => {}); // the next start tries again
  return report;
}

/** Removes old data, once a day. */
export async function cleanUpJournal(dataFolder: string): Promise<void> {
  const folders = journalFolders(dataFolder);
  await pruneJournal(folders, Date.now(), (before) => shrinkForgotten(folders, before));
}

/** A snapshot log that is not yet recovered needs the messages that other sessions sent to its session. */
async function recoverCommands(folders: JournalFolders, report: RecoveryReport): Promise<void> {
  if ((await readdir(folders.commands)).length === 0) return;
  const owner = await thisProcess();
  const { records } = await openTokens(folders);
  const found = await Promise.all(records.map((token) => inspectRecord(recordPath(folders, token), owner)));
  if (found.some(({ state }) => state === 'ended')) return;
  const { recoverNewFiles } = await import('../snapshots/new-files.js');
  await removeEndedCommands(folders, async (file, commands) => {
    if (commands.length > 0) await endLeftovers(folders);
    for (const command of commands) {
      const listed = await recoverNewFiles(folders, file, command);
      if (listed.length > 0) report.listed.push({ sessionId: command.sessionId, callId: command.callId });
    }
  });
}

async function recoverAll(
  folders: JournalFolders,
  { records, others }: { records: string[]; others: string[] },
  report: RecoveryReport,
  takeBackUndo: RollBackUndo | undefined,
): Promise<void> {
  await makeJournal(folders);
  const ours = await openRecord(folders, { sessionId: '' });
  const { owner } = ours;
  try {
    const until = monotonicMs() + WAIT_MS;
    // Placeholders and the like must be gone before the workspace is scanned for a command's changes.
    const isFirst = (token: string): boolean => others.includes(basename(placeholderLogPath(folders, token)));
    const isUndo = (token: string): boolean => others.includes(basename(markerPath(folders, token)));
    const recover = async (token: string, finish: (change: OpenChange) => Promise<void>): Promise<void> => {
      for (;;) {
        const found = await inspectRecord(recordPath(folders, token), owner);
        if (found.state !== 'ended') return;
        if ((await takeOver(folders, found.change, ours, finish)) === 'done' || monotonicMs() > until) return;
        await delay(10);
      }
    };
    const changes = records.filter((token) => !isUndo(token));
    for (const token of changes.toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one)))) {
      await recover(token, (change) => finishChange(folders, change, report));
    }
    // Last, when all changes that belong to the undos are complete.
    for (const token of takeBackUndo ? await latestFirst(folders, records.filter(isUndo), owner) : []) {
      await recover(token, (change) => finishUndo(folders, change, report, takeBackUndo));
    }
    await removeStrays(folders, others, owner);
  } finally {
    await closeRecord(folders, ours, []);
  }
}

/**
 * A Helve that was killed while it copied a workspace in advance leaves a pack that no change needs, and it would
 * displace copies that changes do need.
 */
async function shrinkForgotten(folders: JournalFolders, before: number): Promise<void> {
  const owner = await thisProcess();
  const { records } = await openTokens(folders);
  const open = await Promise.all(records.map((token) => inspectRecord(recordPath(folders, token), owner)));
  const inUse = open.flatMap((found) => ('change' in found && found.change ? [`${found.change.sessionId}-`] : []));
  const dataFolder = dirname(folders.top);
  const lists = await Promise.all(
    (await listSessions(dataFolder)).map(({ sessionId }) => listChanges(dataFolder, sessionId)),
  );
  const needed = new Set(lists.flat().flatMap(neededBeforeImages));
  const { shrinkPack } = await import('./before-image-pack.js');
  for (const file of await readdir(folders.packs)) {
    const name = file.replace(/\.pack$/, '');
    if (name === file || inUse.some((start) => name.startsWith(start))) continue;
    if ((await stat(packPath(folders, name))).mtimeMs <= before) await shrinkPack(folders, name, needed);
  }
}

/** The undos to roll back: an undo of an undo comes before the one that it undid. */
async function latestFirst(
  folders: JournalFolders,
  tokens: readonly string[],
  owner: ProcessIdentity,
): Promise<string[]> {
  const placed = await Promise.all(
    tokens.map(async (token) => {
      const found = await inspectRecord(recordPath(folders, token), owner);
      if (found.state !== 'ended') return { token, position: 0 };
      const [first] = await listChanges(dirname(folders.top), found.change.sessionId, found.change.callId);
      return { token, position: first?.position ?? 0 };
    }),
  );
  return placed.toSorted((one, other) => other.position - one.position).map(({ token }) => token);
}

async function finishUndo(
  folders: JournalFolders,
  { token, sessionId, callId: undoId }: OpenChange,
  report: RecoveryReport,
  takeBackUndo: RollBackUndo | undefined,
): Promise<void> {
  const outcome = await takeBackUndo?.(dirname(folders.top), sessionId, undoId);
  if (!outcome) return;
  report.undos.push({ undoId, ...outcome });
  await unlink(markerPath(folders, token)).catch(() => {});
}

/** A plan, claim, snapshot log or placeholder log without its record: the work was done. */
async function removeStrays(folders: JournalFolders, names: readonly string[], owner: ProcessIdentity): Promise<void> {
  for (const name of names) {
    const token = basename(name).replace(/\.(claim|plan|picture|picture\.new|held|undo)$/, '');
    const record = await inspectRecord(recordPath(folders, token), owner);
    if (record.state !== 'none') continue;
    const path = join(folders.open, name);
    if (name.endsWith('.claim') && (await inspectRecord(path, owner)).state !== 'ended') continue;
    await unlink(path).catch(() => {}); // another process may be cleaning up too
  }
}

/** Finishes a change whose process has died: lists it if it was complete, rolls it back if not. */
export async function finishChange(folders: JournalFolders, change: OpenChange, report: RecoveryReport): Promise<void> {
  if (existsSync(placeholderLogPath(folders, change.token)))
    return removePlaceholders(placeholderLogPath(folders, change.token));
  if (existsSync(snapshotLogPath(folders, change.token))) return await finishCommands(folders, change, report);
  await removeTemporaries(change, report);
  if (await isListed(folders, change)) return;
  const plan = await readPlan(folders, change.token);
  // Another process may have made the same change meanwhile. A plan is written only by a process that has all locks.
  if (!plan && !(await holdsAllLocks(folders, change))) return;
  const current = await Promise.all(
    change.files.map(({ real }) => readCurrent(real).catch(() => 'unreadable' as const)),
  );
  const isDone = ({ after }: OpenChange['files'][number], index: number): boolean => {
    const found = current[index];
    return found !== 'unreadable' && (found?.hash ?? null) === after;
  };
  const complete = change.files.length > 0 && change.files.every(isDone);
  if (complete) {
    await list(folders, change, plan, current);
    report.finished.push(...change.files.map(({ real }) => real));
  } else if (plan) {
    await rollBack(folders, change, plan, report);
  }
  // Without a plan the change was a single rename that did not happen, or it had not begun.
}

/** Changes of commands that were running when their Helve was killed belong to their calls. */
async function finishCommands(
  folders: JournalFolders,
  { token, sessionId }: OpenChange,
  report: RecoveryReport,
): Promise<void> {
  const path = snapshotLogPath(folders, token);
  const log = readSnapshotLog(path);
  if (log) {
    if (log.running.length > 0) await endLeftovers(folders);
    const { finishSnapshots } = await import('../snapshots/workspace-snapshot.js');
    // If this fails, recovery continues without it and nothing is lost.
    const calls = await finishSnapshots(dirname(folders.top), sessionId, log).catch(() => []);
    report.listed.push(...calls.map((callId) => ({ sessionId, callId })));
  }
  await unlink(path).catch(() => {});
}

/** A command outlives a killed Helve. It is ended before its changes are listed, or it would go on changing files. */
async function endLeftovers(folders: JournalFolders): Promise<void> {
  const { reapLeftovers } = await import('../shell/reap.js');
  await reapLeftovers(dirname(folders.top)).catch(() => 0); // processes that can't be ended are left for the next start
}

async function removeTemporaries({ token, files }: OpenChange, report: RecoveryReport): Promise<void> {
  for (const [index, { real }] of files.entries()) {
    await inFolder(dirname(real), async (folder) => {
      if (!(await discard(folder, temporaryName(token, index)))) return;
      report.removed.push(join(dirname(real), temporaryName(token, index)));
    }).catch(() => {}); // the folder is gone, with everything in it
  }
}

async function isListed(folders: JournalFolders, { sessionId, token }: OpenChange): Promise<boolean> {
  if (sessionId === '') return false;
  const changes = await listChanges(dirname(folders.top), sessionId);
  return changes.some(({ change }) => change === token);
}

async function list(
  folders: JournalFolders,
  { sessionId, token, callId, at, files }: OpenChange,
  plan: ChangePlan | undefined,
  current: ReadonlyArray<CurrentFile | 'unreadable' | undefined>,
): Promise<void> {
  await recordChange(folders, sessionId, {
    change: token,
    callId,
    at,
    files: files.map((file, index) => {
      const found = current[index];
      const stats = plan?.files[index]?.owner ?? (found === 'unreadable' ? undefined : found?.stats);
      const { folders: made = [] } = plan?.files[index] ?? {};
      return {
        ...file,
        ...(stats && { mode: stats.mode & 0o7777, uid: stats.uid, gid: stats.gid }),
        ...(made.length > 0 && { folders: made }),
      };
    }),
  });
}

/** Restores the files of an incomplete change, in reverse order. Each file is checked again before it is touched. */
export async function rollBack(
  folders: JournalFolders,
  change: OpenChange,
  plan: ChangePlan,
  report: RecoveryReport,
  wasBegun: (index: number) => boolean = () => true,
): Promise<void> {
  for (const [index, { real, before, after }] of [...change.files.entries()].toReversed()) {
    const planned = plan.files[index];
    if (!planned || before === after) continue;
    try {
      const outcome = wasBegun(index) ? await putBack(folders, change, index, planned) : 'as before';
      if (outcome === 'restored') report.restored.push(real);
      if (outcome === 'changed since')
        report.left.push({ real, why: 'it was changed since', image: kept(folders, before) });
    } catch (error) {
      const why = messageOf(error);
      report.left.push({ real, why, image: kept(folders, before) });
    }
    // Other programs may have put files into them.
    for (const folder of planned.folders.toReversed()) await rmdir(folder).catch(() => {});
  }
}

const kept = (folders: JournalFolders, before: string | null): string | undefined =>
  before === null ? undefined : beforeImagePath(folders, before);

async function putBack(
  folders: JournalFolders,
  { token, files }: OpenChange,
  index: number,
  planned: ChangePlan['files'][number],
): Promise<'as before' | 'restored' | 'changed since'> {
  const file = files[index];
  if (!file) return 'as before';
  const { real, before, after } = file;
  const current = await readCurrent(real);
  if ((current?.hash ?? null) === before) return 'as before';
  const torn = current !== undefined && planned.inPlace && (await isMixture(folders, current.bytes, file));
  if ((current?.hash ?? null) !== after && !torn) return 'changed since';
  if (before === null) {
    await inFolder(dirname(real), async (folder) => {
      await unlink(folder.at(basename(real)));
      await fsyncFolder(folder);
    });
    return 'restored';
  }
  const bytes = await readBeforeImage(folders, before);
  if (!bytes) throw new Error('the copy of its previous content was removed');
  if (current === undefined) await makeFolder(dirname(real));
  await inFolder(dirname(real), async (folder) => {
    const name = basename(real);
    if (planned.inPlace && current) return await overwrite(folder, name, bytes, current.stats);
    const temporary = temporaryName(token, index);
    const owner = planned.owner ?? { mode: 0o644 };
    try {
      await stage(folder, temporary, bytes, { owner, copy: current && copyAttributes(folder.anchor, name) });
      if (current) await rename(folder.at(temporary), folder.at(name));
      else await publishNew(folder, temporary, name);
    } catch (error) {
      await discard(folder, temporary);
      throw error;
    }
    await fsyncFolder(folder);
  });
  return 'restored';
}

/** Whether a write in place was interrupted: then every byte comes from the old content or from the new one. */
async function isMixture(
  folders: JournalFolders,
  bytes: Buffer,
  { before, after }: { before: string | null; after: string | null },
): Promise<boolean> {
  const [old, wanted] = await Promise.all([before, after].map((hash) => hash && readBeforeImage(folders, hash)));
  if (!old || !wanted || bytes.length > Math.max(old.length, wanted.length)) return false;
  return bytes.every((byte, index) => byte === old[index] || byte === wanted[index]);
}
