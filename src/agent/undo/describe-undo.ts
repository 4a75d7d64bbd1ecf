// Formats the calls that can be undone, and the plan of an undo, as lines for people.
import { resolve } from 'node:path';
import { shortPath } from '../../platform/files/paths.js';
import { entryAt } from '../../platform/snapshots/workspace-tree.js';
import { localSecond } from '../../platform/text/local-time.js';
import type { SessionOutline } from '../store/session-outline.js';
import type { UndoItem } from './undo.js';
import type { UndoableCall } from './undo-calls.js';
import { promptCounter } from './undo-prompts.js';

const MAX_LISTED_FILES = 3;
const MAX_UNCLAIMED = 20;

export const NEVER_COVERED =
  'Not covered: changes by commands outside the project, to files that git ignores and the commands do not name, and to .git, and later changes by processes that they left running.';

/** Each prompt, the latest first, with the option that undoes everything since then, and below it the calls after it. */
export function* undoableLines(
  calls: readonly UndoableCall[],
  outline: SessionOutline,
  cwd: string,
): Generator<string> {
  const left = calls.toReversed();
  const promptsBefore = promptCounter(outline);
  for (const [index, { at: since, text }] of outline.prompts.toReversed().entries()) {
    if (left.length === 0) return;
    const option = index === 0 ? '--turn' : `--prompts ${index + 1}`;
    yield `— prompt: ${text || '(no text)'}  (${localSecond(since)}, ${option})`;
    while (left[0] && promptsBefore(left[0]) >= outline.prompts.length - index) {
      yield lineFor(left[0], outline.calls.get(left[0].callId), cwd);
      left.shift();
    }
  }
  for (const call of left) yield lineFor(call, outline.calls.get(call.callId), cwd);
}

/** The calls of a plan, the latest first, each below the prompt that it came after. */
export function planLines(calls: readonly UndoableCall[], outline: SessionOutline, cwd: string): string[] {
  const promptsBefore = promptCounter(outline);
  const byPrompt = Map.groupBy(calls.toReversed(), (call) => promptsBefore(call));
  return [...byPrompt].flatMap(([count, some]) => {
    const prompt = outline.prompts[count - 1];
    const head = prompt ? [`— prompt: ${prompt.text || '(no text)'}  (${localSecond(prompt.at)})`] : [];
    return [...head, ...some.map((call) => lineFor(call, outline.calls.get(call.callId), cwd))];
  });
}

/** Calls of the session that still run, and so are not in the plan. */
export const runningLines = (running: readonly string[]): string[] =>
  running.map((callId) => `Not undone: the changes of ${callId}, which is still running.`);

export const NOTHING_TO_DO = 'The files that were changed are already as they were before, so there is nothing to do.';

function lineFor(
  { callId, at, files, undoes, undoneBy, isCommand, notCovered, notes = [], unclaimed }: UndoableCall,
  known: { tool: string; title: string } | undefined,
  cwd: string,
): string {
  const shown = files.slice(0, MAX_LISTED_FILES).map((real) => shortPath(cwd, real));
  const more = files.length > shown.length ? [`${files.length - shown.length} more`] : [];
  const remarks = [
    isCommand && 'by a command',
    undoes && `undid ${undoes.join(', ')}`,
    undoneBy && `undone by ${undoneBy}`,
    notCovered && 'some of its changes are unknown',
    ...notes,
    unclaimed && `${unclaimed.length} more changed, possibly by another session`,
  ].filter(Boolean);
  const touched = [...shown, ...more].join(', ') || 'no files';
  const isNamed = known !== undefined && files.length === 1 && files[0] === resolve(cwd, known.title);
  const what = known === undefined ? touched : `${known.tool} ${isNamed ? touched : `${known.title}: ${touched}`}`;
  return `  ${localSecond(at)}  ${what}${remarks.length > 0 ? ` (${remarks.join('; ')})` : ''}  [${callId}]`;
}

/** Changes that stay because it is unknown which session made them. */
export function unclaimedLines(unclaimed: readonly string[], cwd: string, force = '--force'): string[] {
  if (unclaimed.length === 0) return [];
  const shown = unclaimed
    .slice(0, MAX_UNCLAIMED)
    .map((real) => `${shortPath(cwd, real)}${entryAt(real) ? '' : ' (which does not exist now)'}`);
  const more = unclaimed.length > shown.length ? ` and ${unclaimed.length - shown.length} more` : '';
  return [
    `Stays as it is: ${shown.join(', ')}${more}. It changed while a command, hook or tool of another session ran too, so it is not known which of them changed it. ${force} undoes it anyway.`,
  ];
}

const verbs = { change: 'restore', make: 'recreate', remove: 'remove', mode: 'change the mode of' } as const;

export function describeUndoItem({ real, action, diff, conflict, impossible, stays }: UndoItem, cwd: string): string {
  const path = shortPath(cwd, real);
  if (impossible !== undefined) return `! ${path} can't be restored: ${impossible}`;
  const head = stays === undefined ? `${verbs[action]} ${path}` : `leave the folder ${path}: ${stays}`;
  return [`${conflict === undefined ? '' : '! '}${head}${conflict === undefined ? '' : `: ${conflict}`}`, diff]
    .filter(Boolean)
    .join('\n');
}
