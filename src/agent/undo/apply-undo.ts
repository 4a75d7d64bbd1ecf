// Applies the plan of an undo. Contents are changed like every other file: only if the file still holds the expected
// content, recorded in the journal, and in batches that are all or nothing. Links, folders and modes are changed around
// them, and recorded before they are touched. A marker makes the whole undo all or nothing: if it exists and its process
// has ended, the next start rolls the undo back.

import { chmod, lstat, mkdir, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type FileChange, type FileChanges, StaleFile } from '../../contract/file-change.js';
import { randomHex } from '../../platform/crypto.js';
import { codeOf } from '../../platform/error-code.js';
import { currentState, type EntryState, isSameContent, modeOf } from '../../platform/files/entry-state.js';
import { type Folder, fsyncFolder, inFolder } from '../../platform/files/folder.js';
import { BeforeImageReader } from '../../platform/journal/before-image-pack.js';
import { createFileChanges } from '../../platform/journal/file-changes.js';
import { type JournalFolders, journalFolders, makeJournal, recordChange } from '../../platform/journal/journal.js';
import type { RecordedFile, RecordedOther } from '../../platform/journal/recorded-change.js';
import type { RolledBackUndo } from '../../platform/journal/recover-changes.js';
import { markUndo } from '../../platform/journal/undo-marker.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import { planUndo, type UndoItem, type UndoPlan } from './undo.js';
import { UndoFailure } from './undo-calls.js';

const FILES_AT_ONCE = 200; // each is open while it is changed, and all are held in memory
const SHOWN = 10;

export interface UndoOutcome {
  /** The id of this undo, with which it can be undone itself. */
  undoId: string;
  /** The restored entries, by real path. */
  done: string[];
  /** Entries that were left as they are, and why. */
  left: Array<{ real: string; why: string }>;
}

/**
 * Applies the plan, all or nothing. Refuses if that would lose changes of another program, or if something
 * can't be restored; with `force` it restores as much as possible.
 */
export async function applyUndo(plan: UndoPlan, { force = false }: { force?: boolean } = {}): Promise<UndoOutcome> {
  if (!force) assertClear(plan);
  const items = plan.items.filter(({ impossible }) => impossible === undefined);
  await assertAsPlanned(items);
  const undo = new Undo(plan, items);
  try {
    await undo.run();
  } catch (error) {
    throw await undo.giveUp(error);
  }
  return undo.outcome();
}

/** Rolls back an unfinished undo. Entries that others have changed since are left as they are. */
export async function takeBackUndo(dataFolder: string, sessionId: string, undoId: string): Promise<RolledBackUndo> {
  const plan = await planUndo(dataFolder, sessionId, { callIds: [undoId] }).catch((error: unknown) => {
    if (error instanceof UndoFailure) return undefined; // it had not started
    throw error;
  });
  if (!plan) return { done: [], left: [] };
  const undo = new Undo(
    plan,
    plan.items.filter(({ impossible, conflict }) => impossible === undefined && conflict === undefined),
  );
  await undo.run();
  const changed = plan.items.flatMap(({ real, conflict }) => (conflict === undefined ? [] : [{ real, why: conflict }]));
  const { done, left } = undo.outcome();
  return { done, left: [...left, ...changed] };
}

function assertClear({ items, notCovered }: UndoPlan): void {
  const reasons = [
    ...groups(items, ({ conflict }) => conflict),
    ...groups(items, ({ impossible }) => impossible),
    ...notCovered,
  ];
  if (reasons.length === 0) return;
  const lost = items.some(({ conflict }) => conflict !== undefined)
    ? 'With force they are restored anyway; their present content is kept, and undoing this undo restores it.'
    : 'With force the rest is restored.';
  throw new UndoFailure(`Nothing was undone. ${reasons.join(' ')} ${lost}`);
}

/** One sentence for all files with the same reason. */
function groups(items: readonly UndoItem[], reasonOf: (item: UndoItem) => string | undefined): string[] {
  const byReason = new Map<string, string[]>();
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), item.real]);
  }
  return [...byReason].map(([reason, paths]) => {
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
    return `${paths.slice(0, SHOWN).join(', ')}${more}: ${clause(reason)}.`;
  });
}

/** Files may have changed since the plan was shown. */
async function assertAsPlanned(items: readonly UndoItem[]): Promise<void> {
  const links = items.filter(({ now, target }) => now?.kind === 'link' && target?.kind !== 'link');
  const goingLinks = new Set(links.map(({ real }) => real));
  for (const { real, now } of items) {
    const found = await currentState(real, goingLinks);
    const same = found?.kind !== 'obstacle' && isSameContent(found, now) && modeOf(found) === modeOf(now);
    if (!same) {
      throw new UndoFailure(
        `Nothing was undone: ${real} was changed after the plan was made. Look at a new plan, then decide again.`,
      );
    }
  }
}

class Undo {
  readonly #plan: UndoPlan;
  readonly #items: readonly UndoItem[];
  readonly #folders: JournalFolders;
  readonly #images: BeforeImageReader;
  readonly #changes: FileChanges;
  readonly #undoId = `undo_${randomHex(4)}`;
  readonly #left: UndoOutcome['left'];
  readonly #madeFolders = new Set<string>();
  /** Folders outside the plan that were made writable, with their earlier modes. */
  readonly #loosened = new Map<string, number>();
  #close = async (): Promise<void> => {};

  constructor(plan: UndoPlan, items: readonly UndoItem[]) {
    this.#plan = plan;
    this.#items = items;
    this.#folders = journalFolders(plan.dataFolder);
    this.#images = new BeforeImageReader(this.#folders);
    this.#changes = createFileChanges({ dataFolder: plan.dataFolder, sessionId: plan.sessionId });
    this.#left = plan.items.flatMap(({ real, impossible, stays }) =>
      impossible === undefined && stays === undefined ? [] : [{ real, why: impossible ?? stays ?? '' }],
    );
  }

  outcome(): UndoOutcome {
    const left = new Set(this.#left.map(({ real }) => real));
    const done = this.#items.map(({ real }) => real).filter((real) => !left.has(real));
    return { undoId: this.#undoId, done, left: this.#left };
  }

  async run(): Promise<void> {
    await makeJournal(this.#folders);
    this.#close = await markUndo(this.#folders, { sessionId: this.#plan.sessionId, undoId: this.#undoId });
    // Recorded first, so that a partial undo can be undone.
    await this.#record(
      [],
      this.#plan.calls.map(({ callId }) => callId),
    );
    const replaced = this.#items.filter(({ now, target }) => !isSameContent(now, target));
    const parted = partedNames(replaced);
    const needsRoom = ({ now, real }: UndoItem): boolean => now?.kind === 'folder' || parted.has(real);
    try {
      await this.#loosen(replaced);
      await this.#unlinkLinks(replaced.filter(({ now }) => now?.kind === 'link'));
      await this.#makeFolders(replaced.filter(({ target, now }) => target?.kind === 'folder' && now?.kind !== 'file'));
      const files = replaced.filter(({ now, target }) => now?.kind === 'file' || target?.kind === 'file');
      const { leading, following } = oneNameEach(
        files
          .filter(({ now }) => now?.kind !== 'folder')
          .map((item) => (parted.has(item.real) ? withoutTarget(item) : item)),
      );
      await this.#applyAll(leading);
      await this.#record(following.map(contentRecord));
      await this.#removeFolders(replaced.filter(({ now, stays }) => now?.kind === 'folder' && stays === undefined));
      await this.#applyAll(files.filter(needsRoom).map(withRoom));
      await this.#makeFolders(replaced.filter(({ target }) => target?.kind === 'folder'));
      await this.#makeLinks(replaced.filter(({ target }) => target?.kind === 'link'));
      await this.#setModes();
    } finally {
      await this.#closeFolders();
    }
    await this.#changes.settled();
    await this.#close();
  }

  /** Makes read-only entries writable where permitted; the modes are restored at the end. */
  async #loosen(items: readonly UndoItem[]): Promise<void> {
    const inPlan = new Set(this.#items.map(({ real }) => real));
    for (const real of new Set(items.map(({ real }) => dirname(real)))) {
      const stats = await lstat(real).catch(() => undefined);
      if (!stats?.isDirectory() || (stats.mode & 0o300) === 0o300) continue;
      const mode = stats.mode & 0o7777;
      await this.#record([modeRecord(real, { kind: 'folder', mode }, mode | 0o300)]);
      if (!inPlan.has(real)) this.#loosened.set(real, mode);
      await chmod(real, mode | 0o300).catch(() => {}); // not permitted: the following steps report it
    }
    const locked = items.filter(({ now }) => now?.kind === 'file' && ((now.mode ?? 0o600) & 0o200) === 0);
    const written = locked.filter(({ target }) => target?.kind === 'file');
    // Other hard links of a file become writable with it.
    const recorded = locked.filter((item) => written.includes(item) || (item.now?.kind === 'file' && item.now.others));
    await this.#record(recorded.map(({ real, now }) => modeRecord(real, now, (modeOf(now) ?? 0) | 0o200)));
    for (const { real, now } of written) {
      await inFolder(dirname(real), (folder) => setMode(folder, real, (modeOf(now) ?? 0) | 0o200)).catch(() => {});
    }
  }

  async #closeFolders(): Promise<void> {
    const folders = [...this.#loosened].toReversed();
    for (const [folder, mode] of folders) await chmod(folder, mode).catch(() => {});
    await this.#record(folders.map(([real, mode]) => modeRecord(real, { kind: 'folder', mode: mode | 0o300 }, mode)));
  }

  async #unlinkLinks(items: readonly UndoItem[]): Promise<void> {
    await this.#record(items.map(({ real, now }) => ({ real, before: null, after: null, ...otherBefore(now) })));
    for (const { real } of items) await this.#inPlace(real, (folder) => unlink(folder.at(basename(real))));
  }

  /** From the outermost. If another entry that is about to be removed is in the way, the folder is created after that. */
  async #makeFolders(items: readonly UndoItem[]): Promise<void> {
    const possible = new Set<string>();
    for (const { real } of items) {
      const above = possible.has(dirname(real)) || (await lstat(dirname(real)).catch(() => undefined))?.isDirectory();
      if (above && !this.#madeFolders.has(real)) possible.add(real);
    }
    const made = items.filter(({ real }) => possible.has(real));
    await this.#record(made.map(({ real, target }) => ({ real, before: null, after: null, ...otherAfter(target) })));
    for (const { real } of made) {
      this.#madeFolders.add(real);
      await this.#inPlace(real, (folder) => mkdir(folder.at(basename(real)))).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error; // created together with a file in it
      });
    }
  }

  async #removeFolders(items: readonly UndoItem[]): Promise<void> {
    await this.#record(items.map(({ real, now }) => ({ real, before: null, after: null, ...otherBefore(now) })));
    for (const { real, target } of items.toSorted((one, other) => other.real.length - one.real.length)) {
      await this.#inPlace(real, (folder) => rmdir(folder.at(basename(real)))).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return;
        if (codeOf(error) !== 'ENOTEMPTY' || target !== null) throw error;
        this.#left.push({ real, why: 'something was put in it meanwhile' });
      });
    }
  }

  async #makeLinks(items: readonly UndoItem[]): Promise<void> {
    await this.#record(items.map(({ real, target }) => ({ real, before: null, after: null, ...otherAfter(target) })));
    for (const { real, target } of items) {
      if (target?.kind === 'link') {
        await this.#inPlace(real, (folder) => symlink(target.target, folder.at(basename(real))));
      }
    }
  }

  /** From the innermost, since the mode of a folder may deny access to its content. */
  async #setModes(): Promise<void> {
    const wrong: Array<{ real: string; state: EntryState; mode: number }> = [];
    for (const { real, now, target, stays } of this.#items) {
      const [mode, stats] = [modeOf(target), await lstat(real).catch(() => undefined)];
      if (mode === undefined || !stats || stays !== undefined) continue;
      // A mode that was changed through another hard link is recorded as well.
      const before = now?.kind === target?.kind ? modeOf(now) : undefined;
      const current = stats.mode & 0o7777;
      if (current !== mode || (before ?? mode) !== mode) {
        wrong.push({ real, state: withMode(target, before ?? current), mode });
      }
    }
    await this.#record(wrong.map(({ real, state, mode }) => modeRecord(real, state, mode)));
    for (const { real, mode } of wrong.toReversed()) {
      await this.#inPlace(real, (folder) => setMode(folder, real, mode));
    }
  }

  /** Removes entries first, so that their names are free for new ones. */
  async #applyAll(items: readonly UndoItem[]): Promise<void> {
    const ordered = items.toSorted((one, other) => Number(one.target !== null) - Number(other.target !== null));
    for (let at = 0; at < ordered.length; at += FILES_AT_ONCE) {
      const some = ordered.slice(at, at + FILES_AT_ONCE);
      await this.#changes.apply(this.#undoId, await Promise.all(some.map((item) => this.#asChange(item))));
    }
  }

  async #asChange({ real, now, target }: UndoItem): Promise<FileChange> {
    const before = now?.kind === 'file' ? (now.hash ?? null) : null;
    if (target?.kind !== 'file') return { real, before, after: null };
    const after = target.hash === undefined ? undefined : await this.#images.read(target.hash);
    if (!after) throw new UndoFailure(`The copy of what ${real} held before is damaged or gone.`);
    return { real, before, after, ...(before === null && target.mode !== undefined && { mode: target.mode }) };
  }

  async #inPlace(real: string, work: (folder: Folder) => Promise<void>): Promise<void> {
    await inFolder(dirname(real), async (folder) => {
      await work(folder);
      await fsyncFolder(folder);
    });
  }

  async #record(files: readonly RecordedFile[], undoes?: readonly string[]): Promise<void> {
    if (files.length === 0 && undoes === undefined) return;
    await recordChange(this.#folders, this.#plan.sessionId, {
      change: randomHex(12),
      callId: this.#undoId,
      at: new Date().toISOString(),
      files: [...files],
      ...(undoes && { undoes: [...undoes] }),
    });
  }

  /** Rolls back after a failure, and returns the error to throw. */
  async giveUp(error: unknown): Promise<Error> {
    const message = error instanceof StaleFile ? `${error.real} was changed meanwhile.` : sentenceOf(error);
    const { dataFolder, sessionId } = this.#plan;
    try {
      await takeBackUndo(dataFolder, sessionId, this.#undoId);
      await this.#close();
      return new UndoFailure(`Nothing was undone: ${message} No file was changed.`, { cause: error });
    } catch (second) {
      return new UndoFailure(
        `The undo stopped in the middle: ${message} Rolling it back failed too: ${sentenceOf(second)} Undo ${this.#undoId} once that is fixed, or undo the same calls again: files that are already restored stay so.`,
        { cause: error },
      );
    }
  }
}

const sentenceOf = (error: unknown): string => {
  const text = messageOf(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};

/** Only removes the entry; the new one is created afterwards. Folders are removed separately. */
const withoutTarget = (item: UndoItem): UndoItem => ({ ...item, target: null });

const withRoom = (item: UndoItem): UndoItem => ({ ...item, now: null });

/**
 * Files that must not be written in place, because they have other hard links that must not change with them: they
 * are created again.
 */
function partedNames(items: readonly UndoItem[]): Set<string> {
  const groups = new Map<string, UndoItem[]>();
  for (const item of items) {
    if (item.now?.kind !== 'file' || !item.now.others || item.target?.kind !== 'file' || item.keepsNames) continue;
    const group = groups.get(item.now.others.inode) ?? [];
    groups.set(item.now.others.inode, [...group, item]);
  }
  const parted = new Set<string>();
  for (const group of groups.values()) {
    const [first] = group;
    const names = first?.now?.kind === 'file' ? first.now.others?.names : undefined;
    const together =
      group.length === names && group.every(({ target }) => isSameContent(target, first?.target ?? null));
    if (!together) for (const { real } of group) parted.add(real);
  }
  return parted;
}

/** Of several hard links that get the same content, only one is written: the others change with it. */
function oneNameEach(items: readonly UndoItem[]): { leading: UndoItem[]; following: UndoItem[] } {
  const seen = new Set<string>();
  const [leading, following]: [UndoItem[], UndoItem[]] = [[], []];
  for (const item of items) {
    const inode = item.now?.kind === 'file' && item.target?.kind === 'file' ? item.now.others?.inode : undefined;
    if (inode !== undefined && seen.has(inode)) following.push(item);
    else leading.push(item);
    if (inode !== undefined) seen.add(inode);
  }
  return { leading, following };
}

const contentRecord = ({ real, now, target }: UndoItem): RecordedFile => ({
  real,
  before: now?.kind === 'file' ? (now.hash ?? null) : null,
  after: target?.kind === 'file' ? (target.hash ?? null) : null,
  ...(now?.kind === 'file' && now.mode !== undefined && { mode: now.mode }),
});

const otherBefore = (state: EntryState): { otherBefore?: RecordedOther } =>
  state && state.kind !== 'file' ? { otherBefore: state } : {};

const otherAfter = (state: EntryState): { otherAfter?: RecordedOther } =>
  state && state.kind !== 'file' ? { otherAfter: state } : {};

function modeRecord(real: string, state: EntryState, modeAfter: number): RecordedFile {
  if (state?.kind === 'folder') {
    return { real, before: null, after: null, otherBefore: state, otherAfter: { ...state, mode: modeAfter } };
  }
  if (state?.kind !== 'file') return { real, before: null, after: null };
  const { hash, mode, id = '', unkept = 'only its mode was changed' } = state;
  const sameContent: RecordedOther = { kind: 'unkept', id, why: unkept };
  return {
    real,
    before: hash ?? null,
    after: hash ?? null,
    ...(mode !== undefined && { mode }),
    modeAfter,
    ...(hash === undefined && { otherBefore: sameContent, otherAfter: sameContent }),
  };
}

function withMode(state: EntryState, mode: number): EntryState {
  if (state?.kind === 'file') return { ...state, mode };
  return state?.kind === 'folder' ? { ...state, mode } : state;
}

async function setMode(folder: Folder, real: string, mode: number): Promise<void> {
  const path = folder.at(basename(real));
  if ((await lstat(path)).isSymbolicLink()) throw new UndoFailure(`${real} was replaced by a link.`);
  await chmod(path, mode);
}
