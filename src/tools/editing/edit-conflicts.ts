import { normalizeEndings } from '../../platform/text/line-endings.js';
import type { TargetFile } from '../target-file.js';
import { type AppliedEdit, applyEdit, type TextEdit } from './apply-edit.js';
import { type Found, findText, type Match } from './match/find-text.js';
import type { TextLines } from './match/text-lines.js';

const MAX_MATCHES = 1_000;
const MAX_LATER_EDITS = 50; // each is tried on the whole text

/** Text that an edit inserted, by offsets in the current text. Regions are sorted and don't overlap. */
export interface Region {
  start: number;
  end: number;
  by: TextEdit;
}

/** An edit that was applied, with the text before it. */
export interface EditStep {
  edit: TextEdit;
  text: TextLines;
  found: Found;
}

/**
 * Whether the edit splits text that an earlier one inserted. Text wholly from one earlier edit may be edited again, and
 * so may a passage that contains all of it.
 */
export function regionConflict(
  regions: readonly Region[],
  { matches }: Found,
  edit: TextEdit,
  text: TextLines,
): string | undefined {
  let next = 0;
  for (const { start, end } of matches) {
    while ((regions[next]?.end ?? start + 1) <= start) next += 1;
    for (let index = next; index < regions.length; index += 1) {
      const region = regions[index];
      if (!region || region.start >= end) break;
      if (region.start <= start && end <= region.end) {
        if (!isSameText(region.by, edit)) continue;
        return contradiction(region.by, edit, text.lineAt(start));
      }
      if (start <= region.start && region.end <= end) continue;
      return overlap(region.by, edit, text.lineAt(Math.max(start, region.start)));
    }
  }
  return undefined;
}

/** The regions after another edit: regions around it grow, regions inside it become its own. */
export function followRegions(
  regions: readonly Region[],
  { matches }: Found,
  { spans }: Pick<AppliedEdit, 'spans'>,
  edit: TextEdit,
): Region[] {
  const isInside = (match: Match, region: Region): boolean => region.start <= match.start && match.end <= region.end;
  const isCovered = (region: Region, match: Match): boolean =>
    match.start <= region.start && region.end <= match.end && !isInside(match, region);

  const moved = movedBy(matches, spans); // queried from the top, so that each match is visited once
  const grown: Region[] = [];
  const own: Region[] = [];
  let next = 0;
  for (const region of regions) {
    while ((matches[next]?.end ?? Number.POSITIVE_INFINITY) < region.start) next += 1;
    const meeting = matches[next];
    const start = region.start + moved(region.start);
    const end = region.end + moved(region.end);
    if (!meeting || !isCovered(region, meeting)) grown.push({ ...region, start, end });
  }
  next = 0;
  for (const [index, match] of matches.entries()) {
    while ((regions[next]?.end ?? Number.POSITIVE_INFINITY) < match.end) next += 1;
    const around = regions[next];
    const span = spans[index];
    if (span && !(around && isInside(match, around))) own.push({ ...span, by: edit });
  }
  return [...grown, ...own].sort((one, other) => one.start - other.start || one.end - other.end);
}

/** How far the matches before an offset move it. */
function movedBy(matches: readonly Match[], spans: AppliedEdit['spans']): (offset: number) => number {
  let [next, total] = [0, 0];
  return (offset) => {
    for (let match = matches[next]; match && match.end <= offset; match = matches[next]) {
      const span = spans[next] ?? match;
      total += span.end - span.start - (match.end - match.start);
      next += 1;
    }
    return total;
  };
}

/** Why an edit has no match, if other edits of the call are the cause. */
export function missingBecauseOf({
  target,
  text,
  edit,
  steps,
  edits,
}: {
  target: TargetFile;
  text: TextLines;
  edit: TextEdit;
  steps: readonly EditStep[];
  edits: readonly TextEdit[];
}): string | undefined {
  for (const step of steps.toReversed()) {
    const conflict = takenBy(step, edit);
    if (conflict) return conflict;
  }
  const later = edits.slice(steps.length + 1, steps.length + 1 + MAX_LATER_EDITS);
  const source = later.find((other) => produces(text, other, edit));
  if (!source) return undefined;
  return `edits ${edit.number} and ${source.number} are in the wrong order (conflict): old_string of edit ${edit.number} was not found in ${target.shown} (0 matches), since only edit ${source.number} puts that text there. Nothing was written. Send edit ${source.number} before edit ${edit.number}.`;
}

/** The text was there until the earlier edit replaced it, or part of it. */
function takenBy({ edit: earlier, text, found }: EditStep, edit: TextEdit): string | undefined {
  const wanted = findText(text, edit.old_string, MAX_MATCHES);
  for (const { start, end } of wanted.matches) {
    const taken = found.matches.find((match) => match.start < end && start < match.end);
    if (!taken) continue;
    const line = text.lineAt(Math.max(start, taken.start));
    return taken.start === start && taken.end === end
      ? contradiction(earlier, edit, line)
      : overlap(earlier, edit, line);
  }
  return undefined;
}

function produces(text: TextLines, later: TextEdit, { old_string }: TextEdit): boolean {
  if (normalizeEndings(later.new_string).includes(normalizeEndings(old_string))) return true;
  if (later.old_string === '') return false;
  const found = findText(text, later.old_string, MAX_MATCHES);
  if (found.matches.length === 0) return false;
  return findText(applyEdit(text, found, later).after, old_string, 1).matches.length > 0;
}

const isSameText = (one: TextEdit, other: TextEdit): boolean =>
  normalizeEndings(one.old_string) === normalizeEndings(other.old_string) && one.new_string !== other.new_string;

const overlap = (one: TextEdit, other: TextEdit, line: number): string =>
  `edits ${one.number} and ${other.number} overlap (conflict) at line ${line}. Nothing was written. Merge them into one edit.`;

const contradiction = (one: TextEdit, other: TextEdit, line: number): string =>
  one.new_string === other.new_string
    ? `edits ${one.number} and ${other.number} are the same (conflict) at line ${line}: after the first, the text is not found any more (0 matches). Nothing was written. Send it once.`
    : `edits ${one.number} and ${other.number} contradict each other (conflict) at line ${line}: they turn the same text into different things. Nothing was written. Keep one of them.`;
