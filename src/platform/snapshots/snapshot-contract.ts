// The interface of workspace snapshots: options, limits, reports, and coverage.
import type { DeclaredWrites } from '../journal/declared-writes.js';
import { counted } from '../text/counted.js';
import type { NamedLimits } from './named-tree.js';

export const MB = 1_000_000;

export interface SnapshotLimits extends NamedLimits {
  /** How long the scan of the workspace before a command may take. */
  scanMs: number;
  /** How long a command waits for its before-images, counted from the start of the scan. */
  copyMs: number;
  /** How long the scan after a command may take: without it the before-images are useless. */
  rescanMs: number;
  /** How long reading the changed files may take. */
  readChangedMs: number;
  /** Number of files that are scanned and copied regardless of time: on a busy machine everything takes longer. */
  leastFiles: number;
  /** Number of files and folders that are scanned. */
  maxEntries: number;
  /** Size of a single file that is copied. */
  maxFileBytes: number;
  /** Total size of a session's copies. */
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
  /** The folders of the workspace, as real paths; more may be added later. */
  roots(): readonly string[];
  dataFolder: string;
  sessionId: string;
  limits?: Partial<SnapshotLimits>;
  /** Whether a path exists only while a command runs and is not the command's work. */
  isPassing?: (path: string) => boolean;
  /** Real paths of folders that are not scanned, in addition to the data folder. */
  excluded?: readonly string[];
  /** Real paths that are never copied: keys. */
  secrets?: ReadonlySet<string>;
}

/** The real paths that a command has changed in the workspace. */
export interface SnapshotReport {
  changed: string[];
  /** The changed paths that can't be restored. */
  lost: string[];
  /** Why nothing is known, if so. */
  notCovered: string | undefined;
}

export interface WorkspaceSnapshots {
  /**
   * Does work in advance that the next commands would wait for, in the background and for a few seconds at most. Call
   * it while no command is waiting; it stops as soon as a command begins. It never fails.
   */
  prepare(): Promise<void>;
  /**
   * Call it before a command that may change files. Paths that the command declares as written are copied first.
   * Rejects only if it is aborted: undo never blocks a command.
   */
  before(callId: string, signal?: AbortSignal, writes?: DeclaredWrites): Promise<SnapshotCoverage>;
  /** Call it when nothing is covered and another journal takes over: the command is not one of this journal's. */
  drop(callId: string): Promise<void>;
  /** Call it when the command continues in the background: from now on other commands run beside it. */
  leave(callId: string): void;
  /** Call it after the command, however it ended. Appends the changes to the session's list, under the call's id. */
  after(callId: string): Promise<SnapshotReport>;
  /** Call it when the session ends. Removes copies that no change needs. */
  end(): Promise<void>;
}

/** How much of the workspace could be restored now. */
export interface SnapshotCoverage {
  kept: number;
  /** Files that are not copied yet, for lack of time or space. */
  notYet: number;
  tooLarge: number;
  /** Unreadable paths, and paths whose names are not valid text. */
  unreadable: number;
  /** Folders that were not scanned, for lack of time or because there are too many files. */
  unseen: number;
  /** Paths that the command declares as written and that are too large to be restored completely, with their size. */
  tooMuch: { paths: readonly string[]; limit: string };
  /** Why nothing is covered, if so. */
  notCovered: string | undefined;
  /** The error behind it. */
  cause?: unknown;
}

export const nothingCovered = {
  kept: 0,
  notYet: 0,
  tooLarge: 0,
  unreadable: 0,
  unseen: 0,
  tooMuch: { paths: [], limit: '' },
};

/** The parts that can't be restored or are unknown, as a text; empty if everything is covered. */
export function gapsIn(
  coverage: SnapshotCoverage,
  { maxFileBytes }: Pick<SnapshotLimits, 'maxFileBytes'> = standardLimits,
): string[] {
  const { notYet, tooLarge, unreadable, unseen } = coverage;
  return [
    notYet > 0 && `${counted(notYet, 'file')} not covered, for want of time or room for copies`,
    tooLarge > 0 && `${counted(tooLarge, 'file')} not covered, because larger than ${maxFileBytes / MB} MB`,
    unreadable > 0 && `${counted(unreadable, 'file')} not covered, because not to be read`,
    unseen > 0 && unseenNote(unseen),
  ].filter((gap) => gap !== false);
}

export const unseenNote = (count: number): string =>
  `${counted(count, 'folder')} not looked into, for want of time or because there are too many files`;
