import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SessionPort, ToolContext } from '../../contract/tool-context.js';
import { isInside, realPathSync } from '../../platform/files/paths.js';
import type { DeclaredWrites } from '../../platform/journal/declared-writes.js';
import { declaredWritesOf, mayChangeFiles, writtenFiles } from '../../platform/journal/effect-writes.js';
import { sessionWriters } from '../../platform/journal/session-changes.js';
import { lazy } from '../../platform/lazy.js';
import type { ProcessResult } from '../../platform/shell/run-process.js';
import { gapsIn, type SnapshotCoverage, type WorkspaceSnapshots } from '../../platform/snapshots/snapshot-contract.js';
import { shortTitle } from './title.js';

const MAX_NAMES = 10;
const THINKING_MS = 300; // a quicker answer means that the next command comes soon

/** Tracks the files that a command changes, so that the changes can be undone. */
export interface WatchedChanges {
  /** What is not covered by undo, said once per session. */
  readonly note: string | undefined;
  /** The files that the command writes and that can't be restored: said before it runs, and with its result. */
  readonly warning?: string | undefined;
  /** The command continues in the background: what it has changed so far belongs to its call. */
  leave(finished: Promise<ProcessResult>): void;
  /**
   * Call it when the call ends, for any reason; it is idempotent. Returns a note for the result. `result` is that of
   * the command, if it ended by itself.
   */
  ended(result?: ProcessResult): Promise<string | undefined>;
}

/** Takes the first snapshot in advance, once a session has run a read-only command and the model is thinking. */
function prepareToWatch(session: SessionPort): void {
  const timer = setTimeout(() => void session.own(sessionSnapshots).prepare(), THINKING_MS).unref();
  session.atEnd(() => clearTimeout(timer));
}

/** Starts tracking what the call changes; undefined if it is known to change nothing. */
export async function watchChanges(context: ToolContext, command: string): Promise<WatchedChanges | undefined> {
  const { session, callId, signal, approved, confinement } = context;
  session.own(prepareToWatch);
  if (confinement === 'reads' || !mayChangeFiles(approved)) return undefined;
  const roots = session.workspace.map(realPathSync);
  const written = writtenFiles(approved)?.filter((path) => roots.some((root) => isInside(root, path)));
  if (written?.length === 0) return undefined;
  if (written?.every(isFree)) return await watchFreePaths(context, written);
  const owned = session.own(sessionSnapshots);
  const snapshots = await owned.load();
  const writes = declaredWritesOf(approved, roots);
  const coverage = await snapshots.before(callId, signal, writes);
  const note = owned.noteOn(coverage);
  const warning = coverage.tooMuch.paths.length > 0 ? tooMuchNote(coverage.tooMuch) : undefined;
  let isLeft = false;
  let end: Promise<string | undefined> | undefined;
  const finish = async (result?: ProcessResult): Promise<string | undefined> => {
    await announceLeft(context, writes, result);
    const { lost, notCovered } = await snapshots.after(callId);
    void owned.prepare(); // finishes pending work while the model thinks
    return lost.length > 0 ? lostNote(lost) : owned.sayOnce(notCovered);
  };
  return {
    note,
    warning,
    leave(finished) {
      isLeft = true;
      snapshots.leave(callId);
      const recorded = finished
        .then(
          (result) => announceLeft(context, writes, result),
          () => {},
        )
        .then(() => snapshots.after(callId))
        .then(({ lost }) => {
          if (lost.length > 0) session.remind(`Of the background command ${shortTitle(command)}: ${lostNote(lost)}`);
        });
      owned.waitFor(recorded);
    },
    async ended(result) {
      if (isLeft) return undefined;
      end ??= finish(result);
      return await end;
    },
  };
}

/** Announces processes that a command left running, so that commands of other sessions don't claim their writes. */
async function announceLeft(
  { session, callId }: ToolContext,
  writes: DeclaredWrites,
  { allEnded }: Partial<ProcessResult> = {},
): Promise<void> {
  if (!allEnded) return;
  const end = await session.own(sessionWriters).begin({ name: `what ${callId} left running`, writes });
  void allEnded.then(end);
}

function isFree(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false; // not to be announced
  }
}

async function watchFreePaths(context: ToolContext, paths: readonly string[]): Promise<WatchedChanges> {
  const { session, callId } = context;
  const writes = { paths: paths.map((real) => ({ real, tree: false })), isExact: true };
  const { dataFolder, id: sessionId } = session;
  const { watchNewFilesWithSpareJournal } = await import('../../platform/snapshots/spare-snapshots.js');
  let isLeft = false;
  let recorded: Promise<string | undefined> | undefined;
  // Undo never blocks a command: if the journal can't be written, the result says so.
  const watching = await watchNewFilesWithSpareJournal({ dataFolder, sessionId, callId, paths }, session.changes).catch(
    asError,
  );
  const record = async (result?: ProcessResult): Promise<string | undefined> => {
    await announceLeft(context, writes, result);
    const failure = watching instanceof Error ? watching : await watching(isLeft).catch(asError);
    return failure ? `helve undo can't take this command back: ${failure.message}` : undefined;
  };
  return {
    note: undefined,
    leave(finished) {
      isLeft = true;
      const later = finished.then(record, () => record());
      session.atEnd(async () => void (await later));
    },
    async ended(result) {
      if (isLeft) return undefined;
      recorded ??= record(result);
      return await recorded;
    },
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const tooMuchNote = ({ paths, limit }: SnapshotCoverage['tooMuch']): string =>
  `helve undo can't bring back all of ${paths.join(', ')}: more than ${limit} are there, and no copy was made.`;

function lostNote(lost: readonly string[]): string {
  const more = lost.length > MAX_NAMES ? ` and ${lost.length - MAX_NAMES} more` : '';
  const files = lost.length === 1 ? '1 changed file' : `${lost.length} changed files`;
  return `${files} can't be put back by helve undo, because there was no copy of what was there before: ${lost.slice(0, MAX_NAMES).join(', ')}${more}.`;
}

/** Recognises a sandbox's placeholders in the project while a command runs. */
async function passingFolders(session: SessionPort): Promise<((path: string) => boolean) | undefined> {
  if (!session.sandbox) return undefined;
  const { sessionPlaceholders } = await import('./sandboxed.js');
  const { placeholders } = session.own(sessionPlaceholders);
  return (path) => placeholders.has(path);
}

/** A home folder or a whole disk is not copied in advance: commands never touch most of it, and it contains keys. */
const isMoreThanProject = (root: string, home: string | undefined): boolean =>
  root === dirname(root) || (home !== undefined && isInside(root, realPathSync(home)));

/** The key files in a workspace that is larger than a project. */
async function secretsAround(session: SessionPort, roots: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const { home, dataFolder } = session;
  if (home === undefined || !roots.some((root) => isMoreThanProject(root, home))) return undefined;
  const { secretPaths } = await import('../../platform/sandbox/sensitive-paths.js');
  return new Set(secretPaths(realPathSync(home), dataFolder));
}

interface SessionSnapshots {
  load(): Promise<WorkspaceSnapshots>;
  /** Does in advance what the next command would wait for. Never rejects. */
  prepare(): Promise<void>;
  /** Keeps the session open until it has settled. */
  waitFor(work: Promise<unknown>): void;
  noteOn(coverage: SnapshotCoverage): string | undefined;
  /** Returns the sentence the first time only. */
  sayOnce(sentence: string | undefined): string | undefined;
}

/** The session's snapshot of the workspace. Its code is loaded on first use. */
function sessionSnapshots(session: SessionPort): SessionSnapshots {
  const { dataFolder, id: sessionId } = session;
  const roots = (): string[] => [...new Set(session.workspace.map(realPathSync))];
  const atWork = new Set<Promise<unknown>>();
  let hasSaid = false;
  let isOver = false;
  session.atEnd(async () => {
    isOver = true;
    await Promise.allSettled(atWork);
    await (await load.ifLoaded().catch(() => undefined))?.end();
  });
  const load = lazy(async (): Promise<WorkspaceSnapshots> => {
    const { snapshotsWithSpareJournal } = await import('../../platform/snapshots/spare-snapshots.js');
    const [isPassing, secrets] = await Promise.all([passingFolders(session), secretsAround(session, roots())]);
    const options = { roots, dataFolder, sessionId, ...(isPassing && { isPassing }), ...(secrets && { secrets }) };
    return snapshotsWithSpareJournal(options, session.changes);
  });
  const sayOnce = (sentence: string | undefined): string | undefined => {
    if (hasSaid || sentence === undefined) return undefined;
    hasSaid = true;
    return sentence;
  };
  const owned: SessionSnapshots = {
    load,
    async prepare() {
      if (roots().some((root) => isMoreThanProject(root, session.home))) return;
      await owned.load().then(
        (snapshots) => (isOver ? undefined : snapshots.prepare()),
        () => {},
      );
    },
    waitFor(work) {
      const settled = work.catch(() => {}).finally(() => atWork.delete(settled));
      atWork.add(settled);
    },
    noteOn(coverage) {
      const { notYet, unseen, notCovered } = coverage;
      if (notCovered !== undefined) return sayOnce(`helve undo can't take this command back. ${notCovered}`);
      if (notYet === 0 && unseen === 0) return undefined;
      return sayOnce(`helve undo does not cover all of this workspace: ${gapsIn(coverage).join('; ')}.`);
    },
    sayOnce,
  };
  return owned;
}
