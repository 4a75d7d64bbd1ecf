// Derives journal entries from the states of a path in two snapshots.
import { stateAfter, stateBefore } from '../files/entry-state.js';
import type { RecordedChange, RecordedFile, RecordedOther } from '../journal/recorded-change.js';
import { contentId, type TreeEntry } from './workspace-tree.js';

/** Notes on a call during which other writers were active. */
export const IN_BACKGROUND =
  'it ran in the background, so that some of this may be the work of another program or person';
const BETWEEN = 'another call changed it while the command ran, and no copy was made between the two changes';
export const INTERRUPTED =
  'Helve ended while it ran, so that some of this may be the work of another program or person';

/** A file's content at the time of a scan: its saved hash, or why it was not saved. */
export type Content = { hash: string } | { why: string };

/** The state before or after a change. */
export interface Side {
  hash: string | null;
  mode?: number | undefined;
  other?: RecordedOther | undefined;
}

export const nothing: Side = { hash: null };

/** A file's content; null if there is no entry. */
export function sideOf(entry: TreeEntry | undefined, content: Content | undefined): Side {
  if (!entry) return nothing;
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

/** A part of a change, and the journaled change that followed it. */
export interface Part {
  file: RecordedFile;
  earlierThan?: string;
}

/** A change of one path that is journaled for another call or session. */
export interface Journaled {
  change: string;
  before: Side;
  after: Side;
  /** Whether it was made before the workspace was scanned; otherwise it may have been made after the scan. */
  isEarlier: boolean;
  /** Whether it was journaled after it was made. */
  wasMade: boolean;
}

/**
 * Splits a journaled change by path. What a snapshot detected, contents, and folders that were made for them, are
 * journaled after they are made; other folders, links and modes before.
 */
export function journaledPaths(
  { change, files, seen }: Pick<RecordedChange, 'change' | 'files' | 'seen'>,
  isEarlier: boolean,
): Array<[string, Journaled]> {
  return files.flatMap((file) => {
    const made = (file.folders ?? []).map((folder): [string, Journaled] => [
      folder,
      { change, before: nothing, after: { hash: null, other: madeFolder }, isEarlier, wasMade: true },
    ]);
    const [before, after] = [asSide(stateBefore(file)), asSide(stateAfter(file))];
    const wasMade = seen !== undefined || file.before !== file.after;
    return [...made, [file.real, { change, before, after, isEarlier: isEarlier && wasMade, wasMade }]];
  });
}

/** The same change at the next scan. */
export const asEarlier = (one: Journaled): Journaled => ({ ...one, isEarlier: one.wasMade });

/**
 * Subtracts journaled changes from a detected change: the parts before, between and after them. No parts if they
 * explain everything. `later` holds the journaled changes that were made only after the path was scanned.
 */
export function partsOf(
  real: string,
  before: Side,
  after: Side,
  journaled: readonly Journaled[],
): { parts: Part[]; later: Journaled[] } {
  const parts: Part[] = [];
  const start = firstSince(before, journaled);
  const end = endOf(after, journaled, start);
  let at = before;
  const add = (next: Side, earlierThan?: string): void => {
    if (isSame(at, next)) return;
    const file = { ...recordOf(real, at, next), ...(at !== before && at.hash !== null && { uncopied: BETWEEN }) };
    parts.push({ file, ...(earlierThan !== undefined && { earlierThan }) });
  };
  const between = journaled.slice(start, end);
  for (const one of between) {
    if (isKnown(at)) add(one.before, one.change);
    at = one.after;
  }
  // Unreadable content is assumed to match the journal, rather than to be another change.
  if (between.length === 0 || (isKnown(at) && isKnown(after))) add(after);
  return { parts, later: journaled.slice(end) };
}

/** The first one that was made after the earlier scan: earlier ones are already part of that scan's state. */
function firstSince(before: Side, journaled: readonly Journaled[]): number {
  const next = journaled.findIndex((one) => isSame(one.before, before));
  if (next !== -1) return next;
  const last = journaled.at(-1);
  return last && isSame(last.after, before) ? journaled.length : 0;
}

/** The index of the first one that was made after the second scan. */
function endOf(after: Side, journaled: readonly Journaled[], start: number): number {
  const last = journaled.at(-1);
  if (!last || isSame(last.after, after)) return journaled.length;
  const next = journaled.findLastIndex((one, index) => index >= start && !one.isEarlier && isSame(one.before, after));
  return next === -1 ? journaled.length : next;
}

const isKnown = ({ other }: Side): boolean => other?.kind !== 'unkept';

/** A folder that was made for a file. Its mode is not journaled. */
const madeFolder: RecordedOther = { kind: 'folder', mode: -1 };

const recordedOther = (other: RecordedOther): RecordedOther =>
  other === madeFolder ? { kind: 'folder', mode: 0o755 } : other;

function asSide(state: ReturnType<typeof stateBefore>): Side {
  if (!state) return nothing;
  if (state.kind !== 'file') return { hash: null, other: state };
  const { hash, mode, id = '', unkept = '' } = state;
  return hash === undefined ? { hash: null, mode, other: { kind: 'unkept', id, why: unkept } } : { hash, mode };
}

function recordOf(real: string, before: Side, after: Side): RecordedFile {
  const mode = before.mode ?? after.mode;
  return {
    real,
    before: before.hash,
    after: after.hash,
    ...(mode !== undefined && { mode }),
    ...(before.mode !== undefined && after.mode !== undefined && mode !== after.mode && { modeAfter: after.mode }),
    ...(before.other && { otherBefore: recordedOther(before.other) }),
    ...(after.other && { otherAfter: recordedOther(after.other) }),
  };
}

/** The journal entry for a new file may lack its mode. */
function isSame(one: Side, other: Side): boolean {
  const sameMode = one.mode === undefined || other.mode === undefined || one.mode === other.mode;
  return one.hash === other.hash && sameMode && isSameOther(one.other, other.other);
}

function isSameOther(one: RecordedOther | undefined, other: RecordedOther | undefined): boolean {
  if (one?.kind === 'unkept' && other?.kind === 'unkept') return one.id === other.id;
  if (one?.kind === 'folder' && other?.kind === 'folder') {
    return one.mode === other.mode || one === madeFolder || other === madeFolder;
  }
  return JSON.stringify(one) === JSON.stringify(other);
}

/** It was changed, and its previous content can't be restored. */
export const isLost = ({ otherBefore }: RecordedFile): boolean => otherBefore?.kind === 'unkept';

/** Whether a folder was created, removed or given another mode. */
export const isFolderChange = (...sides: readonly Side[]): boolean =>
  sides.every(({ hash, other }) => hash === null && (!other || other.kind === 'folder'));

/** The part of a journal entry for changes that no session claims. */
export const unclaimedIn = (
  parts: readonly Part[],
): Pick<NonNullable<RecordedChange['seen']>, 'unclaimed' | 'unclaimedFiles'> =>
  parts.length === 0
    ? {}
    : {
        unclaimed: [...new Set(parts.map(({ file }) => file.real))],
        unclaimedFiles: parts.map(({ file }) => file),
      };
