import type { FileLedger, SeenFile } from '../../contract/tool-context.js';
import { counted } from '../../platform/text/counted.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import type { LoadedText } from './load-text.js';
import { timeOfDay } from './load-text.js';
import { type Found, isUnique } from './match/find-text.js';
import { covers, joinRanges } from './match/line-ranges.js';
import { textLines } from './match/text-lines.js';

/** What the model has seen of the file. Refuses a file that it has not read. */
export function seenOf(ledger: FileLedger, target: TargetFile, action: 'edit' | 'write' | 'patch'): SeenFile {
  const seen = ledger.get(target.real);
  if (seen) return seen;
  throw refusal(
    `${target.shown} has not been read in this session, so ${action === 'edit' ? 'an edit' : `a ${action}`} could destroy unseen content.`,
    { advice: `Read it, then send the ${action} again.` },
  );
}

/** Whether the content differs from what the model saw; a new mtime alone does not count. */
export const hasChanged = (seen: SeenFile, file: LoadedText): boolean => seen.hash !== file.hash;

/** A changed file may be edited only if the replaced text is still there, once and exactly. */
export function checkFitsChange(
  target: TargetFile,
  seen: SeenFile,
  file: LoadedText,
  found: Found,
  sought = 'old_string',
): void {
  if (isUnique(found) && isExact(found)) return;
  const count = isExact(found) ? countOf(found) : '0 matches';
  throw refusal(
    `${changedOnDisk(target, seen, file)}, and ${sought} does not occur exactly once in the new content (${count}). Nothing was written.`,
    { advice: 'Read it again, then send an edit that fits.' },
  );
}

const LEAST_PROOF_CHARS = 10; // a shorter text could be guessed

/** Whether a unique, exact match proves that the model knows the text, regardless of the lines that it was shown. */
export const isProof = (found: Found, sought: string): boolean =>
  isUnique(found) && isExact(found) && sought.replace(/\s/g, '').length >= LEAST_PROOF_CHARS;

const isExact = ({ how }: Found): boolean => how === 'bytes' || how === 'verbatim' || how === 'exact';

/** Refuses an edit of lines that the model was not shown: it would be a guess. */
export function checkLinesSeen(
  target: TargetFile,
  seen: Pick<SeenFile, 'lines'>,
  found: Pick<Found, 'matches'>,
  sought = 'old_string',
): void {
  if (seen.lines === 'all') return;
  const ranges = joinRanges(seen.lines);
  const unseen = found.matches.find(({ lines }) => !covers(ranges, lines));
  if (!unseen) return;
  const shown = seen.lines.map(rangeText).join(', ') || 'none';
  throw refusal(
    `${sought} is in lines of ${target.shown} that have not been read (${rangeText(unseen.lines)}; read so far: ${shown}). Nothing was written.`,
    { advice: 'Read those lines, then send the edit again.' },
  );
}

/** "3 matches", "more than 1000 matches"; a match that overlaps itself counts as two. */
export function countOf({ matches, hasMore, overlaps }: Found): string {
  const count = matches.length === 1 && overlaps ? 2 : matches.length;
  return `${hasMore ? 'more than ' : ''}${counted(count, 'match', 'matches')}`;
}

/** Only a file that the model has seen whole may be overwritten or deleted. */
export function checkSeenWhole(
  target: TargetFile,
  seen: SeenFile,
  file: LoadedText,
  { doing, instead } = WRITING,
): void {
  if (seen.lines === 'all') return;
  const isAsRead = !hasChanged(seen, file) && !seen.merged;
  if (isAsRead && covers(seen.lines, [1, textLines(file.text).lineCount])) return;
  if (target.real.toLowerCase().endsWith('.ipynb') && seen.lines.length === 0) {
    throw refusal(
      `${target.shown} was shown to you as cells, not as the text that it is, so ${doing} it could destroy unseen content.`,
      {
        problem: `${target.shown} was read as cells, not as the text that it is.`,
        advice: 'Use NotebookEdit to change its cells, or Read it with offset 1 to see all of its text first.',
      },
    );
  }
  const shown = seen.lines.map(rangeText).join(', ') || 'none';
  throw refusal(
    `${target.shown} has been read in part only (lines ${shown}), so ${doing} it could destroy unseen content.`,
    { advice: `Read the rest first, or use ${instead}.` },
  );
}

const WRITING = { doing: 'writing', instead: 'Edit for the part that you know' };
const DELETING = { doing: 'deleting', instead: 'Bash to delete it unread' };

/** A file may be deleted only if it is unchanged since the model has seen it whole. */
export function checkDeletable(ledger: FileLedger, target: TargetFile, file: LoadedText): void {
  const seen = seenOf(ledger, target, 'patch');
  if (!hasChanged(seen, file)) {
    checkSeenWhole(target, seen, file, DELETING);
    return;
  }
  throw refusal(
    `${changedOnDisk(target, seen, file)}, and deleting it would destroy that change. Nothing was written.`,
    { advice: 'Read it again, then send the patch again to delete it anyway.' },
  );
}

export const rangeText = ([first, last]: readonly [number, number]): string =>
  first === last ? `${first}` : `${first}–${last}`;

export function changedOnDisk({ shown }: TargetFile, { at }: SeenFile, { modified }: LoadedText): string {
  return `${shown} changed on disk after it was read (read ${timeOfDay(at)}, modified ${timeOfDay(modified)})`;
}
