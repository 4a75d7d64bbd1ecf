// What callers of workspace snapshots give and get: options, limits, reports, and how much is covered.
import type { DeclaredWrites } from '../journal/declared-writes.js';
import type { NamedLimits } from './named-tree.js';

export const MB = 1_000_000;

export interface SnapshotLimits extends NamedLimits {
  /** How long the workspace is looked through before a command. */
  scanMs: number;
  /** How long a command waits until what files hold is kept, from when the workspace is first looked at. */
  copyMs: number;
  /** How long the workspace is looked through after it: without that, what was kept is of no use. */
  rescanMs: number;
  /** How long what it has changed is read. */
  readChangedMs: number;
  /** Files that are looked at and kept however long it takes: where the machine is busy, all take longer than they should. */
  leastFiles: number;
  /** Files and folders that are looked at. */
  maxEntries: number;
  /** Of one file that is kept. */
  maxFileBytes: number;
  /** Of all that a session keeps. */
  maxBytes: number;
}

export const standardLimits: SnapshotLimits = {
  scanMs: 200,
  copyMs: 200,
  rescanMs: 5_000,
  readChangedMs: 2_000,
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

export const nothingCovered = {
  kept: 0,
  notYet: 0,
  tooLarge: 0,
  unreadable: 0,
  unseen: 0,
  tooMuch: { paths: [], limit: '' },
};

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

export const unseenNote = (count: number): string =>
  `${count === 1 ? '1 folder' : `${count} folders`} not looked into, for want of time or because there are too many files`;
