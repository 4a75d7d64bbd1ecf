import type { SeenFile } from '../../../contract/tool-context.js';
import { spliceBytes, type TextFile } from '../../../platform/encodings/text-file.js';
import { counted } from '../../../platform/text/counted.js';
import { refusal } from '../../refusal.js';
import type { TargetFile } from '../../target-file.js';
import { type AppliedEdit, applyEdit, type TextEdit } from '../apply-edit.js';
import { checkLinesSeen, countOf, isProof } from '../check-editable.js';
import { type EditStep, followRegions, missingBecauseOf, type Region, regionConflict } from '../edit-conflicts.js';
import { MAX_BYTES } from '../load-text.js';
import { elidedCode } from './elided-code.js';
import { type Found, findText, isUnique, lineList, type Match } from './find-text.js';
import { afterChanges, covers, joinRanges, type LineChange, type LineRange, withoutRanges } from './line-ranges.js';
import { notFound } from './not-found.js';
import { type TextLines, textLines } from './text-lines.js';

const MAX_REPLACEMENTS = 100_000;
const MAX_COUNTED = 1_000; // enough to know that a text is not unique

/** A text after a change, in memory. */
export interface ChangedText {
  bytes: Buffer;
  text: TextLines;
  /** The lines that are new or replaced. */
  places: LineRange[];
  /** The lines that the model knows now. */
  lines: SeenFile['lines'];
  /** It contains lines of another program that were not there when it was read. */
  merged?: boolean;
  replacements: number;
  /** A short summary, for example "1 replacement at line 3". */
  done: string;
  /** Further notes for the result. */
  notes: string[];
}

/** Checks that don't depend on the file. */
export function checkEdits(edits: readonly TextEdit[]): void {
  for (const { old_string, new_string, number } of edits) {
    const fail = (message: string, advice?: string) =>
      refusal(`${nameOf(number)}${message}`, advice === undefined ? {} : { advice });
    if (!new_string.isWellFormed() || !old_string.isWellFormed()) {
      throw fail(
        'old_string or new_string holds half of a surrogate pair, which is no character. Nothing was written.',
        'Send whole characters.',
      );
    }
    if (old_string === new_string) {
      throw fail('old_string and new_string are identical, so there is nothing to do.');
    }
  }
}

/** Checks that depend on the file, but not on where the edits match. */
export function checkEditable(target: TargetFile, file: TextFile, edits: readonly TextEdit[]): void {
  if (file.text === '') {
    throw refusal(`${target.shown} is empty, so there is nothing to replace.`, { advice: 'Use Write to fill it.' });
  }
  const empty = edits.find(({ old_string }) => old_string === '');
  if (!empty) return;
  throw refusal(
    `${nameOf(empty.number)}old_string is empty, and ${target.shown} is not, so it is unclear where new_string goes.`,
    { advice: 'Send neighbouring text in both.' },
  );
}

const nameOf = (number: number | undefined): string => (number === undefined ? '' : `edit ${number}: `);

export interface EditOptions {
  /** What the model has seen of the text; omitted if that does not matter. */
  seen?: SeenFile['lines'];
  /** A unique, exact match may be edited even in lines that were not seen: it can't be a guess. */
  exactIsProof?: boolean;
  /** Every old_string must match once and exactly, because the model does not know the text. */
  onlyExact?: boolean;
}

/**
 * Applies the edits in order, each to the result of the one before. Throws a refusal for the first that does not fit.
 */
export function editText(
  target: TargetFile,
  file: TextFile,
  edits: readonly TextEdit[],
  { seen = 'all', exactIsProof = false, onlyExact = false }: EditOptions = {},
): ChangedText {
  const steps: EditStep[] = [];
  const notes: string[] = [];
  let regions: Region[] = [];
  let current = file;
  let text = textLines(file.text);
  let [places, lines]: [LineRange[], SeenFile['lines']] = [[], seen];
  let replacements = 0;
  let where = '';
  for (const sent of edits) {
    const exactly = findEdit(target, text, sent, { steps, edits, onlyExact });
    const conflict = regionConflict(regions, exactly, sent, text);
    if (conflict) throw refusal(conflict, { problem: `Two of the edits of ${target.shown} change the same place.` });
    const wholeLines = withLineEnd(text, exactly, sent);
    const isWithEnd = wholeLines !== undefined && !regionConflict(regions, wholeLines.found, wholeLines.edit, text);
    const { found, edit } = isWithEnd ? wholeLines : { found: exactly, edit: sent };
    if (!(exactIsProof && provesItself(found, edit))) checkSeen(target, lines, found, edit);
    checkSize(target, text, found, edit);
    const applied = applyEdit(text, found, edit);
    notes.push(...tolerance(found, edit));
    if (isWithEnd) notes.push(`${nameOf(edit.number)}The line ending behind the deleted lines was removed with them.`);
    notes.push(...elidedCode(sent.old_string, sent.new_string, `${nameOf(edit.number)}new_string`));

    steps.push({ edit: sent, text, found: exactly });
    regions = followRegions(regions, found, applied, edit);
    places = edits.length === 1 ? applied.places : placesAfter(places, applied);
    lines = linesAfter(lines, applied);
    replacements += found.matches.length;
    where = ` at ${lineList(found)}`;
    current = { ...current, bytes: spliceBytes(current, applied.splices), text: applied.after.raw };
    text = applied.after;
  }
  const done =
    edits.length === 1
      ? `${counted(replacements, 'replacement')}${where}`
      : `${counted(edits.length, 'edit')}, ${counted(replacements, 'replacement')}`;
  return { bytes: current.bytes, text, places, lines, replacements, done, notes };
}

const placesAfter = (places: readonly LineRange[], { changes, places: fresh }: AppliedEdit): LineRange[] => {
  const moved = afterChanges(places, changes);
  return joinRanges([...(moved === 'all' ? [] : moved), ...fresh]);
};

/** The lines seen, plus replacements in or next to them: the result shows the new lines in full. */
const linesAfter = (lines: SeenFile['lines'], { changes, places }: AppliedEdit): SeenFile['lines'] => {
  if (lines === 'all') return 'all';
  const known = joinRanges(lines);
  const isKnown = ({ lines: changed }: LineChange): boolean => covers(known, changed);
  if (changes.every(isKnown)) return afterChanges(lines, changes);
  const unknown = changes.filter((change) => !isKnown(change)).map(({ lines: changed }) => changed);
  const moved = afterChanges(withoutRanges(known, unknown), changes);
  return joinRanges([...(moved === 'all' ? [] : moved), ...places]);
};

/** Deleting whole lines must not leave an empty line, so the last line ending is removed too. */
function withLineEnd(text: TextLines, found: Found, edit: TextEdit): { found: Found; edit: TextEdit } | undefined {
  const isWhole = ({ start, end, lines: [first, last] }: Match): boolean =>
    start === text.start(first) && text.ending(last) !== '' && end === text.start(last + 1) - text.ending(last).length;
  const isDeletion = edit.new_string === '' && !/[\r\n]$/.test(edit.old_string);
  if (!isDeletion || !found.matches.every(isWhole)) return undefined;
  const matches = found.matches.map((match) => ({ ...match, end: text.start(match.lines[1] + 1) }));
  return { found: { ...found, matches }, edit: { ...edit, old_string: `${edit.old_string}\n` } };
}

/** Whether the text that was sent proves that the model knows the place. */
const provesItself = (found: Found, { old_string, replace_all, expected_replacements = 1 }: TextEdit): boolean =>
  !replace_all && expected_replacements === 1 && isProof(found, old_string);

function findEdit(
  target: TargetFile,
  text: TextLines,
  edit: TextEdit,
  { steps, edits, onlyExact }: { steps: readonly EditStep[]; edits: readonly TextEdit[]; onlyExact: boolean },
): Found {
  const { old_string, new_string, number } = edit;
  const fail = (message: string, problem: string) => refusal(nameOf(number) + message, { problem });
  const found = findText(text, old_string, mostMatches(edit));
  const cannotIndent = found.indentation?.reindent(new_string.replace(/\r\n?/g, '\n')) === undefined;
  const isTolerant = found.how === 'quotes' || found.indentation !== undefined;
  const counts = !(onlyExact && isTolerant) && !(found.indentation && cannotIndent);
  if (found.matches.length === 0 || !counts) {
    const because = missingBecauseOf({ target, text, edit, steps, edits });
    const absent = `${nameOf(number)}The text to replace is not in ${target.shown}.`;
    if (because) throw refusal(because, { problem: absent });
    const after = steps.length > 0 ? ' Lines are counted as the edits before leave them.' : '';
    throw fail(
      `${notFound(target, text, old_string)}${number === undefined ? '' : `\nNothing was written.${after}`}`,
      `The text to replace is not in ${target.shown}.`,
    );
  }
  const problem = countProblem(target, found, edit, { onlyExact });
  if (problem !== undefined) {
    throw fail(problem, `The text to replace has ${countOf(found)} in ${target.shown} (${lineList(found)}).`);
  }
  return found;
}

/** How many matches are needed. */
function mostMatches({ replace_all, expected_replacements }: TextEdit): number {
  if (expected_replacements !== undefined)
    return Math.min(Math.max(expected_replacements, MAX_COUNTED), MAX_REPLACEMENTS);
  return replace_all ? MAX_REPLACEMENTS : MAX_COUNTED;
}

function countProblem(
  target: TargetFile,
  found: Found,
  { expected_replacements: expected, replace_all }: TextEdit,
  { onlyExact }: { onlyExact: boolean },
): string | undefined {
  const { matches, hasMore } = found;
  if (hasMore && matches.length === MAX_REPLACEMENTS) {
    return `old_string occurs more than ${MAX_REPLACEMENTS} times in ${target.shown}, and one call replaces at most ${MAX_REPLACEMENTS}. Nothing was written. Send a longer old_string, or use Bash, for example with sed.`;
  }
  if (expected !== undefined && (matches.length !== expected || hasMore)) {
    const number = `${hasMore ? 'more than ' : ''}${counted(matches.length, 'match', 'matches')}`;
    return `expected ${counted(expected, 'replacement')}, found ${number} (${lineList(found)}). Nothing was written. Correct the number, or old_string.`;
  }
  if (isUnique(found) || (!onlyExact && (replace_all || expected !== undefined))) return undefined;
  const times = countOf(found).replace(' matches', ' times');
  const all = hasMore ? 'all of them' : `all ${matches.length}`;
  const next =
    matches.length === 1
      ? 'The places overlap. Add surrounding lines until it occurs once.'
      : `Add surrounding lines until it occurs once, or set replace_all to change ${all}.`;
  return `old_string occurs ${times} in ${target.shown} (${lineList(found)}), so it is not unique. ${next}`;
}

function checkSeen(target: TargetFile, lines: SeenFile['lines'], found: Found, { number }: TextEdit): void {
  checkLinesSeen(target, { lines }, found, number === undefined ? 'old_string' : `edit ${number}: old_string`);
}

function checkSize(target: TargetFile, text: TextLines, { matches }: Found, { new_string, number }: TextEdit): void {
  const removed = matches.reduce((sum, { start, end }) => sum + end - start, 0);
  const size = text.raw.length - removed + matches.length * new_string.length;
  if (size <= MAX_BYTES) return;
  throw refusal(
    `${nameOf(number)}${counted(matches.length, 'replacement')} would make ${target.shown} ${size} characters long, and at most ${MAX_BYTES} can be written by this tool. Nothing was written.`,
    { advice: 'Send a shorter new_string, or use Bash.' },
  );
}

function tolerance({ how, indentation }: Found, { number, new_string }: TextEdit): string[] {
  const name = number === undefined ? 'old_string' : `old_string of edit ${number}`;
  if (how === 'quotes') return [`${name} matched after quote normalisation; the quotes in the file were kept.`];
  if (how === 'blanks') return [`${name} matched but for blanks at the ends of lines.`];
  if (!indentation) return [];
  const fresh = indentation.isIndented(new_string)
    ? 'new_string has it already'
    : 'new_string was indented in the same way';
  return [
    `${name} matched but for its indentation: in the file the text is indented ${indentation.says}. The file's indentation was kept, and ${fresh}.`,
  ];
}
