// What two looks at a path say of what happened to it in between, in the journal's words.
import { stateAfter, stateBefore } from './entry-state.js';
import type { RecordedChange, RecordedFile, RecordedOther } from './journal.js';
import { contentId, type Entry } from './workspace-tree.js';

/** What is said of a call that others worked beside. */
export const IN_BACKGROUND = 'it ran in the background, so that some of this may be the work of somebody else';

/** What a file held when it was looked at: a content that is kept, or why it is not. */
export type Content = { hash: string } | { why: string };

/** One side of a change. */
export interface Side {
  hash: string | null;
  mode?: number | undefined;
  other?: RecordedOther | undefined;
}

const nothing: Side = { hash: null };

/** A file's content, or that of nothing where there is no entry. */
export function sideOf(entry: Entry | undefined, content: Content | undefined): Side {
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

/** A part of a change, and the change by somebody else that came after it. */
export interface Part {
  file: RecordedFile;
  earlierThan?: string;
}

/**
 * What is left of a change when others that were recorded meanwhile are taken out: what happened before, between and
 * after them. Nothing where they are all that happened.
 */
export function partsOf(real: string, before: Side, after: Side, meanwhile: readonly RecordedChange[]): Part[] {
  const parts: Part[] = [];
  let at = before;
  const add = (next: Side, earlierThan?: string): void => {
    if (isSame(at, next)) return;
    parts.push({ file: recordOf(real, at, next), ...(earlierThan !== undefined && { earlierThan }) });
  };
  for (const { change, files } of meanwhile) {
    for (const file of files) {
      if (file.folders?.includes(real) && at.hash === null && !at.other) at = { hash: null, other: madeFolder };
      if (file.real !== real) continue;
      add(asSide(stateBefore(file)), change);
      at = asSide(stateAfter(file));
    }
  }
  add(after);
  return parts;
}

const madeFolder: RecordedOther = { kind: 'folder', mode: -1 };

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
    ...(before.other && { otherBefore: before.other }),
    ...(after.other && { otherAfter: after.other }),
  };
}

/** Whoever made a new file need not have said its mode. */
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

/** It was changed, and can't be put back. */
export const isLost = ({ otherBefore }: RecordedFile): boolean => otherBefore?.kind === 'unkept';
