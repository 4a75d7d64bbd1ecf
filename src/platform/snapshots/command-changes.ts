// Compares two scans of the workspace, and records in the journal which of the running commands has changed what.
import { monotonicMs } from '../clock.js';
import { randomHex } from '../crypto.js';
import { claimantOf } from '../journal/claim-change.js';
import { type JournalFolders, readBeforeImage, recordChange, saveBeforeImage } from '../journal/journal.js';
import type { JournaledChanges } from '../journal/journaled-changes.js';
import type { ConcurrentCommand } from '../journal/running-commands.js';
import { type ClaimedPath, isTaken, keepingOnlyCopies } from './only-copies.js';
import { type PathParts, passedFiles } from './passed-files.js';
import {
  IN_BACKGROUND,
  isFolderChange,
  isLost,
  type Journaled,
  type Part,
  partsOf,
  unclaimedIn,
} from './snapshot-changes.js';
import { isCutOff, type SnapshotPair, wasHidden } from './snapshot-comparison.js';
import { unseenNote } from './snapshot-contract.js';
import type { OpenCommand } from './snapshot-log.js';
import type { ChangedPath, WorkspaceCopies } from './workspace-copies.js';
import { entryAt, isGone, isUntouched, Pace, type Tree } from './workspace-tree.js';

/** A running command, and its changes as far as known. */
export interface RunningCommand extends OpenCommand {
  changed: Set<string>;
  lost: Set<string>;
  notCovered: string | undefined;
}

export interface CommandChangesPort {
  folders: JournalFolders;
  sessionId: string;
  copies: WorkspaceCopies;
  journaled: JournaledChanges;
  /** How long changed files may be read for. */
  readChangedMs: number;
  /** All commands that run, including those whose changes can't be detected. */
  runningCalls(): Iterable<string>;
}

export class CommandChanges {
  readonly #port: CommandChangesPort;

  constructor(port: CommandChangesPort) {
    this.#port = port;
  }

  /** Records the differences between two scans as changes of the commands that ran between them. */
  async list(running: readonly RunningCommand[], looks: SnapshotPair): Promise<void> {
    const { earlier, now } = looks;
    const found = await this.#changes(looks);
    // Journaled changes of others only explain differences. Files that are not read now are read before the next
    // scan.
    const hasUnseen = earlier.unseen.length + now.unseen.length > 0;
    if (found.length === 0 && !hasUnseen && this.#port.journaled.isEmpty) return this.#port.journaled.settle(new Map());
    this.#port.copies.flush(); // the current state is what the next command starts from
    const beside = this.#port.journaled.afterLook();
    const [parts, unclaimed] = [new Map<RunningCommand, Part[]>(), [] as Part[]];
    const later = new Map<string, Journaled[]>();
    const changed: Array<ClaimedPath<RunningCommand>> = [];
    const claim = (one: PathParts): void => {
      const sessions = { own: running, beside, sessionId: this.#port.sessionId };
      if (one.parts.length > 0) changed.push({ ...one, claimant: claimantOf(one.path, one, sessions) });
    };
    for (const { path, before, after } of found) {
      const compared = partsOf(path, before, after, this.#port.journaled.of(path, after));
      later.set(path, compared.later);
      claim({ path, isFolder: isFolderChange(before, after), parts: compared.parts });
    }
    for (const { isCertain, ...passed } of passedFiles(looks, this.#port.journaled)) {
      if (isCertain) claim(passed);
      else changed.push({ ...passed, claimant: 'unclaimed' });
    }
    for (const { claimant, parts: some } of keepingOnlyCopies(changed)) {
      if (claimant === 'unclaimed') unclaimed.push(...some);
      else if (claimant) parts.set(claimant, [...(parts.get(claimant) ?? []), ...some]);
    }
    await this.#keepTaken(changed.flatMap(({ parts }) => parts));
    this.#port.journaled.settle(later);
    const doer = running.at(-1);
    if (doer && (unclaimed.length > 0 || hasUnseen) && !parts.has(doer)) parts.set(doer, []);
    for (const [command, some] of parts) {
      const mine = command === doer ? unclaimed : [];
      await this.#recordParts(command, some, { notes: this.#notesOn(command, now, beside), unclaimed: mine });
    }
  }

  /** Other sessions' copies of what a command has removed or changed are gone when those sessions end. */
  async #keepTaken(parts: readonly Part[]): Promise<void> {
    for (const hash of new Set(parts.filter(isTaken).map(({ file }) => file.before))) {
      if (hash === null) continue;
      const image = await readBeforeImage(this.#port.folders, hash).catch(() => undefined);
      // Without the copy, undo says that the file can't be restored.
      if (image) await saveBeforeImage(this.#port.folders, image, hash).catch(() => {});
    }
  }

  async #recordParts(
    command: RunningCommand,
    parts: readonly Part[],
    { notes, unclaimed }: { notes: readonly string[]; unclaimed: readonly Part[] },
  ): Promise<void> {
    const seen = { ...(notes.length > 0 && { notes: [...notes] }), ...unclaimedIn(unclaimed) };
    const record = async (some: readonly Part[], earlierThan?: string): Promise<void> => {
      const change = randomHex(12);
      this.#port.journaled.isOwn(change);
      await recordChange(this.#port.folders, this.#port.sessionId, {
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

  #notesOn({ callId, isLeft, gaps }: RunningCommand, now: Tree, beside: readonly ConcurrentCommand[]): string[] {
    const family = beside
      .filter(({ sessionId }) => sessionId === this.#port.sessionId)
      .map((other) => other.writer ?? other.callId);
    const others = [...this.#port.runningCalls(), ...family].filter((id) => id !== callId);
    return [
      ...gaps,
      ...(now.unseen.length > 0 ? [unseenNote(now.unseen.length)] : []),
      ...(others.length > 0
        ? [`${others.join(', ')} ran beside it, so that some of this may be the work of that`]
        : []),
      ...(isLeft ? [IN_BACKGROUND] : []),
    ];
  }

  /** Records that it is unknown what a command has changed. */
  async recordUnknown({ callId, at }: RunningCommand, notCovered: string): Promise<void> {
    // Never report that there is nothing to undo. If the journal can't be written, the result says so.
    await recordChange(this.#port.folders, this.#port.sessionId, {
      change: randomHex(12),
      callId,
      at,
      files: [],
      seen: { notCovered },
    }).catch(() => {});
  }

  async #changes({ earlier, now, gone }: SnapshotPair): Promise<ChangedPath[]> {
    const pace = new Pace();
    const until = monotonicMs() + this.#port.readChangedMs;
    const found: ChangedPath[] = [];
    for (const path of [...gone, ...now.fresh].toSorted()) {
      const old = earlier.entries.get(path);
      // An entry may be ignored now, or not scanned; then it is not removed.
      const isOut = isCutOff(path, now);
      const fresh = now.entries.get(path) ?? (isOut ? undefined : entryAt(path, old));
      if (old && fresh && isUntouched(old, fresh) && (old.settled || old.kind !== 'file')) continue;
      if (!fresh && !isOut && !isGone(path)) continue;
      if (!old && fresh && wasHidden(earlier, now, path, fresh)) continue;
      found.push({ path, ...this.#port.copies.compare(path, old, fresh, until) });
      await pace.breathe();
    }
    return found;
  }
}
