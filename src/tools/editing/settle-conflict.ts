import type { ToolFailure } from '../../contract/failure.js';
import type { Question } from '../../contract/question.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { spliceBytes } from '../../platform/encodings/text-file.js';
import { refusal } from '../refusal.js';
import { changedOnDisk } from './check-editable.js';
import { around, type Conflict, differingPart } from './fit-to-disk.js';
import type { ChangedText } from './match/edit-text.js';
import type { LineRange } from './match/line-ranges.js';
import { showLines } from './match/show-place.js';
import { type TextLines, textLines } from './match/text-lines.js';

const MAX_SHOWN_CHARS = 6_000; // a much longer refusal would be cut in the middle
const MAX_CONFLICTS_SHOWN = 3;
const LINES_AROUND = 2;

const OVERWRITE = 'Overwrite';
const ABORT = 'Abort';
const READ_AGAIN = 'Read again';
const MARKERS = 'Write with conflict markers';

/** The refusal if no user can be asked: the conflict, and what to do about it. */
export function conflictRefusal(conflict: Conflict): Error {
  const { target, seen, theirs, merged, why, name } = conflict;
  const shown = `\nBoth versions, between git-style markers:\n${showConflicts(textLines(merged.text))}`;
  const choices = [
    'read it again, then send a change that fits',
    'overwrite the other change: read it again, then Write all of it',
    'abort, and leave the file as it is',
    'write both versions with conflict markers, which is for the user to say',
  ];
  const next = `Read it again, then send ${name.endsWith('edit') ? 'an edit' : 'a change'} that fits.`;
  return refusal(`${changedOnDisk(target, seen, theirs)}${why}. Nothing was written.`, {
    advice: `${next}${shown}\nNo user can choose here. The choices are: ${choices.join('; ')}.`,
  });
}

/**
 * Shows the choices to the user and applies the answer. If nothing is to be written, the call is refused in the user's
 * name.
 */
export async function settleConflict(conflict: Conflict, context: ToolContext): Promise<ChangedText> {
  const { target, ours, name } = conflict;
  const { askUser, signal } = context;
  if (!askUser) throw conflictRefusal(conflict);
  const [answer] = await askUser([questionAbout(conflict)], signal);
  signal.throwIfAborted();
  const choice = answer?.chosen[0];
  if (choice === OVERWRITE) {
    const note = 'The file had changed on disk since you read it; the user chose to overwrite that change.';
    return { ...ours, notes: [...ours.notes, note] };
  }
  if (choice === MARKERS) return withMarkers(conflict);
  if (choice === READ_AGAIN) throw readAgain(conflict, context);
  const said = answer?.text ? ` and said: ${answer.text}` : '';
  throw refusal(
    `${target.shown} changed on disk after it was read, and the user chose to leave it as it is instead of making ${name}${said}. Nothing was written.`,
    {
      advice: 'Do not send it again; ask the user how to go on.',
      problem: `${target.shown} changed on disk, and you chose to leave it as it is.`,
    },
  );
}

function questionAbout({ target, seen, theirs, why, name }: Conflict): Question {
  const changed = changedOnDisk(target, seen, theirs).replace('after it was read', 'after the model read it');
  return {
    header: 'Changed file',
    question: `${changed}${why.replace('what was read', 'what it read')}. What should be done?`,
    options: [
      { label: OVERWRITE, description: `Make ${name} and lose the other change` },
      { label: ABORT, description: 'Nothing is written' },
      { label: READ_AGAIN, description: 'Nothing is written, and the model is shown the file as it is now' },
      { label: MARKERS, description: 'Write both versions, with git-style markers around them' },
    ],
  };
}

function withMarkers({ theirs, ours, merged }: Conflict): ChangedText {
  const text = textLines(merged.text);
  const places = conflictsIn(text);
  return {
    bytes: spliceBytes(theirs, [differingPart(theirs.text, text.raw)]),
    text,
    places,
    lines: around(places),
    replacements: ours.replacements,
    done: 'written with conflict markers',
    notes: [
      'The file had changed on disk since you read it; the user chose to have both versions written between git-style markers (<<<<<<<, =======, >>>>>>>), which have to be resolved.',
    ],
  };
}

/** From the opening to the closing conflict marker. */
function conflictsIn(text: TextLines): LineRange[] {
  const places: LineRange[] = [];
  let first = 0;
  for (let line = 1; line <= text.lineCount; line += 1) {
    const start = text.raw.slice(text.start(line), text.start(line) + 8);
    if (start === '<<<<<<< ') first = line;
    if (start !== '>>>>>>> ' || first === 0) continue;
    places.push([first, line]);
    first = 0;
  }
  return places;
}

function showConflicts(text: TextLines): string {
  const places = conflictsIn(text);
  const shown = places
    .slice(0, MAX_CONFLICTS_SHOWN)
    .map(([first, last]) => showLines(text, [first - LINES_AROUND, last + LINES_AROUND]).replace(/^\d+\t/gm, ''));
  const more = places.length - shown.length;
  const all = `${shown.join('\n…\n')}${more > 0 ? `\n(${more} more)` : ''}`;
  return all.length > MAX_SHOWN_CHARS ? `${all.slice(0, MAX_SHOWN_CHARS)} …` : all;
}

/** Shows what the file contains now and records it as seen, so that the model can send a change that fits. */
function readAgain({ target, theirs }: Conflict, { session }: ToolContext): ToolFailure {
  const text = textLines(theirs.text);
  const shown: string[] = [];
  let chars = 0;
  for (let line = 1; line <= text.lineCount; line += 1) {
    const numbered = `${line}\t${text.line(line)}`;
    chars += numbered.length + 1;
    if (chars > MAX_SHOWN_CHARS) break;
    shown.push(numbered);
  }
  const { hash, bytes } = theirs;
  const lines = shown.length === text.lineCount ? 'all' : ([[1, shown.length]] as const);
  session.ledger.set(target.real, { hash, size: bytes.length, at: new Date(), lines, bytes });
  const rest =
    lines === 'all' ? '' : `\n(lines 1–${shown.length} of ${text.lineCount}; Read the rest before you change it)`;
  return refusal(
    `${target.shown} changed on disk after it was read, and the user chose to have it read again. Nothing was written.`,
    {
      advice: `Send a change that fits what it holds now:\n${shown.join('\n')}${rest}`,
      problem: `${target.shown} changed on disk, and you chose to have it read again.`,
    },
  );
}
