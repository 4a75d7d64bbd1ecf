// Changes that any session journals while commands of this session run, and that the snapshots have not yet accounted
// for.
import { join } from 'node:path';
import { namesIn, textIn } from '../files/lenient-reads.js';
import { asEarlier, type Journaled, journaledPaths, type Side } from '../snapshots/snapshot-changes.js';
import type { JournalFolders } from './journal.js';
import { type OpenChange, parsedChange } from './lock.js';
import type { CommandUpdates, ConcurrentCommand, RunningCommands } from './running-commands.js';

export class JournaledChanges {
  readonly #folders: JournalFolders;
  readonly #commands: RunningCommands;
  readonly #byPath = new Map<string, Journaled[]>();
  /** Changes that another session has detected and that no session claims. */
  readonly #unclaimed = new Map<string, Journaled[]>();
  readonly #beside = new Map<string, ConcurrentCommand>();
  /** Detected by a snapshot itself. */
  readonly #own = new Set<string>();
  #underway: OpenChange[] = [];

  constructor(folders: JournalFolders, commands: RunningCommands) {
    this.#folders = folders;
    this.#commands = commands;
  }

  /** Call it before the workspace is scanned. */
  beforeLook(): void {
    this.#beside.clear();
    for (const known of [this.#byPath, this.#unclaimed]) {
      for (const [path, changes] of [...known]) known.set(path, changes.map(asEarlier));
    }
    this.#add(this.#commands.read(), true);
  }

  /** Call it after the scan: all journaled changes that the scan could have seen are known now, or are in progress. */
  afterLook(): ConcurrentCommand[] {
    this.#underway = openChanges(this.#folders); // first: a change is reported before its record is removed
    this.#add(this.#commands.read(), false);
    return [...this.#beside.values()];
  }

  /** The changes of a path, with those in progress that have led to its current state. */
  of(path: string, found: Side): readonly Journaled[] {
    const known = this.#of(path);
    const made = this.#underway
      .filter(({ token, files }) => files.some((file) => isMade(file, path, found)) && !isIn(known, token))
      .flatMap(({ token, files }) => journaledPaths({ change: token, files }, false));
    return [...known, ...made.filter(([real]) => real === path).map(([, one]) => one)];
  }

  /** All paths with journaled changes; `isCertain` says whether a call has claimed them. */
  *written(): Generator<{ path: string; changes: readonly Journaled[]; isCertain: boolean }> {
    for (const [path, changes] of this.#byPath) yield { path, changes, isCertain: true };
    for (const [path, changes] of this.#unclaimed) {
      if (!this.#byPath.has(path)) yield { path, changes, isCertain: false };
    }
  }

  get isEmpty(): boolean {
    return this.#byPath.size + this.#unclaimed.size === 0;
  }

  #of(path: string): readonly Journaled[] {
    return this.#byPath.get(path) ?? [];
  }

  /** Call it with a change before that is recorded. */
  isOwn(change: string): void {
    this.#own.add(change);
  }

  /**
   * Call it when the scan has been processed; `later` holds the changes of the compared paths that it has not seen
   * yet.
   */
  settle(later: ReadonlyMap<string, readonly Journaled[]>): void {
    for (const [path, changes] of [...this.#byPath]) {
      const left = later.get(path) ?? changes.filter(({ isEarlier }) => !isEarlier);
      if (left.length === 0) this.#byPath.delete(path);
      else this.#byPath.set(path, [...left]);
    }
    for (const [path, changes] of [...this.#unclaimed]) {
      if (changes.every(({ isEarlier }) => isEarlier)) this.#unclaimed.delete(path);
    }
  }

  clear(): void {
    this.#byPath.clear();
    this.#unclaimed.clear();
    this.#beside.clear();
    this.#own.clear();
  }

  #add({ changes, beside }: CommandUpdates, isEarlier: boolean): void {
    for (const other of beside) this.#beside.set(other.id, other);
    for (const change of changes) {
      if (this.#own.has(change.change)) continue;
      addByPath(this.#byPath, journaledPaths(change, isEarlier));
      const files = change.seen?.unclaimedFiles ?? [];
      addByPath(this.#unclaimed, journaledPaths({ ...change, files }, isEarlier));
    }
  }
}

function addByPath(known: Map<string, Journaled[]>, added: ReadonlyArray<[string, Journaled]>): void {
  for (const [path, journaled] of added) {
    const changes = known.get(path) ?? [];
    if (!isIn(changes, journaled.change)) known.set(path, [...changes, journaled]); // a recovery may list it again
  }
}

const isIn = (known: readonly Journaled[], change: string): boolean => known.some((one) => one.change === change);

const isMade = (file: OpenChange['files'][number], path: string, found: Side): boolean =>
  file.real === path && !found.other && file.after === found.hash;

/** Changes that a process has begun, including those of killed processes. */
function openChanges({ open }: JournalFolders): OpenChange[] {
  return namesIn(open)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => parsedChange(textIn(join(open, name))) ?? [])
    .filter(({ files }) => files.length > 0);
}
