// What commands do to the workspace is found out by looking at it before and after: at every file that git does not
// ignore, by what the system tells of it, and by content where that has changed. What files hold is kept before a
// command begins, as much of it as can be read in the time there is.
//
// There is one picture of the workspace, and every look brings it up to date. What has changed since the last look was
// done by the commands that ran in between, unless the journal has it as a change of another call or session, or another
// session ran a command at the same time: see claim-change.ts. Where no command ran, it belongs to no call.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { monotonicMs } from '../clock.js';
import { randomHex } from '../crypto.js';
import { isOwnTemporary } from './change-plan.js';
import { claimantOf } from './claim-change.js';
import { anyWrites, type DeclaredPath, type DeclaredWrites, namesPath } from './declared-writes.js';
import { placeholdersOfAll } from './held-places.js';
import { ImagePack, shrinkPack } from './image-pack.js';
import { hashOf, type JournalFolders, journalFolders, listChanges, makeJournal, recordChange } from './journal.js';
import { JournaledChanges } from './journaled-changes.js';
import { addNamed, type NamedLimits, namedLimit } from './named-tree.js';
import { realPathSync } from './paths.js';
import { neededImages } from './recorded-change.js';
import { type BesideCommand, RunningCommands } from './running-commands.js';
import {
  type Content,
  IN_BACKGROUND,
  INTERRUPTED,
  isFolderChange,
  isLost,
  type Journaled,
  type Part,
  partsOf,
  type Side,
  sideOf,
  unclaimedIn,
} from './snapshot-changes.js';
import { type Known, type OpenCommand, Picture, type readPicture } from './snapshot-picture.js';
import {
  type Entry,
  entryAt,
  entryOf,
  isGone,
  isUntouched,
  isUnwritten,
  Pace,
  readTree,
  type Tree,
} from './workspace-tree.js';
import { codeOf } from './write-failure.js';

const SMALL_BYTES = 256_000;
const MB = 1_000_000;
const AHEAD = 50; // times as long as a command would wait
const REST_MS = 10;
const MAX_READS = 3; // of a file that changes while it is read
/** To read some of what is there does something, and nothing of it could be put back. */
const NOT_ON_DISK: ReadonlySet<string> = new Set(['/proc', '/sys', '/dev']);

export interface SnapshotLimits extends NamedLimits {
  /** How long the workspace is looked through before a command. */
  lookMs: number;
  /** How long a command waits until what files hold is kept, from when the workspace is first looked at. */
  keepMs: number;
  /** How long the workspace is looked through after it: without that, what was kept is of no use. */
  afterMs: number;
  /** How long what it has changed is read. */
  changedMs: number;
  /** Files that are looked at and kept however long it takes: where the machine is busy, all take longer than they should. */
  leastFiles: number;
  /** Files and folders that are looked at. */
  maxEntries: number;
  /** Of one file that is kept. */
  maxFileBytes: number;
  /** Of all that a session keeps. */
  maxBytes: number;
}

const standardLimits: SnapshotLimits = {
  lookMs: 200,
  keepMs: 200,
  afterMs: 5_000,
  changedMs: 2_000,
  leastFiles: 1_000,
  maxEntries: 200_000,
  maxFileBytes: 10 * MB,
  maxBytes: 500 * MB,
  maxNamedEntries: 10_000,
  maxNamedBytes: 100 * MB,
};

export interface WorkspaceSnapshotOptions {
  /** The folders of the workspace, by real path; there may be more of them later. */
  roots(): readonly string[];
  dataFolder: string;
  sessionId: string;
  limits?: Partial<SnapshotLimits>;
  /** Whether something at a path is there only while a command runs, and none of its work. */
  isPassing?: (path: string) => boolean;
  /** What is never copied, by real path: keys. */
  secrets?: ReadonlySet<string>;
}

/** What a command has changed in the workspace, by real path. */
export interface SnapshotReport {
  changed: string[];
  /** Those among them that can't be put back. */
  lost: string[];
  /** Why nothing is known, where that is so. */
  notCovered: string | undefined;
}

export interface WorkspaceSnapshots {
  /**
   * Does ahead what the next commands would wait for, beside other work and for some seconds at most. To be called while
   * nobody waits; it ends as soon as a command begins. It never fails.
   */
  prepare(): Promise<void>;
  /**
   * To be called before a command that may change files. What it names for writing is kept first. Fails only where it is
   * aborted: no command waits for undo.
   */
  before(callId: string, signal?: AbortSignal, writes?: DeclaredWrites): Promise<SnapshotCoverage>;
  /** To be called when the command goes on in the background: others work beside it from now on. */
  leave(callId: string): void;
  /** To be called after it, however it ended. Adds what has changed to the session's list, under the call's id. */
  after(callId: string): Promise<SnapshotReport>;
  /** To be called when the session ends. Copies that no change needs are removed. */
  end(): Promise<void>;
}

/** How much of the workspace could be put back now. */
export interface SnapshotCoverage {
  kept: number;
  /** Files that there was no time for yet, or no room. */
  notYet: number;
  tooLarge: number;
  /** What could not be read, or has a name that is not text. */
  unreadable: number;
  /** Folders that were not looked into, because there was no time or there are too many files. */
  unseen: number;
  /** What the command names for writing and can't be put back as a whole, because it is too much, and how much that is. */
  tooMuch: { paths: readonly string[]; limit: string };
  /** Why nothing is covered, where that is so. */
  notCovered: string | undefined;
}

const nothingCovered = { kept: 0, notYet: 0, tooLarge: 0, unreadable: 0, unseen: 0, tooMuch: { paths: [], limit: '' } };

/** Nothing is looked at before the first command. */
export function createWorkspaceSnapshots(options: WorkspaceSnapshotOptions): WorkspaceSnapshots {
  return new Snapshots(options);
}

/** Lists what commands have changed whose Helve was killed while they ran. Gives their calls. */
export async function finishSnapshots(
  dataFolder: string,
  sessionId: string,
  picture: NonNullable<ReturnType<typeof readPicture>>,
): Promise<string[]> {
  const snapshots = new Snapshots({ roots: () => picture.roots, dataFolder, sessionId });
  return await snapshots.finish(picture);
}

/** A command on its way, and what is known of its deeds so far. */
interface Running extends OpenCommand {
  changed: Set<string>;
  lost: Set<string>;
  notCovered: string | undefined;
}

const begun = (command: OpenCommand): Running => ({
  ...command,
  changed: new Set(),
  lost: new Set(),
  notCovered: undefined,
});

class Snapshots implements WorkspaceSnapshots {
  readonly #roots: () => readonly string[];
  readonly #excluded: string;
  readonly #folders: JournalFolders;
  readonly #dataFolder: string;
  readonly #sessionId: string;
  readonly #limits: SnapshotLimits;
  readonly #isPassing: (path: string) => boolean;
  readonly #secrets: ReadonlySet<string>;
  readonly #known = new Map<string, Known>();
  readonly #running = new Map<string, Running>();
  #last: Tree | undefined;
  #pack: ImagePack | undefined;
  readonly #packs: string[] = [];
  #picture: Picture | undefined;
  /** Files of which there is no copy, or one that has to be looked at once more; undefined where that is to be found out. */
  #missing: Map<string, Entry> | undefined;
  /** Whether no command would have to wait for more than what has changed meanwhile. */
  #isCovered = false;
  /** What is not yet in the picture on disk as it is. */
  readonly #touched = new Set<string>();
  readonly #commands: RunningCommands;
  readonly #journaled: JournaledChanges;
  #keepsNothing = false;
  /** What was known of files before the look that goes on. */
  readonly #replaced = new Map<string, Known>();
  #preparing: { stop: AbortController; done: Promise<void> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WorkspaceSnapshotOptions) {
    const { roots, dataFolder, sessionId, limits, isPassing = () => false, secrets = new Set() } = options;
    this.#roots = roots;
    this.#isPassing = isPassing;
    this.#secrets = secrets;
    this.#dataFolder = dataFolder;
    this.#excluded = realPathSync(dataFolder);
    this.#folders = journalFolders(dataFolder);
    this.#sessionId = sessionId;
    this.#limits = { ...standardLimits, ...limits };
    this.#commands = new RunningCommands(this.#folders, sessionId);
    this.#journaled = new JournaledChanges(this.#folders, this.#commands);
  }

  async prepare(): Promise<void> {
    if (this.#preparing || this.#running.size > 0 || this.#isCovered) return;
    const stop = new AbortController();
    const pace = new Pace(stop.signal, { restMs: REST_MS });
    const work = async (): Promise<void> => {
      if (this.#running.size > 0) return;
      await this.#makeReady();
      const until = monotonicMs() + this.#limits.keepMs * AHEAD;
      await this.#look(pace, this.#limits.lookMs * AHEAD);
      await this.#keep(pace, until);
      await this.#writeDown();
    };
    const done = this.#inTurn(work).catch(() => {}); // stopped, or it goes wrong again with the next command
    this.#preparing = { stop, done };
    await done;
    this.#preparing = undefined;
  }

  async before(callId: string, signal?: AbortSignal, writes: DeclaredWrites = anyWrites): Promise<SnapshotCoverage> {
    signal?.throwIfAborted();
    this.#preparing?.stop.abort();
    return await this.#inTurn(async () => {
      const pace = new Pace(signal);
      const until = monotonicMs() + this.#limits.keepMs;
      try {
        await this.#makeReady();
        await this.#commands.begin(callId, writes);
        await this.#look(pace, this.#limits.lookMs, { named: writes.paths });
        await this.#keepNamed(pace);
        const coverage = await this.#keep(pace, until);
        const gaps = gapsIn(coverage, this.#limits);
        this.#running.set(callId, begun({ callId, at: new Date().toISOString(), gaps, isLeft: false, writes }));
        // It is needed only if we are killed. The first takes as long as the look, and may be made between commands.
        const isSmall = coverage.kept <= this.#limits.leastFiles;
        if (this.#picture || isSmall || monotonicMs() < until) await this.#writeDown().catch(() => {});
        return coverage;
      } catch (error) {
        if (signal?.aborted) this.#endCommand(callId);
        signal?.throwIfAborted();
        this.#forgetCopies();
        const notCovered = unknown(error);
        const call = begun({ callId, at: new Date().toISOString(), gaps: [], isLeft: false, writes });
        this.#running.set(callId, { ...call, notCovered });
        return { ...nothingCovered, notCovered };
      }
    });
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
        // Where nothing was known before, or not of a folder, nothing can be found out now.
        const skipped = this.#last?.unseen;
        if (call.notCovered === undefined) await this.#lookAfter({ skipped });
      } catch (error) {
        this.#forgetCopies();
        call.notCovered = unknown(error);
      }
      this.#running.delete(callId);
      await this.#writeDown().catch(() => {}); // else whoever comes after a crash would list it again
      if (call.notCovered !== undefined) await this.#recordUnknown(call, call.notCovered);
      this.#endCommand(callId);
      return { changed: [...call.changed], lost: [...call.lost], notCovered: call.notCovered };
    });
  }

  async finish(picture: NonNullable<ReturnType<typeof readPicture>>): Promise<string[]> {
    await this.#makeReady();
    const { tree, known, commands, running, pack } = picture;
    this.#packs.push(pack);
    this.#last = tree;
    if (commands !== undefined) this.#commands.takeOver(commands);
    for (const [path, one] of known) this.#known.set(path, one);
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
      if (this.#running.size > 0) return; // what it needs stays for whoever comes next
      await this.#picture?.end();
      this.#picture = undefined;
      this.#pack?.close();
      this.#pack = undefined;
      if (this.#packs.length === 0) return;
      const changes = await listChanges(this.#dataFolder, this.#sessionId);
      const needed = new Set(changes.flatMap(neededImages));
      for (const name of this.#packs.splice(0)) await shrinkPack(this.#folders, name, needed);
    }).catch(() => {}); // what is left is removed with what is old
  }

  /** One after the other: each look begins where the last has ended. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => {});
    return await mine;
  }

  /** So that others can go on from here if we are killed. */
  async #writeDown(): Promise<void> {
    const [tree, pack] = [this.#last, this.#pack?.name];
    if (!tree || pack === undefined) return;
    this.#picture ??= await Picture.begin(this.#folders, this.#sessionId);
    const running = [...this.#running.values()].filter(({ notCovered }) => notCovered === undefined);
    const state = { roots: this.#roots(), pack, tree, known: this.#known, commands: this.#commands.file };
    await this.#picture.update(
      state,
      running.map(({ callId, at, gaps, isLeft, writes }) => ({ callId, at, gaps, isLeft, writes })),
      this.#touched,
    );
    this.#touched.clear();
  }

  /** The place for copies, made anew where somebody has cleaned it away. */
  async #makeReady(): Promise<void> {
    if (this.#pack?.touch()) return;
    this.#forgetCopies();
    await makeJournal(this.#folders);
    this.#pack = new ImagePack(this.#folders, this.#sessionId);
    this.#packs.push(this.#pack.name);
  }

  /** What could not be written whole, or is gone, is no copy. */
  #forgetCopies(): void {
    this.#pack?.close();
    this.#pack = undefined;
    this.#known.clear();
    this.#missing = undefined;
    this.#isCovered = false;
  }

  #endCommand(callId: string): void {
    this.#commands.end(callId);
    if (this.#commands.file === undefined) this.#journaled.clear();
  }

  /** Brings the picture up to date, and lists what running commands have changed since it was. */
  async #look(pace: Pace, maxMs: number, { skipped, named = [] }: LookDetails = {}): Promise<void> {
    const earlier = this.#last;
    this.#journaled.beforeLook();
    const placeholders = placeholdersOfAll(this.#folders);
    const { maxEntries, leastFiles } = this.#limits;
    const limits = { maxEntries, leastEntries: leastFiles, maxMs };
    const isExcluded = (path: string): boolean =>
      path === this.#excluded || NOT_ON_DISK.has(path) || this.#isPassing(path) || isOwnTemporary(path);
    const secrets = this.#secrets;
    const now = await readTree(this.#roots(), { earlier, isExcluded, secrets, limits, pace, skipped });
    const running = [...this.#running.values()].filter(({ notCovered }) => notCovered === undefined);
    const isStillNamed = ({ real }: DeclaredPath): boolean =>
      running.some(({ writes }) => writes.paths.some((declared) => declared.real === real));
    const isLeftOut = (path: string): boolean => isExcluded(path) || secrets.has(path);
    await addNamed(now, earlier?.named.filter(isStillNamed) ?? [], { earlier, isExcluded: isLeftOut, pace });
    await addNamed(now, named, { earlier, isExcluded: isLeftOut, pace, limits: this.#limits });
    for (const path of new Set([...placeholders, ...placeholdersOfAll(this.#folders)])) forgetEntry(now, path);
    const gone = goneSince(earlier, now);
    if (earlier && running.length > 0) await this.#list(running, { earlier, now, gone });
    else this.#journaled.settle(new Map());
    this.#last = now;
    for (const path of [...now.fresh, ...gone]) {
      this.#touched.add(path);
      const entry = now.entries.get(path);
      if (entry?.kind === 'file') this.#missing?.set(path, entry);
      else this.#missing?.delete(path);
    }
    // What was only not looked at may be looked at again.
    if (now.unseen.length === 0) for (const path of gone) this.#known.delete(path);
  }

  /** Where the disk is full, by the command itself perhaps, what is there now is not kept; what was there before is. */
  async #lookAfter(details: LookDetails): Promise<void> {
    this.#replaced.clear();
    try {
      await this.#look(new Pace(), this.#limits.afterMs, details);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      for (const [path, known] of this.#replaced) this.#known.set(path, known);
      this.#keepsNothing = true;
      try {
        await this.#look(new Pace(), this.#limits.afterMs, details);
      } finally {
        this.#keepsNothing = false;
        this.#forgetCopies();
      }
    }
  }

  async #list(running: readonly Running[], looks: Looks): Promise<void> {
    const { earlier, now } = looks;
    const found = await this.#changes(looks);
    // What others have journaled explains differences only. What is not read now is read before the next look.
    if (found.length === 0 && earlier.unseen.length + now.unseen.length === 0) return this.#journaled.settle(new Map());
    if (!this.#keepsNothing) this.#pack?.flush(); // what is there now is what the next command finds
    const beside = this.#journaled.afterLook();
    const [parts, unclaimed] = [new Map<Running, Part[]>(), [] as Part[]];
    const later = new Map<string, Journaled[]>();
    for (const { path, before, after } of found) {
      const compared = partsOf(path, before, after, this.#journaled.of(path, after));
      later.set(path, compared.later);
      if (compared.parts.length === 0) continue;
      const claimant = claimantOf(
        path,
        { isFolder: isFolderChange(before, after) },
        { own: running, beside, sessionId: this.#sessionId },
      );
      if (claimant === 'unclaimed') unclaimed.push(...compared.parts);
      else if (claimant) parts.set(claimant, [...(parts.get(claimant) ?? []), ...compared.parts]);
    }
    this.#journaled.settle(later);
    const doer = running.at(-1);
    const hasUnseen = earlier.unseen.length + now.unseen.length > 0;
    if (doer && (unclaimed.length > 0 || hasUnseen) && !parts.has(doer)) parts.set(doer, []);
    for (const [command, some] of parts) {
      const mine = command === doer ? unclaimed : [];
      await this.#recordParts(command, some, { notes: this.#notesOn(command, now, beside), unclaimed: mine });
    }
  }

  async #recordParts(
    command: Running,
    parts: readonly Part[],
    { notes, unclaimed }: { notes: readonly string[]; unclaimed: readonly Part[] },
  ): Promise<void> {
    const seen = { ...(notes.length > 0 && { notes: [...notes] }), ...unclaimedIn(unclaimed) };
    const record = async (some: readonly Part[], earlierThan?: string): Promise<void> => {
      const change = randomHex(12);
      this.#journaled.isOwn(change);
      await recordChange(this.#folders, this.#sessionId, {
        change,
        callId: command.callId,
        at: command.at,
        files: some.map(({ file }) => file),
        seen,
        ...(earlierThan !== undefined && { earlierThan }),
      });
    };
    for (const change of new Set(parts.map((part) => part.earlierThan))) {
      if (change === undefined) continue;
      await record(
        parts.filter(({ earlierThan }) => earlierThan === change),
        change,
      );
    }
    const last = parts.filter(({ earlierThan }) => earlierThan === undefined);
    if (last.length > 0 || parts.length === 0) await record(last);
    for (const { file } of parts) {
      command.changed.add(file.real);
      if (isLost(file)) command.lost.add(file.real);
    }
  }

  #notesOn({ callId, isLeft, gaps }: Running, now: Tree, beside: readonly BesideCommand[]): string[] {
    const family = beside
      .filter(({ sessionId }) => sessionId === this.#sessionId)
      .map((other) => other.writer ?? other.callId);
    const others = [...this.#running.keys(), ...family].filter((id) => id !== callId);
    return [
      ...gaps,
      ...(now.unseen.length > 0 ? [unseenNote(now.unseen.length)] : []),
      ...(others.length > 0
        ? [`${others.join(', ')} ran beside it, so that some of this may be the work of that`]
        : []),
      ...(isLeft ? [IN_BACKGROUND] : []),
    ];
  }

  async #recordUnknown({ callId, at }: Running, notCovered: string): Promise<void> {
    // Nobody may be told that there is nothing to undo. Where the journal can't be written, the answer says it.
    await recordChange(this.#folders, this.#sessionId, {
      change: randomHex(12),
      callId,
      at,
      files: [],
      seen: { notCovered },
    }).catch(() => {});
  }

  async #changes({ earlier, now, gone }: Looks): Promise<Found[]> {
    const pace = new Pace();
    const until = monotonicMs() + this.#limits.changedMs;
    const found: Found[] = [];
    for (const path of [...gone, ...now.fresh].toSorted()) {
      const old = earlier.entries.get(path);
      // An entry may be ignored by now, or not be looked at, and then it is not gone.
      const isOut = isCutOff(path, now);
      const fresh = now.entries.get(path) ?? (isOut ? undefined : entryAt(path, old));
      if (old && fresh && isUntouched(old, fresh) && (old.settled || old.kind !== 'file')) continue;
      if (!fresh && !isOut && !isGone(path)) continue;
      if (!old && fresh && wasHidden(earlier, now, path, fresh)) continue;
      found.push({ path, ...this.#compare(path, old, fresh, until) });
      await pace.breathe();
    }
    return found;
  }

  #compare(path: string, old: Entry | undefined, looked: Entry | undefined, until: number): Omit<Found, 'path'> {
    const held = old && this.#held(path, old);
    let fresh = looked;
    let read = fresh && this.#read(path, fresh, until);
    // Another session may have changed it since it was looked at.
    for (let again = 0; again < MAX_READS && fresh && read && 'why' in read; again += 1) {
      const latest = entryAt(path, fresh);
      if (latest && isUntouched(latest, fresh)) break;
      fresh = latest;
      read = fresh && this.#read(path, fresh, until);
    }
    // What was not written since holds the same, also where only one of the two could be read: its mode is another.
    const isSame = old && fresh && isUnwritten(old, fresh);
    const known = isSame && held && 'why' in held ? read : held;
    const content = isSame && read && 'why' in read ? held : read;
    return { before: sideOf(old, known), after: sideOf(fresh, content) };
  }

  /** What the file held at the last look. */
  #held(path: string, entry: Entry): Content | undefined {
    if (entry.kind !== 'file') return undefined;
    return this.#knownAt(path, entry) ?? { why: this.#whyUnknown(entry) };
  }

  #read(path: string, entry: Entry, until: number): Content | undefined {
    if (entry.kind !== 'file') return undefined;
    const known = this.#knownAt(path, entry);
    if (known?.entry.settled) return known;
    const read = monotonicMs() > until ? undefined : this.#copy(path, entry);
    return read ?? { why: this.#whyUnknown(entry) };
  }

  /** What was kept of the file as it is now. */
  #knownAt(path: string, entry: Entry): Known | undefined {
    const known = this.#known.get(path);
    return known && (known.entry === entry || isUntouched(known.entry, entry)) ? known : undefined;
  }

  #whyUnknown({ size }: Entry): string {
    const { maxFileBytes, maxBytes } = this.#limits;
    if (size > maxFileBytes) return `it was larger than ${maxFileBytes / MB} MB`;
    if ((this.#pack?.bytes ?? 0) + size > maxBytes) return `the copies of this session reached ${maxBytes / MB} MB`;
    return 'there was no time to copy it before the command, or it could not be read';
  }

  /** Copies what commands name for writing, however long it takes: there is not too much of it. */
  async #keepNamed(pace: Pace): Promise<void> {
    for (const path of this.#last?.namedPaths ?? []) {
      const entry = this.#last?.entries.get(path);
      if (entry?.kind !== 'file' || this.#knownAt(path, entry)?.entry.settled) continue;
      this.#copy(path, entry, this.#limits.maxNamedBytes);
      await pace.breathe();
    }
  }

  /** Copies what has no copy yet, until the time is up: what a person works on first. */
  async #keep(pace: Pace, until: number): Promise<SnapshotCoverage> {
    const { entries = new Map<string, Entry>(), files: all = 0, unreadable = [], unseen = [] } = this.#last ?? {};
    this.#missing ??= new Map([...entries].filter(([, { kind }]) => kind === 'file'));
    const missing = [...this.#missing].toSorted(([, one], [, other]) => inOrder(one, other));
    let isTimeUp = false;
    let [notYet, tooLarge, tried] = [0, 0, 0];
    for (const [path, entry] of missing) {
      const known = this.#knownAt(path, entry);
      const kept = known?.entry.settled || isTimeUp ? known : this.#copy(path, entry);
      if (kept?.entry.settled) this.#missing.delete(path);
      if (!kept && entry.size > this.#limits.maxFileBytes) tooLarge += 1;
      else if (!kept) notYet += 1;
      if (isTimeUp) continue;
      tried += 1;
      isTimeUp = tried > this.#limits.leastFiles && monotonicMs() > until;
      await pace.breathe();
    }
    this.#pack?.flush();
    this.#isCovered = notYet === 0 && unseen.length === 0;
    const counts = { kept: all - notYet - tooLarge, notYet, tooLarge };
    const tooMuch = { paths: this.#last?.tooMuch ?? [], limit: namedLimit(this.#limits) };
    return { ...counts, unreadable: unreadable.length, unseen: unseen.length, tooMuch, notCovered: undefined };
  }

  /** Undefined where it is too large, can't be read, or is another file by now. */
  #copy(path: string, entry: Entry, maxBytes = this.#limits.maxFileBytes): Known | undefined {
    const { size } = entry;
    const pack = this.#pack;
    if (!pack || size > maxBytes || pack.bytes + size > this.#limits.maxBytes) return undefined;
    try {
      const bytes = readWhole(path, entry);
      if (!bytes) return undefined;
      const hash = hashOf(bytes);
      if (this.#keepsNothing) return { entry, hash };
      pack.add(hash, bytes);
      const known = { entry, hash };
      const earlier = this.#known.get(path);
      if (earlier && !this.#replaced.has(path)) this.#replaced.set(path, earlier);
      this.#known.set(path, known);
      this.#touched.add(path);
      return known;
    } catch (error) {
      if (isDiskFull(error)) throw error;
      return undefined; // gone, or not ours to read
    }
  }
}

const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');

/** What a look pays heed to beside the workspace. */
interface LookDetails {
  /** Folders that are not looked into. */
  skipped?: readonly string[] | undefined;
  /** What a command that is about to begin names for writing. */
  named?: readonly DeclaredPath[];
}

/** A path that is other than it was at the last look. */
interface Found {
  path: string;
  before: Side;
  after: Side;
}

function forgetEntry(tree: Tree, path: string): void {
  const entry = tree.entries.get(path);
  if (!entry) return;
  tree.entries.delete(path);
  tree.fresh = tree.fresh.filter((fresh) => fresh !== path);
  if (entry.kind === 'file') tree.files -= 1;
}

/** Two looks, one after the other, and what the later one has not found any more. */
interface Looks {
  earlier: Tree;
  now: Tree;
  gone: readonly string[];
}

function goneSince(earlier: Tree | undefined, now: Tree): string[] {
  if (!earlier) return [];
  const replaced = now.fresh.filter((path) => earlier.entries.has(path)).length;
  const left = now.entries.size - now.fresh.length + replaced;
  return left === earlier.entries.size ? [] : [...earlier.entries.keys()].filter((path) => !now.entries.has(path));
}

/** Whether a folder above it is no folder any more: what is found behind a link has another path. */
function isCutOff(path: string, { entries }: Tree): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
    const above = entries.get(at);
    if (above) return above.kind !== 'folder'; // and so are those above it
    const { kind = 'folder' } = entryAt(at) ?? {};
    if (kind !== 'folder') return true;
  }
  return false;
}

const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined where it is not the file that was looked at any more. */
function readWhole(path: string, entry: Entry): Uint8Array | undefined {
  const file = openSync(path, READING);
  try {
    if (!isUntouched(entryOf(fstatSync(file)), entry)) return undefined;
    const bytes = Buffer.allocUnsafe(entry.size + 1); // one more, to see that there is no more
    let length = 0;
    for (let more = -1; more !== 0 && length < bytes.length; length += more) {
      more = readSync(file, bytes, length, bytes.length - length, null);
    }
    return length === entry.size ? bytes.subarray(0, length) : undefined;
  } finally {
    closeSync(file);
  }
}

function inOrder(one: Entry, other: Entry): number {
  const [isSmall, isOtherSmall] = [one.size <= SMALL_BYTES, other.size <= SMALL_BYTES];
  if (isSmall !== isOtherSmall) return isSmall ? -1 : 1;
  return isSmall ? other.mtimeMs - one.mtimeMs : one.size - other.size;
}

/** Whether a new entry may have been there before without having been seen. */
function wasHidden(before: Tree, now: Tree, path: string, { kind }: Entry): boolean {
  const { entries, listings, unreadable, unseen, named } = before;
  if (namesPath({ paths: named, isExact: true }, path)) return false;
  const isNew = [{ path, isFolder: kind === 'folder' }];
  for (let at = path; ; at = dirname(at)) {
    if (unreadable.includes(at) || unseen.includes(at)) return true;
    if (at === dirname(at)) return !entries.has(at); // of a folder that has come to the workspace since
    // By the rules of then, as far as they are known: the entry itself, and every folder that was not looked into.
    const above = dirname(at);
    const isKnown = entries.get(above)?.kind === 'folder' && !unreadable.includes(above) && !unseen.includes(above);
    const listing = listings.get(above) ?? (isKnown ? now.listings.get(above) : undefined);
    if (listing) return isNew.some((one) => listing.rules.ignores(one.path, one));
    isNew.push({ path: dirname(at), isFolder: true });
  }
}

/** What can't be put back, or is not known, in words; nothing where all is covered. */
export function gapsIn(
  coverage: SnapshotCoverage,
  { maxFileBytes }: Pick<SnapshotLimits, 'maxFileBytes'> = standardLimits,
): string[] {
  const { notYet, tooLarge, unreadable, unseen } = coverage;
  return [
    notYet > 0 && `${files(notYet)} not covered, for want of time or room for copies`,
    tooLarge > 0 && `${files(tooLarge)} not covered, because larger than ${maxFileBytes / MB} MB`,
    unreadable > 0 && `${files(unreadable)} not covered, because not to be read`,
    unseen > 0 && unseenNote(unseen),
  ].filter((gap) => gap !== false);
}

const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

const unseenNote = (count: number): string =>
  `${count === 1 ? '1 folder' : `${count} folders`} not looked into, for want of time or because there are too many files`;

const unknown = (error: unknown): string =>
  `What the command changed is not known: ${error instanceof Error ? error.message : String(error)}.`;
