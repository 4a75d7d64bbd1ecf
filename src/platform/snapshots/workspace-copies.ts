// The before-images that a session keeps of the workspace's files, and their metadata.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { monotonicMs } from '../clock.js';
import { hashOf } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { BeforeImagePack } from '../journal/before-image-pack.js';
import { type JournalFolders, makeJournal } from '../journal/journal.js';
import { namedLimit } from './named-tree.js';
import { type Content, type Side, sideOf } from './snapshot-changes.js';
import { MB, type SnapshotCoverage, type SnapshotLimits } from './snapshot-contract.js';
import type { KnownCopy } from './snapshot-log.js';
import { entryAt, entryOf, isUntouched, isUnwritten, type Pace, type Tree, type TreeEntry } from './workspace-tree.js';

const SMALL_BYTES = 256_000;
const MAX_READS = 3; // attempts to read a file that changes meanwhile

/** A path whose state differs from the last scan. */
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
  /** The names of the packs that were created. */
  readonly packs: string[] = [];
  /** Files without a copy, or with a copy that has to be checked again; undefined if that is not computed yet. */
  #missing: Map<string, TreeEntry> | undefined;
  /** Whether a command would only have to wait for files that have changed meanwhile. */
  isCovered = false;
  /** Entries that are not yet in the snapshot log in their current state. */
  readonly touched = new Set<string>();
  #keepsNothing = false;
  /** The known copies before the current scan. */
  readonly #replaced = new Map<string, KnownCopy>();

  constructor(folders: JournalFolders, sessionId: string, limits: SnapshotLimits) {
    this.#folders = folders;
    this.#sessionId = sessionId;
    this.#limits = limits;
  }

  get known(): ReadonlyMap<string, KnownCopy> {
    return this.#known;
  }

  /** The name of the pack that copies are appended to. */
  get packName(): string | undefined {
    return this.#pack?.name;
  }

  /** Resumes from the state of a killed process. */
  takeOver(pack: string, known: Iterable<[string, KnownCopy]>): void {
    this.packs.push(pack);
    for (const [path, one] of known) this.#known.set(path, one);
  }

  /** Flushes the copies to disk, if there are any. */
  flush(): void {
    if (!this.#keepsNothing) this.#pack?.flush();
  }

  close(): void {
    this.#pack?.close();
    this.#pack = undefined;
  }

  /** Processes the result of a scan: new and changed entries, and removed ones. */
  looked(now: Tree, gone: readonly string[]): void {
    for (const path of [...now.fresh, ...gone]) {
      this.touched.add(path);
      const entry = now.entries.get(path);
      if (entry?.kind === 'file') this.#missing?.set(path, entry);
      else this.#missing?.delete(path);
    }
    // An entry that was merely not scanned may be scanned again.
    if (now.unseen.length === 0) for (const path of gone) this.#known.delete(path);
  }

  /** If the disk is full, perhaps because of the command itself, the new content is not saved; the before-image is. */
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

  /** The content of a path at the last scan, and its current content. */
  compare(
    path: string,
    old: TreeEntry | undefined,
    looked: TreeEntry | undefined,
    until: number,
  ): Omit<ChangedPath, 'path'> {
    const held = old && this.#held(path, old);
    let fresh = looked;
    let read = fresh && this.#read(path, fresh, until);
    // Another session may have changed it since it was scanned.
    for (let again = 0; again < MAX_READS && fresh && read && 'why' in read; again += 1) {
      const latest = entryAt(path, fresh);
      if (latest && isUntouched(latest, fresh)) break;
      fresh = latest;
      read = fresh && this.#read(path, fresh, until);
    }
    // An unwritten file has the same content, even if only one of the two states was readable: just its mode has
    // changed.
    const isSame = old && fresh && isUnwritten(old, fresh);
    const known = isSame && held && 'why' in held ? read : held;
    const content = isSame && read && 'why' in read ? held : read;
    return { before: sideOf(old, known), after: sideOf(fresh, content) };
  }

  /** The file's content at the last scan. */
  #held(path: string, entry: TreeEntry): Content | undefined {
    if (entry.kind !== 'file') return undefined;
    return this.#knownAt(path, entry) ?? { why: this.#whyUnknown(entry) };
  }

  #read(path: string, entry: TreeEntry, until: number): Content | undefined {
    if (entry.kind !== 'file') return undefined;
    const known = this.#knownAt(path, entry);
    if (known?.entry.settled) return known;
    const read = monotonicMs() > until ? undefined : this.#copy(path, entry);
    return read ?? { why: this.#whyUnknown(entry) };
  }

  /** The saved copy of the file's current content. */
  #knownAt(path: string, entry: TreeEntry): KnownCopy | undefined {
    const known = this.#known.get(path);
    return known && (known.entry === entry || isUntouched(known.entry, entry)) ? known : undefined;
  }

  #whyUnknown({ size }: TreeEntry): string {
    const { maxFileBytes, maxBytes } = this.#limits;
    if (size > maxFileBytes) return `it was larger than ${maxFileBytes / MB} MB`;
    if ((this.#pack?.bytes ?? 0) + size > maxBytes) return `the copies of this session reached ${maxBytes / MB} MB`;
    return 'there was no time to copy it before the command, or it could not be read';
  }

  /** Copies the files that commands declare as written, regardless of time: their size is limited. */
  async keepNamed(tree: Tree | undefined, pace: Pace): Promise<void> {
    for (const path of tree?.namedPaths ?? []) {
      const entry = tree?.entries.get(path);
      if (entry?.kind !== 'file' || this.#knownAt(path, entry)?.entry.settled) continue;
      this.#copy(path, entry, this.#limits.maxNamedBytes);
      await pace.breathe();
    }
  }

  /** Copies files that have no copy yet until the time is up, starting with those that a person is working on. */
  async keep(tree: Tree | undefined, pace: Pace, until: number): Promise<SnapshotCoverage> {
    const { entries = new Map<string, TreeEntry>(), files: all = 0, unreadable = [], unseen = [] } = tree ?? {};
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

  /** Undefined if the file is too large, unreadable, or has been replaced. */
  #copy(path: string, entry: TreeEntry, maxBytes = this.#limits.maxFileBytes): KnownCopy | undefined {
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
      return undefined; // gone, or unreadable
    }
  }
  /** The pack for copies; created again if it has been cleaned up. */
  async makeReady(): Promise<void> {
    if (this.#pack?.touch()) return;
    this.forget();
    await makeJournal(this.#folders);
    this.#pack = new BeforeImagePack(this.#folders, this.#sessionId);
    this.packs.push(this.#pack.name);
  }

  /** A copy that could not be written completely, or is gone, does not count. */
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

/** Undefined if it is no longer the file that was scanned. */
function readWhole(path: string, entry: TreeEntry): Uint8Array | undefined {
  const file = openSync(path, READING);
  try {
    if (!isUntouched(entryOf(fstatSync(file)), entry)) return undefined;
    const bytes = Buffer.allocUnsafe(entry.size + 1); // one extra byte, to detect that the file has grown
    let length = 0;
    for (let more = -1; more !== 0 && length < bytes.length; length += more) {
      more = readSync(file, bytes, length, bytes.length - length, null);
    }
    return length === entry.size ? bytes.subarray(0, length) : undefined;
  } finally {
    closeSync(file);
  }
}

function inOrder(one: TreeEntry, other: TreeEntry): number {
  const [isSmall, isOtherSmall] = [one.size <= SMALL_BYTES, other.size <= SMALL_BYTES];
  if (isSmall !== isOtherSmall) return isSmall ? -1 : 1;
  return isSmall ? other.mtimeMs - one.mtimeMs : one.size - other.size;
}
