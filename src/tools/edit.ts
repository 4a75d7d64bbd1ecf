import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { writeFileAtomically } from '../platform/files/atomic-write.js';
import { spliceBytes } from '../platform/files/text-file.js';
import { unifiedPatch } from '../platform/text/diff.js';
import { counted } from './counted.js';
import { type AppliedEdit, applyEdit } from './editing/apply-edit.js';
import { checkFitsChange, checkLinesSeen, countOf, hasChanged, seenOf } from './editing/check-editable.js';
import { type Found, findText, isUnique, lineList } from './editing/find-text.js';
import { afterChanges } from './editing/line-ranges.js';
import { hashOf, type LoadedText, loadText, MAX_BYTES } from './editing/load-text.js';
import { notFound } from './editing/not-found.js';
import { CONTEXT_LINES, showPlaces } from './editing/show-place.js';
import { type TextLines, textLines } from './editing/text-lines.js';
import { changeEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, type TargetFile } from './target-file.js';

const MAX_REPLACEMENTS = 100_000;
const MAX_COUNTED = 1_000; // a text that is not unique is not, however often it occurs

const description = `Replace a piece of text in a file. Answers with the difference and the edited place.
Use it for small changes of a file that you have read. Use Write for a new file or to rewrite most of one.
old_string must be in the file exactly, blanks and indentation included, and only once: add surrounding lines until it is unique, or set replace_all. Leave out the line numbers that Read shows. Line endings and encoding stay as they are.
It makes no new files, and refuses files that were not read or whose text changed in the place of the edit.`;

const input = withAliases(
  { path: 'file_path' },
  z.strictObject({
    file_path: pathText.describe('The file to change, absolute or relative to the working directory'),
    old_string: z.string().describe('The text to replace, exactly as in the file'),
    new_string: z.string().describe('The text to put in its place'),
    replace_all: z.boolean().optional().describe('Replace every occurrence. Default false'),
    expected_replacements: z
      .int()
      .min(1)
      .optional()
      .describe('Replace all occurrences, and only if there are exactly this many'),
  }),
);

type EditInput = z.output<typeof input>;

interface EditData {
  path: string;
  replacements: number;
  summary: string;
  patch: string;
  place: string;
}

export const editTool = defineTool<EditInput, EditData>({
  name: 'Edit',
  description,
  input,

  effects: ({ file_path }, context) => changeEffects(file_path, context),

  async validate(edit, context) {
    await check(edit, context);
    return undefined;
  },

  // The file is read again here: between the check and now somebody may have been asked, and may have taken a while.
  async execute(edit, context) {
    const { target, file, text, found, changed, seen } = await check(edit, context);
    const applied = applyEdit(text, found, edit);
    context.signal.throwIfAborted();
    const bytes = spliceBytes(file, applied.splices);
    await writeFileAtomically(target.real, bytes);
    context.session.ledger.set(target.real, {
      hash: hashOf(bytes),
      size: bytes.length,
      at: new Date(),
      lines: seenAfter(seen, applied, changed),
    });
    return {
      path: target.shown,
      replacements: found.matches.length,
      summary: summarize(target, found, changed),
      patch: unifiedPatch(target.shown, file.text, applied.after.raw),
      place: showPlaces(applied.after, applied.places),
    };
  },

  toModel: ({ summary, patch, place }) => [summary, patch, place].join('\n\n'),

  displayCall: ({ file_path = '' }) => ({ title: file_path }),
  displayResult: ({ path, replacements, patch }) => ({
    title: `${path}: ${counted(replacements, 'replacement')}`,
    body: { type: 'diff', path, patch },
  }),
  displayRefusal: ({ file_path, old_string, new_string }) => ({
    title: file_path,
    body: { type: 'diff', path: file_path, patch: unifiedPatch(file_path, old_string, new_string) },
  }),
});

interface CheckedEdit {
  target: TargetFile;
  file: LoadedText;
  text: TextLines;
  found: Found;
  seen: SeenFile;
  /** The file has other content than the model saw. */
  changed: boolean;
}

/** All that can be wrong with an edit, so that the check before and the work itself can't judge differently. */
async function check(edit: EditInput, context: ToolContext): Promise<CheckedEdit> {
  const { old_string, new_string } = edit;
  if (old_string === new_string) throw refusal('old_string and new_string are identical, so there is nothing to do.');
  if (!new_string.isWellFormed() || !old_string.isWellFormed()) {
    throw refusal(
      'old_string or new_string holds half of a surrogate pair, which is no character. Nothing was written. Send whole characters.',
    );
  }
  const target = await locate(edit.file_path, context);
  const file = await loadText(target, context);
  if (file.text === '')
    throw refusal(`${target.shown} is empty, so there is nothing to replace. Use Write to fill it.`);
  if (old_string === '') {
    throw refusal(
      `old_string is empty, and ${target.shown} is not, so there is no telling where new_string belongs. Send the text next to the place in both.`,
    );
  }
  const seen = seenOf(context.session.ledger, target, 'edit');
  const text = textLines(file.text);
  const found = findText(text, old_string, mostMatches(edit));
  const changed = hasChanged(seen, file);
  if (changed) checkFitsChange(target, seen, file, found);
  checkCount(target, text, found, edit);
  if (!changed) checkLinesSeen(target, seen, found);
  checkSize(target, text, found, edit);
  return { target, file, text, found, seen, changed };
}

/** How many matches are worth finding. */
function mostMatches({ replace_all, expected_replacements }: EditInput): number {
  if (expected_replacements !== undefined)
    return Math.min(Math.max(expected_replacements, MAX_COUNTED), MAX_REPLACEMENTS);
  return replace_all ? MAX_REPLACEMENTS : MAX_COUNTED;
}

function checkCount(target: TargetFile, text: TextLines, found: Found, edit: EditInput): void {
  const { matches, hasMore } = found;
  if (matches.length === 0) throw refusal(notFound(target, text, edit.old_string));
  if (hasMore && matches.length === MAX_REPLACEMENTS) {
    throw refusal(
      `old_string occurs more than ${MAX_REPLACEMENTS} times in ${target.shown}, and one call replaces at most ${MAX_REPLACEMENTS}. Nothing was written. Send a longer old_string, or use Bash, for example with sed.`,
    );
  }
  const expected = edit.expected_replacements;
  if (expected !== undefined) {
    if (matches.length === expected && !hasMore) return;
    const number = `${hasMore ? 'more than ' : ''}${counted(matches.length, 'match', 'matches')}`;
    throw refusal(
      `expected ${counted(expected, 'replacement')}, found ${number} (${lineList(found)}). Nothing was written. Correct the number, or old_string.`,
    );
  }
  if (isUnique(found) || edit.replace_all) return;
  const times = countOf(found).replace(' matches', ' times');
  const all = hasMore ? 'all of them' : `all ${matches.length}`;
  const next =
    matches.length === 1
      ? 'The places overlap. Add surrounding lines until it occurs once.'
      : `Add surrounding lines until it occurs once, or set replace_all to change ${all}.`;
  throw refusal(`old_string occurs ${times} in ${target.shown} (${lineList(found)}), so it is not unique. ${next}`);
}

function checkSize(target: TargetFile, text: TextLines, { matches }: Found, { new_string }: EditInput): void {
  const removed = matches.reduce((sum, { start, end }) => sum + end - start, 0);
  const size = text.raw.length - removed + matches.length * new_string.length;
  if (size <= MAX_BYTES) return;
  throw refusal(
    `${counted(matches.length, 'replacement')} would make ${target.shown} ${size} characters long, and at most ${MAX_BYTES} can be written by this tool. Nothing was written. Send a shorter new_string, or use Bash.`,
  );
}

// Of a file with changes that the model has not seen, it now knows the place that it is shown and nothing more.
function seenAfter(seen: SeenFile, { changes, places }: AppliedEdit, changed: boolean): SeenFile['lines'] {
  if (!changed) return afterChanges(seen.lines, changes);
  return places.map(([first, last]) => [Math.max(1, first - CONTEXT_LINES), last + CONTEXT_LINES] as const);
}

function summarize({ shown }: TargetFile, found: Found, changed: boolean): string {
  const sentences = [`Edited ${shown}: ${counted(found.matches.length, 'replacement')} at ${lineList(found)}.`];
  if (found.how === 'quotes') {
    sentences.push('old_string matched after quote normalisation; the quotes in the file were kept.');
  }
  if (changed) {
    sentences.push(
      'The file had changed on disk since you read it; the edit was applied to the new content and the other changes were kept. Read it again before you rely on the rest of it.',
    );
  }
  return sentences.join(' ');
}
