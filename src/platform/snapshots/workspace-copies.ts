// The copies that a session keeps of the files of a workspace, and what it knows about them.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { monotonicMs } from '../clock.js';
import { codeOf } from '../files/write-failure.js';
import { BeforeImagePack } from '../journal/before-image-pack.js';
import { hashOf, type JournalFolders, makeJournal } from '../journal/journal.js';
import { namedLimit } from './named-tree.js';
import { type Content, type Side, sideOf } from './snapshot-changes.js';
import { MB, type SnapshotCoverage, type SnapshotLimits } from './snapshot-contract.js';
import type { KnownCopy } from './snapshot-log.js';
import { type Entry, entryAt, entryOf, isUntouched, isUnwritten, type Pace, type Tree } from './workspace-tree.js';

const SMALL_BYTES = 256_000;
const MAX_READS = 3; // of a file that changes while it is read

/** A path that is other than it was at the last look. */
export interface ChangedPath {
  path: string;
  before: Side;
  after: Side;
}

export class WorkspaceCopies {
  readonly #folders: JournalFolders;
  readonly #sessionId: string;
  readonly #limits: SnapshotLimits;
  readonly #known = new Map<string, KnownCopy>();
  #pack: BeforeImagePack | undefined;
  /** The packs that were made, by name. */
  readonly packs: string[] = [];
  /** Files of which there is no copy, or one that has to be looked at once more; undefined where that is to be found out. */
  #missing: Map<string, Entry> | undefined;
  /** Whether no command would have to wait for more than what has changed meanwhile. */
  isCovered = false;
  /** What is not yet in the picture on disk as it is. */
  readonly touched = new Set<string>();
  #keepsNothing = false;
  /** What was known of files before the look that goes on. */
  readonly #replaced = new Map<string, KnownCopy>();

  constructor(folders: JournalFolders, sessionId: string, limits: SnapshotLimits) {
    this.#folders = folders;
    this.#sessionId = sessionId;
    this.#limits = limits;
  }

  get known(): ReadonlyMap<string, KnownCopy> {
    return this.#known;
  }

  /** The name of the pack that copies go into now. */
  get packName(): string | undefined {
    return this.#pack?.name;
  }

  /** Goes on from what a killed process knew. */
  takeOver(pack: string, known: Iterable<[string, KnownCopy]>): void {
    this.packs.push(pack);
    for (const [path, one] of known) this.#known.set(path, one);
  }

  /** Brings the copies to the disk, where any are kept. */
  flush(): void {
    if (!this.#keepsNothing) this.#pack?.flush();
  }

  close(): void {
    this.#pack?.close();
    this.#pack = undefined;
  }

  /** Takes note of what a look has found: entries that are new or other than before, and those that are gone. */
  looked(now: Tree, gone: readonly string[]): void {
    for (const path of [...now.fresh, ...gone]) {
      this.touched.add(path);
      const entry = now.entries.get(path);
      if (entry?.kind === 'file') this.#missing?.set(path, entry);
      else this.#missing?.delete(path);
    }
    // What was only not looked at may be looked at again.
    if (now.unseen.length === 0) for (const path of gone) this.#known.delete(path);
  }

  /** Where the disk is full, by the command itself perhaps, what is there now is not kept; what was there before is. */
  async withFullDisk(look: () => Promise<void>): Promise<void> {
    this.#replaced.clear();
    try {
      await look();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      for (const [path, known] of this.#replaced) this.#known.set(path, known);
      this.#keepsNothing = true;
      try {
        await look();
      } finally {
        this.#keepsNothing = false;
        this.forget();
      }
    }
  }

  /** What a path held at the last look, and what it holds now. */
  compare(path: string, old: Entry | undefined, looked: Entry | undefined, until: number): Omit<ChangedPath, 'path'> {
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
  #knownAt(path: string, entry: Entry): KnownCopy | undefined {
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
  async keepNamed(tree: Tree | undefined, pace: Pace): Promise<void> {
    for (const path of tree?.namedPaths ?? []) {
      const entry = tree?.entries.get(path);
      if (entry?.kind !== 'file' || this.#knownAt(path, entry)?.entry.settled) continue;
      this.#copy(path, entry, this.#limits.maxNamedBytes);
      await pace.breathe();
    }
  }

  /** Copies what has no copy yet, until the time is up: what a person works on first. */
  async keep(tree: Tree | undefined, pace: Pace, until: number): Promise<SnapshotCoverage> {
    const { entries = new Map<string, Entry>(), files: all = 0, unreadable = [], unseen = [] } = tree ?? {};
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
    this.isCovered = notYet === 0 && unseen.length === 0;
    const counts = { kept: all - notYet - tooLarge, notYet, tooLarge };
    const tooMuch = { paths: tree?.tooMuch ?? [], limit: namedLimit(this.#limits) };
    return { ...counts, unreadable: unreadable.length, unseen: unseen.length, tooMuch, notCovered: undefined };
  }

  /** Undefined where it is too large, can't be read, or is another file by now. */
  #copy(path: string, entry: Entry, maxBytes = this.#limits.maxFileBytes): KnownCopy | undefined {
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
      this.touched.add(path);
      return known;
    } catch (error) {
      if (isDiskFull(error)) throw error;
      return undefined; // gone, or not ours to read
    }
  }
  /** The place for copies, made anew where somebody has cleaned it away. */
  async makeReady(): Promise<void> {
    if (this.#pack?.touch()) return;
    this.forget();
    await makeJournal(this.#folders);
    this.#pack = new BeforeImagePack(this.#folders, this.#sessionId);
    this.packs.push(this.#pack.name);
  }

  /** What could not be written whole, or is gone, is no copy. */
  forget(): void {
    this.#pack?.close();
    this.#pack = undefined;
    this.#known.clear();
    this.#missing = undefined;
    this.isCovered = false;
  }
}

const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');

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
