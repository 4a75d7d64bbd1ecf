// What commands do to the workspace is found out by looking at it before and after: at every file that git does not
// ignore, by what the system tells of it, and by content where that has changed. The content before is kept in the
// journal, as much of it as can be read in the time there is; the next command finds the rest a little smaller.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { monotonicMs } from '../clock.js';
import { randomHex } from '../crypto.js';
import {
  hashOf,
  type JournalFolders,
  journalFolders,
  makeJournal,
  type RecordedFile,
  type RecordedOther,
  recordChange,
  saveImageSoon,
} from './journal.js';
import { realPathSync } from './paths.js';
import {
  contentId,
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

export interface SnapshotLimits {
  /** How long contents are read and kept before a command. */
  keepMs: number;
  /** The same after it, for what it has changed. */
  changedMs: number;
  /** How long the workspace may take to be looked through. */
  lookMs: number;
  /** Files and folders that are looked at. */
  maxEntries: number;
  /** Of one file that is kept. */
  maxFileBytes: number;
  /** Of all that a session keeps. */
  maxBytes: number;
}

const standardLimits: SnapshotLimits = {
  keepMs: 200,
  changedMs: 2_000,
  lookMs: 5_000,
  maxEntries: 200_000,
  maxFileBytes: 10 * MB,
  maxBytes: 500 * MB,
};

export interface WorkspaceSnapshotOptions {
  /** The real path of the workspace. */
  root: string;
  dataFolder: string;
  sessionId: string;
  limits?: Partial<SnapshotLimits>;
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
   * Does ahead what the first commands would wait for, beside other work and for some seconds at most. To be called while
   * nobody waits, once; it ends as soon as a command begins. It never fails.
   */
  prepare(): Promise<void>;
  /** To be called before a command that may change files. Fails only where it is aborted: no command waits for undo. */
  before(callId: string, signal?: AbortSignal): Promise<SnapshotCoverage>;
  /** To be called after it, however it ended. Adds what has changed to the session's list, under the call's id. */
  after(callId: string): Promise<SnapshotReport>;
}

/** How much of the workspace could be put back now. */
export interface SnapshotCoverage {
  kept: number;
  /** Files that there was no time for yet. */
  notYet: number;
  tooLarge: number;
  unreadable: number;
  /** Why nothing is covered, where that is so. */
  notCovered: string | undefined;
}

/** Nothing is looked at before the first command. */
export function createWorkspaceSnapshots(options: WorkspaceSnapshotOptions): WorkspaceSnapshots {
  return new Snapshots(options);
}

interface Known {
  /** The file as it was when it was read. */
  entry: Entry;
  hash: string;
}

type Look = { tree: Tree; at: Map<string, Known | { why: string }> } | { notCovered: string };

class Snapshots implements WorkspaceSnapshots {
  readonly #root: string;
  readonly #excluded: string;
  readonly #folders: JournalFolders;
  readonly #sessionId: string;
  readonly #limits: SnapshotLimits;
  readonly #known = new Map<string, Known>();
  readonly #open = new Map<string, Look>();
  #last: Tree | undefined;
  #preparing: { stop: AbortController; done: Promise<void> } | undefined;
  #keptBytes = 0;
  /** Once it took too long to look at the workspace, no further command shall wait for that. */
  #givenUp: string | undefined;

  constructor({ root, dataFolder, sessionId, limits }: WorkspaceSnapshotOptions) {
    this.#root = root;
    this.#excluded = realPathSync(dataFolder);
    this.#folders = journalFolders(dataFolder);
    this.#sessionId = sessionId;
    this.#limits = { ...standardLimits, ...limits };
  }

  async prepare(): Promise<void> {
    if (this.#preparing || this.#last) return;
    const stop = new AbortController();
    const pace = new Pace(stop.signal, { restMs: REST_MS });
    const work = async (): Promise<void> => {
      await makeJournal(this.#folders);
      const tree = await this.#look(pace, AHEAD);
      if (tree) await this.#keep(tree, pace, AHEAD);
    };
    const done = work().catch(() => {}); // stopped, or what goes wrong goes wrong again with the first command
    this.#preparing = { stop, done };
    await done;
  }

  async before(callId: string, signal?: AbortSignal): Promise<SnapshotCoverage> {
    signal?.throwIfAborted();
    this.#preparing?.stop.abort();
    await this.#preparing?.done;
    const pace = new Pace(signal);
    const coverage = { kept: 0, notYet: 0, tooLarge: 0, unreadable: 0, notCovered: undefined };
    try {
      await makeJournal(this.#folders);
      const tree = await this.#look(pace);
      if (!tree) return this.#notCovered(callId, this.#givenUp ?? 'it could not be looked through');
      await this.#keep(tree, pace);
      const at: Exclude<Look, { notCovered: string }>['at'] = new Map();
      for (const [path, entry] of tree.entries) {
        if (entry.kind !== 'file') continue;
        const known = this.#knownAt(path, entry);
        const why = known ? undefined : this.#whyUnknown(entry);
        at.set(path, known ?? { why: why ?? '' });
        if (known) coverage.kept += 1;
        else if (entry.size > this.#limits.maxFileBytes) coverage.tooLarge += 1;
        else coverage.notYet += 1;
      }
      this.#open.set(callId, { tree, at });
      return { ...coverage, unreadable: tree.unreadable.length };
    } catch (error) {
      signal?.throwIfAborted();
      return this.#notCovered(callId, error instanceof Error ? error.message : String(error));
    }
  }

  #notCovered(callId: string, why: string): SnapshotCoverage {
    const notCovered = `What the command changed is not known: ${why}.`;
    this.#open.set(callId, { notCovered });
    return { kept: 0, notYet: 0, tooLarge: 0, unreadable: 0, notCovered };
  }

  async #look(pace: Pace, patience = 1): Promise<Tree | undefined> {
    if (this.#givenUp !== undefined) return undefined;
    const { maxEntries, lookMs } = this.#limits;
    const limits = { maxEntries, maxMs: lookMs * patience };
    const tree = await readTree(this.#root, { earlier: this.#last, excluded: this.#excluded, limits, pace });
    if (tree) this.#last = tree;
    else
      this.#givenUp = `${this.#root} has more than ${maxEntries} files and folders that git does not ignore, or takes longer than ${lookMs / 1_000} s to be looked through`;
    return tree;
  }

  /** What was kept of the file as it is now. */
  #knownAt(path: string, entry: Entry): Known | undefined {
    const known = this.#known.get(path);
    return known && isUntouched(known.entry, entry) ? known : undefined;
  }

  #whyUnknown({ size }: Entry): string {
    const { maxFileBytes, maxBytes } = this.#limits;
    if (size > maxFileBytes) return `it was larger than ${maxFileBytes / MB} MB`;
    if (this.#keptBytes + size > maxBytes) return `the copies of this session reached ${maxBytes / MB} MB`;
    return 'there was no time to copy it before the command, or it could not be read';
  }

  /** Copies what has no copy yet, until the time is up: what a person works on first. */
  async #keep(tree: Tree, pace: Pace, patience = 1): Promise<void> {
    const until = monotonicMs() + this.#limits.keepMs * patience;
    const missing: Array<[string, Entry]> = [];
    for (const [path, entry] of tree.entries) {
      if (entry.kind !== 'file') continue;
      const known = this.#knownAt(path, entry);
      if (!known?.entry.settled) missing.push([path, entry]);
    }
    for (const [path, entry] of missing.toSorted(([, one], [, other]) => inOrder(one, other))) {
      const kept = this.#copy(path, entry);
      if (kept) this.#known.set(path, kept);
      if (monotonicMs() > until) return;
      await pace.breathe();
    }
  }

  /** Undefined where it is too large, can't be read, or is another file by now. */
  #copy(path: string, entry: Entry): Known | undefined {
    const { size } = entry;
    if (size > this.#limits.maxFileBytes || this.#keptBytes + size > this.#limits.maxBytes) return undefined;
    try {
      const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      const file = openSync(path, flags);
      try {
        const opened = entryOf(fstatSync(file));
        if (!isUntouched(opened, entry)) return undefined;
        const bytes = readFileSync(file);
        if (bytes.length !== size) return undefined;
        const hash = hashOf(bytes);
        if (this.#known.get(path)?.hash !== hash) {
          saveImageSoon(this.#folders, bytes, hash);
          this.#keptBytes += size;
        }
        return { entry, hash };
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') throw error;
      return undefined; // gone, or not ours to read
    }
  }

  async after(callId: string): Promise<SnapshotReport> {
    const look = this.#open.get(callId);
    if (!look) return { changed: [], lost: [], notCovered: undefined };
    this.#open.delete(callId);
    const record = { change: randomHex(12), callId, at: new Date().toISOString() };
    const unknown = async (notCovered: string): Promise<SnapshotReport> => {
      // Nobody may be told that there is nothing to undo. Where the journal can't be written, the answer says it.
      const entry = { ...record, files: [], seen: { notCovered } };
      await recordChange(this.#folders, this.#sessionId, entry).catch(() => {});
      return { changed: [], lost: [], notCovered };
    };
    if ('notCovered' in look) return await unknown(look.notCovered);
    try {
      const files = await this.#changes(look);
      if (files.length > 0) await recordChange(this.#folders, this.#sessionId, { ...record, files, seen: {} });
      return {
        changed: files.map(({ real }) => real),
        lost: files.filter(isLost).map(({ real }) => real),
        notCovered: undefined,
      };
    } catch (error) {
      return await unknown(
        `What the command changed is not known: ${error instanceof Error ? error.message : String(error)}.`,
      );
    }
  }

  async #changes(before: Exclude<Look, { notCovered: string }>): Promise<RecordedFile[]> {
    const pace = new Pace();
    const now = await this.#look(pace, 5); // what was kept before would be of no use without it
    if (!now) throw new Error(this.#givenUp);
    const until = monotonicMs() + this.#limits.changedMs;
    const files: RecordedFile[] = [];
    const add = async (path: string, old: Entry | undefined, fresh: Entry | undefined): Promise<void> => {
      const file = this.#compare(path, old && { entry: old, known: before.at.get(path) }, fresh, until);
      if (file) files.push(file);
      await pace.breathe();
    };
    for (const [path, old] of before.tree.entries) {
      const found = now.entries.get(path);
      // An entry may be ignored by now, and then it is not gone.
      const fresh = found ?? entryAt(path);
      if (fresh && isUntouched(old, fresh) && (old.settled || old.kind !== 'file')) continue;
      if (!fresh && !isGone(path)) continue;
      await add(path, old, fresh);
    }
    for (const [path, fresh] of now.entries) {
      if (before.tree.entries.has(path) || wasHidden(before.tree, this.#root, path, fresh)) continue;
      await add(path, undefined, fresh);
    }
    return files;
  }

  #compare(
    path: string,
    old: { entry: Entry; known: Known | { why: string } | undefined } | undefined,
    fresh: Entry | undefined,
    until: number,
  ): RecordedFile | undefined {
    const read = fresh && this.#read(path, fresh, until);
    // What was not written since holds the same, also where only one of the two could be read: its mode is another.
    const isSame = old && fresh && isUnwritten(old.entry, fresh);
    const known = isSame && old.known && 'why' in old.known ? read : old?.known;
    const content = isSame && read && 'why' in read ? old.known : read;
    const before = old ? sideOf(old.entry, known) : nothing;
    const after = fresh ? sideOf(fresh, content) : nothing;
    if (isSameSide(before, after)) return undefined;
    const mode = before.mode ?? after.mode;
    return {
      real: path,
      before: before.hash,
      after: after.hash,
      ...(mode !== undefined && { mode }),
      ...(before.mode !== undefined && after.mode !== undefined && mode !== after.mode && { modeAfter: after.mode }),
      ...(before.other && { otherBefore: before.other }),
      ...(after.other && { otherAfter: after.other }),
    };
  }

  #read(path: string, entry: Entry, until: number): Known | { why: string } | undefined {
    if (entry.kind !== 'file') return undefined;
    const known = this.#knownAt(path, entry);
    if (known?.entry.settled) return known;
    const read = monotonicMs() > until ? undefined : this.#copy(path, entry);
    if (read) this.#known.set(path, read);
    return read ?? { why: this.#whyUnknown(entry) };
  }
}

function inOrder(one: Entry, other: Entry): number {
  const [isSmall, isOtherSmall] = [one.size <= SMALL_BYTES, other.size <= SMALL_BYTES];
  if (isSmall !== isOtherSmall) return isSmall ? -1 : 1;
  return isSmall ? other.mtimeMs - one.mtimeMs : one.size - other.size;
}

/** Whether a new entry may have been there before without having been seen. */
function wasHidden({ listings, unreadable }: Tree, root: string, path: string, { kind }: Entry): boolean {
  const isNew = [{ path, isFolder: kind === 'folder' }];
  for (let at = path; ; at = dirname(at)) {
    if (unreadable.includes(at)) return true;
    if (at === root || at === dirname(at)) return false;
    const listing = listings.get(dirname(at));
    // By the rules of then: the entry itself, and every folder that was not looked into.
    if (listing) return isNew.some((one) => listing.rules.ignores(one.path, one));
    isNew.push({ path: dirname(at), isFolder: true });
  }
}

/** One side of a change, in the journal's words. */
interface Side {
  hash: string | null;
  mode?: number;
  other?: RecordedOther;
}

const nothing: Side = { hash: null };

function sideOf(entry: Entry, content: Known | { why: string } | undefined): Side {
  const { kind, mode, target } = entry;
  const id = contentId(entry);
  if (kind === 'folder') return { hash: null, other: { kind, mode } };
  if (kind === 'link') {
    if (target !== undefined) return { hash: null, other: { kind, target } };
    return { hash: null, other: { kind: 'unkept', id, why: 'it was a link to a name that is not text' } };
  }
  if (content && 'hash' in content) return { hash: content.hash, mode };
  return { hash: null, mode, other: { kind: 'unkept', id, why: content?.why ?? 'it was not read' } };
}

function isSameSide(one: Side, other: Side): boolean {
  return one.hash === other.hash && one.mode === other.mode && isSameOther(one.other, other.other);
}

function isSameOther(one: RecordedOther | undefined, other: RecordedOther | undefined): boolean {
  if (one?.kind === 'unkept' && other?.kind === 'unkept') return one.id === other.id;
  return JSON.stringify(one) === JSON.stringify(other);
}

const isLost = ({ otherBefore }: RecordedFile): boolean => otherBefore?.kind === 'unkept';
