// A change is made for a file as the model has seen it. If the file on disk has changed since, the change is merged or
// the user is asked; it is never applied blindly.
import { ToolFailure } from '../../contract/failure.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { spliceBytes } from '../../platform/encodings/text-file.js';
import { changedLines, type MergedText, mergeThreeWay } from '../../platform/text/three-way-merge.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { changedOnDisk, rangeText } from './check-editable.js';
import { type LoadedText, textAsSeen } from './load-text.js';
import type { ChangedText } from './match/edit-text.js';
import { afterChanges, joinRanges, type LineRange, withoutRanges } from './match/line-ranges.js';
import { CONTEXT_LINES, showLines } from './match/show-place.js';
import { type TextLines, textLines } from './match/text-lines.js';

const MAX_LISTED = 20;
const MAX_PLACES_SHOWN = 3;

/** A change that can be applied to more than one version of its file. */
export interface Change {
  /** Checks that don't depend on what the model has seen; throws a refusal. */
  check?(file: LoadedText): void;
  /** Applies the change to the file as the model knows it; throws a refusal if it does not fit. */
  make(file: LoadedText, seen: SeenFile): ChangedText | Promise<ChangedText>;
  /**
   * Applies the change to a text that the model does not know, if it is unambiguous; throws a refusal. Tried only with
   * a change that fits what the model has seen. Undefined for a change that replaces the whole file.
   */
  makeBlind?(file: LoadedText, seen: SeenFile): ChangedText | Promise<ChangedText>;
  /** Its name in messages: "the edit". */
  name: string;
}

/** A change that conflicts with another program's change to the file. */
export interface Conflict {
  target: TargetFile;
  name: string;
  seen: SeenFile;
  /** The file on disk. */
  theirs: LoadedText;
  /** The file with the model's change. */
  ours: ChangedText;
  /** Both, with git's conflict markers. */
  merged: MergedText;
  /** Why it could not be merged, as the end of a sentence. */
  why: string;
}

/** A file and its planned content, or a conflict for the user to decide. */
export type FilePlan = { target: TargetFile; before: LoadedText } & (
  | { changed: ChangedText; conflict?: undefined }
  | { conflict: Conflict; changed?: undefined }
);

export async function fitToDisk(
  target: TargetFile,
  theirs: LoadedText,
  seen: SeenFile,
  change: Change,
): Promise<FilePlan> {
  const fits = (changed: ChangedText): FilePlan => ({ target, before: theirs, changed });
  if (seen.hash === theirs.hash) {
    const changed = await change.make(theirs, seen);
    return fits(seen.merged ? { ...changed, merged: true } : changed);
  }
  const known: SeenFile = { ...seen, merged: true }; // from here on only lines that were seen count
  const base = textAsSeen(target, seen);
  const since = changedOnDisk(target, seen, theirs);
  if (!base && change.makeBlind) {
    throw refusal(
      `${since}, and what was read was not kept, so it is unclear whether ${change.name} still fits. Nothing was written.`,
      { advice: `Read it again, then send ${change.name} again.` },
    );
  }
  const ours = await orRefused(() => change.make(base ?? theirs, known));
  if (ours instanceof ToolFailure) {
    if (!change.makeBlind) throw ours;
    throw await misfit(since, change, theirs, known, ours);
  }
  const merged = mergeThreeWay(base?.text ?? '', ours.text.raw, theirs.text);
  if (base && merged.conflicts.length === 0) {
    return fits(mergedChange({ base, theirs, seen }, ours, merged));
  }
  const blind = base && (await orRefused(async () => await change.makeBlind?.(theirs, known)));
  if (blind && !(blind instanceof ToolFailure) && areSamePlaces({ base, ours }, { theirs, blind })) {
    return fits({ ...blind, ...unseen(base, seen, blind), merged: true });
  }
  const why = base ? conflictAt(change, merged) : ', and what was read was not kept, so the two can not be merged';
  return { target, before: theirs, conflict: { target, name: change.name, seen, theirs, ours, merged, why } };
}

/** The refusal of a change that does not fit what the model has seen: what was added on disk, it can't know. */
async function misfit(
  since: string,
  change: Change,
  theirs: LoadedText,
  known: SeenFile,
  ours: ToolFailure,
): Promise<ToolFailure> {
  const blind = await orRefused(async () => await change.makeBlind?.(theirs, known));
  if (blind instanceof ToolFailure) {
    return blind.message.startsWith(since)
      ? blind
      : refusal(`${since}. ${blind.message}`, { problem: `${since}. ${blind.problem}`, cause: blind });
  }
  return refusal(`${since}, and ${change.name} does not fit what was read of it. Nothing was written.`, {
    advice: `Read it again, then send ${change.name} again.${blind ? presentPlaces(theirs, blind) : ''}`,
    cause: ours,
  });
}

/** The lines on disk that the change would replace. */
function presentPlaces(theirs: LoadedText, blind: ChangedText): string {
  const text = textLines(theirs.text);
  const places = changedLines(theirs.text, blind.text.raw).map(
    ({ before: [first, last] }): LineRange => [first, Math.max(first, last)],
  );
  const shown = joinRanges(places).slice(0, MAX_PLACES_SHOWN);
  const lines = shown.map((place) => showLines(text, place)).filter((some) => some !== '');
  return lines.length === 0
    ? ''
    : ` The ${lines.length === 1 ? 'place reads' : 'places read'} now:\n${lines.join('\n…\n')}`;
}

/** Whether the change was applied where it would have been in the text that was read, and not in a similar passage. */
function areSamePlaces(
  { base, ours }: { base: LoadedText; ours: ChangedText },
  { theirs, blind }: { theirs: LoadedText; blind: ChangedText },
): boolean {
  const hunks = changedLines(base.text, theirs.text);
  const lineInBase = (line: number): LineRange => {
    let moved = 0;
    for (const { before, after } of hunks) {
      if (line < after[0] - 1) break;
      if (line <= after[1] + 1) return [before[0] - 1, before[1] + 1];
      moved = before[1] - after[1];
    }
    return [line + moved, line + moved];
  };
  const wanted = changedLines(base.text, ours.text.raw).map(({ before }) => before);
  return changedLines(theirs.text, blind.text.raw).every(({ before: [first, last] }) => {
    const [from, to] = [lineInBase(first)[0], lineInBase(Math.max(first, last))[1]];
    return wanted.some(([start, end]) => start <= to + 1 && from <= Math.max(start, end) + 1);
  });
}

async function orRefused<Value>(work: () => Value | Promise<Value>): Promise<Value | ToolFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}

function conflictAt({ name }: Change, { conflicts }: MergedText): string {
  const lines = conflicts.map(({ theirsLines: [first, last] }) => rangeText([first, Math.max(first, last)]));
  return ` and ${name} conflicts with that change at ${lineWord(lines)} ${listed(lines)}`;
}

const lineWord = (ranges: readonly string[]): string =>
  ranges.length === 1 && !ranges[0]?.includes('–') ? 'line' : 'lines';

/** The file on disk with our lines merged in; identical bytes are copied. */
function mergedChange(
  { base, theirs, seen }: { base: LoadedText; theirs: LoadedText; seen: SeenFile },
  ours: ChangedText,
  { text, theirHunks }: MergedText,
): ChangedText {
  const merged = textLines(text);
  const isOurs = theirs.text === text; // the other program made the same change
  const changed = isOurs ? ours.places : mergeThreeWay(theirs.text, theirs.text, text).theirHunks;
  const differing = differingPart(theirs.text, text);
  const at = merged.lineAt(differing.start);
  const places: LineRange[] = changed.length > 0 ? [...changed] : [[at, at]];
  const foreign = theirHunks.map(rangeText);
  return {
    bytes: spliceBytes(theirs, isOurs ? [] : [differing]),
    text: merged,
    places,
    lines: knownLines(base, seen, merged, places),
    merged: true,
    replacements: ours.replacements,
    done: ours.done,
    notes: [
      ...ours.notes,
      isOurs && foreign.length === 0
        ? 'The file had changed on disk since you read it: another program made the same change.'
        : mergedNote(base.text === theirs.text, foreign),
    ],
  };
}

function mergedNote(sameText: boolean, foreign: readonly string[]): string {
  if (sameText) return 'Since you read it, its bytes had changed and none of its lines (as a byte order mark does).';
  const which =
    foreign.length === 0 ? 'Their change only took lines away.' : `Not yours: ${lineWord(foreign)} ${listed(foreign)}.`;
  return `The file had changed on disk since you read it; both changes were merged and the other one was kept. ${which} Read it again before you rely on the rest of it.`;
}

const unseen = (
  base: LoadedText,
  seen: SeenFile,
  { text, places, notes }: ChangedText,
): Pick<ChangedText, 'lines' | 'notes'> => ({
  lines: knownLines(base, seen, text, places),
  notes: [
    ...notes,
    'The file had changed on disk since you read it; the change was applied to the new content and the other changes were kept. Read it again before you rely on the rest of it.',
  ],
});

/**
 * In a file that another program has changed, the model knows the unchanged lines that it had seen, and the places it
 * is shown.
 */
function knownLines(base: LoadedText, seen: SeenFile, { raw }: TextLines, places: readonly LineRange[]): LineRange[] {
  const shown = around(places);
  const before = seen.lines === 'all' ? [[1, textLines(base.text).lineCount] as const] : seen.lines;
  const changes = changedLines(base.text, raw);
  const moved = afterChanges(
    before,
    changes.map(({ before: [from, to], after: [first, last] }) => ({
      lines: [from, to],
      added: last - first - (to - from),
    })),
  );
  const stayed = withoutRanges(
    moved === 'all' ? [] : moved,
    changes.map(({ after }) => after),
  );
  return joinRanges([...stayed, ...shown]);
}

export const around = (places: readonly LineRange[]): LineRange[] =>
  joinRanges(places.map(([first, last]) => [Math.max(1, first - CONTEXT_LINES), last + CONTEXT_LINES]));

/** The range in which two texts differ; never splits a surrogate pair or a line ending. */
export function differingPart(before: string, after: string): { start: number; end: number; text: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start + CHUNK <= shorter && sameChunk(before, start, after, start)) start += CHUNK;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  while (start > 0 && isJoined(before, start)) start -= 1;
  let alike = 0;
  const rest = shorter - start;
  while (
    alike + CHUNK <= rest &&
    sameChunk(before, before.length - alike - CHUNK, after, after.length - alike - CHUNK)
  ) {
    alike += CHUNK;
  }
  while (alike < rest && before.charCodeAt(before.length - 1 - alike) === after.charCodeAt(after.length - 1 - alike)) {
    alike += 1;
  }
  while (alike > 0 && isJoined(before, before.length - alike)) alike -= 1;
  return { start, end: before.length - alike, text: after.slice(start, after.length - alike) };
}

const CHUNK = 16_384; // comparing long texts in chunks is many times faster than by character

const sameChunk = (one: string, at: number, other: string, otherAt: number): boolean =>
  one.slice(at, at + CHUNK) === other.slice(otherAt, otherAt + CHUNK);

const isJoined = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return (code & 0xfc00) === 0xdc00 || (code === 0x0a && text.charCodeAt(at - 1) === 0x0d);
};

function listed(items: readonly string[]): string {
  const more = items.length - MAX_LISTED;
  return `${items.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
