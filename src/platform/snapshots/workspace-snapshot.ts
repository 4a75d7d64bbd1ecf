// Detects changes that commands make in the workspace by scanning it before and after: every file that git does not
// ignore is compared by its metadata, and by content if that has changed. Before-images are saved before a command
// begins, as many as can be read in the available time.
//
// There is one snapshot of the workspace, and every scan updates it. Differences since the last scan were made by the
// commands that ran in between, unless the journal has them as changes of another call or session, or another session
// ran a command at the same time: see claim-change.ts. If no command ran, they belong to no call.

import { monotonicMs } from '../clock.js';
import { realPathSync } from '../files/paths.js';
import { shrinkPack } from '../journal/before-image-pack.js';
import { anyWrites, type DeclaredPath, type DeclaredWrites } from '../journal/declared-writes.js';
import { type JournalFolders, journalFolders, listChanges } from '../journal/journal.js';
import { JournaledChanges } from '../journal/journaled-changes.js';
import { allPlaceholders } from '../journal/placeholder-journal.js';
import { neededBeforeImages } from '../journal/recorded-change.js';
import { isOwnTemporary } from '../journal/recovery-plan.js';
import { RunningCommands } from '../journal/running-commands.js';
import { errorClause } from '../text/clause.js';
import { CommandChanges, type RunningCommand } from './command-changes.js';
import { addNamed } from './named-tree.js';
import { INTERRUPTED } from './snapshot-changes.js';
import { forgetEntry, removedSince } from './snapshot-comparison.js';
import {
  gapsIn,
  nothingCovered,
  type SnapshotCoverage,
  type SnapshotLimits,
  type SnapshotReport,
  standardLimits,
  type WorkspaceSnapshotOptions,
  type WorkspaceSnapshots,
} from './snapshot-contract.js';
import { type OpenCommand, type readSnapshotLog, SnapshotLog } from './snapshot-log.js';
import { WorkspaceCopies } from './workspace-copies.js';
import { Pace, readTree, type Tree } from './workspace-tree.js';

const AHEAD = 50; // times as long as a command would wait
const REST_MS = 10;
/** Reading some of these files has side effects, and none of them could be restored. */
const NOT_ON_DISK: ReadonlySet<string> = new Set(['/proc', '/sys', '/dev']);

/** Creates the object only; the first scan comes with the first command. */
export function createWorkspaceSnapshots(options: WorkspaceSnapshotOptions): WorkspaceSnapshots {
  return new Snapshots(options);
}

/** Lists the changes of commands whose Helve was killed while they ran. Returns their calls. */
export async function finishSnapshots(
  dataFolder: string,
  sessionId: string,
  log: NonNullable<ReturnType<typeof readSnapshotLog>>,
): Promise<string[]> {
  const snapshots = new Snapshots({ roots: () => log.roots, dataFolder, sessionId });
  return await snapshots.finish(log);
}

const begun = (command: OpenCommand): RunningCommand => ({
  ...command,
  changed: new Set(),
  lost: new Set(),
  notCovered: undefined,
});

class Snapshots implements WorkspaceSnapshots {
  readonly #roots: () => readonly string[];
  readonly #excluded: ReadonlySet<string>;
  readonly #folders: JournalFolders;
  readonly #dataFolder: string;
  readonly #sessionId: string;
  readonly #limits: SnapshotLimits;
  readonly #isPassing: (path: string) => boolean;
  readonly #secrets: ReadonlySet<string>;
  readonly #copies: WorkspaceCopies;
  readonly #running = new Map<string, RunningCommand>();
  #last: Tree | undefined;
  #log: SnapshotLog | undefined;
  readonly #commands: RunningCommands;
  readonly #journaled: JournaledChanges;
  readonly #changes: CommandChanges;
  #preparing: { stop: AbortController; done: Promise<void> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WorkspaceSnapshotOptions) {
    const {
      roots,
      dataFolder,
      sessionId,
      limits,
      isPassing = () => false,
      secrets = new Set(),
      excluded = [],
    } = options;
    this.#roots = roots;
    this.#isPassing = isPassing;
    this.#secrets = secrets;
    this.#dataFolder = dataFolder;
    this.#excluded = new Set([realPathSync(dataFolder), ...excluded]);
    this.#folders = journalFolders(dataFolder);
    this.#sessionId = sessionId;
    this.#limits = { ...standardLimits, ...limits };
    this.#copies = new WorkspaceCopies(this.#folders, sessionId, this.#limits);
    this.#commands = new RunningCommands(this.#folders, sessionId);
    this.#journaled = new JournaledChanges(this.#folders, this.#commands);
    this.#changes = new CommandChanges({
      folders: this.#folders,
      sessionId,
      copies: this.#copies,
      journaled: this.#journaled,
      readChangedMs: this.#limits.readChangedMs,
      runningCalls: () => this.#running.keys(),
    });
  }

  async prepare(): Promise<void> {
    if (this.#preparing || this.#running.size > 0 || this.#copies.isCovered) return;
    const stop = new AbortController();
    const pace = new Pace(stop.signal, { restMs: REST_MS });
    const work = async (): Promise<void> => {
      if (this.#running.size > 0) return;
      await this.#copies.makeReady();
      const until = monotonicMs() + this.#limits.copyMs * AHEAD;
      await this.#look(pace, this.#limits.scanMs * AHEAD);
      await this.#copies.keep(this.#last, pace, until);
      await this.#writeDown();
    };
    const done = this.#inTurn(work).catch(() => {}); // aborted; or the error occurs again with the next command
    this.#preparing = { stop, done };
    await done;
    this.#preparing = undefined;
  }

  async before(callId: string, signal?: AbortSignal, writes: DeclaredWrites = anyWrites): Promise<SnapshotCoverage> {
    signal?.throwIfAborted();
    this.#preparing?.stop.abort();
    return await this.#inTurn(async () => {
      const pace = new Pace(signal);
      const until = monotonicMs() + this.#limits.copyMs;
      try {
        await this.#copies.makeReady();
        await this.#commands.begin(callId, writes);
        await this.#look(pace, this.#limits.scanMs, { named: writes.paths });
        await this.#copies.keepNamed(this.#last, pace);
        const coverage = await this.#copies.keep(this.#last, pace, until);
        const gaps = gapsIn(coverage, this.#limits);
        this.#running.set(callId, begun({ callId, at: new Date().toISOString(), gaps, isLeft: false, writes }));
        // Needed only if we are killed. The first one takes as long as the scan, and may be written between commands.
        const isSmall = coverage.kept <= this.#limits.leastFiles;
        if (this.#log || isSmall || monotonicMs() < until) await this.#writeDown().catch(() => {});
        return coverage;
      } catch (error) {
        if (signal?.aborted) this.#endCommand(callId);
        signal?.throwIfAborted();
        this.#copies.forget();
        const notCovered = unknown(error);
        const call = begun({ callId, at: new Date().toISOString(), gaps: [], isLeft: false, writes });
        this.#running.set(callId, { ...call, notCovered });
        return { ...nothingCovered, notCovered, cause: error };
      }
    });
  }

  async drop(callId: string): Promise<void> {
    await this.#inTurn(async () => {
      this.#running.delete(callId);
      this.#endCommand(callId);
    }).catch(() => {}); // the next start removes the rest from a journal that can't be written
  }

  leave(callId: string): void {
    const call = this.#running.get(callId);
    if (call) call.isLeft = true;
  }

  async after(callId: string): Promise<SnapshotReport> {
    return await this.#inTurn(async () => {
      const call = this.#running.get(callId);
      if (!call) return { changed: [], lost: [], notCovered: undefined };
      try {
        // Without an earlier state of the workspace, or of a folder, changes can't be detected.
        const skipped = this.#last?.unseen;
        if (call.notCovered === undefined) await this.#lookAfter({ skipped });
      } catch (error) {
        this.#copies.forget();
        call.notCovered = unknown(error);
      }
      this.#running.delete(callId);
      await this.#writeDown().catch(() => {}); // otherwise the recovery after a crash would list it again
      if (call.notCovered !== undefined) await this.#changes.recordUnknown(call, call.notCovered);
      this.#endCommand(callId);
      return { changed: [...call.changed], lost: [...call.lost], notCovered: call.notCovered };
    });
  }

  async finish(log: NonNullable<ReturnType<typeof readSnapshotLog>>): Promise<string[]> {
    await this.#copies.makeReady();
    const { tree, known, commands, running, pack } = log;
    this.#copies.takeOver(pack, known);
    this.#last = tree;
    if (commands !== undefined) this.#commands.takeOver(commands);
    for (const command of running) {
      const gaps = [...command.gaps, INTERRUPTED];
      this.#running.set(command.callId, begun({ ...command, gaps }));
    }
    if (running.length > 0) await this.#lookAfter({});
    this.#running.clear();
    this.#commands.endAll();
    await this.end();
    return running.map(({ callId }) => callId);
  }

  async end(): Promise<void> {
    this.#preparing?.stop.abort();
    await this.#inTurn(async () => {
      if (this.#running.size > 0) return; // the recovery needs its data
      await this.#log?.end();
      this.#log = undefined;
      this.#copies.close();
      if (this.#copies.packs.length === 0) return;
      const changes = await listChanges(this.#dataFolder, this.#sessionId);
      const needed = new Set(changes.flatMap(neededBeforeImages));
      for (const name of this.#copies.packs.splice(0)) await shrinkPack(this.#folders, name, needed);
    }).catch(() => {}); // leftovers are removed when they are old
  }

  /** Runs one after the other: each scan starts from the state of the previous one. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => {});
    return await mine;
  }

  /** Lets another process resume from here if we are killed. */
  async #writeDown(): Promise<void> {
    const [tree, pack] = [this.#last, this.#copies.packName];
    if (!tree || pack === undefined) return;
    this.#log ??= await SnapshotLog.begin(this.#folders, this.#sessionId);
    const running = [...this.#running.values()].filter(({ notCovered }) => notCovered === undefined);
    const state = { roots: this.#roots(), pack, tree, known: this.#copies.known, commands: this.#commands.file };
    await this.#log.update(
      state,
      running.map(({ callId, at, gaps, isLeft, writes }) => ({ callId, at, gaps, isLeft, writes })),
      this.#copies.touched,
    );
    this.#copies.touched.clear();
  }

  #endCommand(callId: string): void {
    this.#commands.end(callId);
    if (this.#commands.file === undefined) this.#journaled.clear();
  }

  /** Updates the snapshot, and lists changes that running commands have made since the last update. */
  async #look(pace: Pace, maxMs: number, { skipped, named = [] }: LookDetails = {}): Promise<void> {
    const earlier = this.#last;
    this.#journaled.beforeLook();
    const placeholders = allPlaceholders(this.#folders);
    const { maxEntries, leastFiles } = this.#limits;
    const limits = { maxEntries, leastEntries: leastFiles, maxMs };
    const isExcluded = (path: string): boolean =>
      this.#excluded.has(path) || NOT_ON_DISK.has(path) || this.#isPassing(path) || isOwnTemporary(path);
    const secrets = this.#secrets;
    const now = await readTree(this.#roots(), { earlier, isExcluded, secrets, limits, pace, skipped });
    const running = [...this.#running.values()].filter(({ notCovered }) => notCovered === undefined);
    const isStillNamed = ({ real }: DeclaredPath): boolean =>
      running.some(({ writes }) => writes.paths.some((declared) => declared.real === real));
    const isLeftOut = (path: string): boolean => isExcluded(path) || secrets.has(path);
    await addNamed(now, earlier?.named.filter(isStillNamed) ?? [], { earlier, isExcluded: isLeftOut, pace });
    await addNamed(now, named, { earlier, isExcluded: isLeftOut, pace, limits: this.#limits });
    for (const path of new Set([...placeholders, ...allPlaceholders(this.#folders)])) forgetEntry(now, path);
    const gone = removedSince(earlier, now);
    if (earlier && running.length > 0) await this.#changes.list(running, { earlier, now, gone });
    else this.#journaled.settle(new Map());
    this.#last = now;
    this.#copies.looked(now, gone);
  }

  async #lookAfter(details: LookDetails): Promise<void> {
    await this.#copies.withFullDisk(() => this.#look(new Pace(), this.#limits.rescanMs, details));
  }
}

/** Paths with special treatment in a scan. */
interface LookDetails {
  /** Folders that are not scanned. */
  skipped?: readonly string[] | undefined;
  /** Paths that a command that is about to begin declares as written. */
  named?: readonly DeclaredPath[];
}

const unknown = (error: unknown): string => `What the command changed is not known: ${errorClause(error)}.`;
