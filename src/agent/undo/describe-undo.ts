// Formats the calls that can be undone, and the plan of an undo, as lines for people.
import { resolve } from 'node:path';
import { shortPath } from '../../platform/files/paths.js';
import { entryAt } from '../../platform/snapshots/workspace-tree.js';
import { counted } from '../../platform/text/counted.js';
import { localSecond } from '../../platform/text/local-time.js';
import type { SessionOutline } from '../store/session-outline.js';
import { callNames } from './call-names.js';
import type { UndoItem, UndoPlan } from './undo.js';
import type { UndoableCall } from './undo-calls.js';
import { promptCounter } from './undo-prompts.js';

const MAX_LISTED_FILES = 3;
const MAX_UNCLAIMED = 20;

export const NEVER_COVERED =
  'Not covered, unless a command names the file: what commands changed outside the project and in files that git ignores. Never covered: .git, and what a process that is left running changes later.';

export interface ListWords {
  /** What undoes everything since a prompt, counted from the last; empty for nothing. */
  optionFor?: (index: number) => string;
  /** How the id of a call is shown; undefined to leave ids out. */
  idText?: ((callId: string) => string) | undefined;
}

/** Each prompt, the latest first, with the option that undoes everything since then, and below it the calls after it. */
export function* undoableLines(
  calls: readonly UndoableCall[],
  outline: SessionOutline,
  cwd: string,
  { optionFor = (index) => (index === 0 ? '--turn' : `--prompts ${index + 1}`), idText }: ListWords = {},
): Generator<string> {
  const left = calls.toReversed();
  const promptsBefore = promptCounter(outline);
  for (const [index, { at: since, text }] of outline.prompts.toReversed().entries()) {
    if (left.length === 0) return;
    const facts = [localSecond(since), optionFor(index)].filter((fact) => fact !== '').join(', ');
    yield `— prompt: ${text || '(no text)'}  (${facts})`;
    while (left[0] && promptsBefore(left[0]) >= outline.prompts.length - index) {
      yield lineFor(left[0], outline.calls.get(left[0].callId), { cwd, idText });
      left.shift();
    }
  }
  for (const call of left) yield lineFor(call, outline.calls.get(call.callId), { cwd, idText });
}

/** The calls of a plan, the latest first, each below the prompt that it came after. */
export function planLines(calls: readonly UndoableCall[], outline: SessionOutline, cwd: string): string[] {
  const promptsBefore = promptCounter(outline);
  const byPrompt = Map.groupBy(calls.toReversed(), (call) => promptsBefore(call));
  return [...byPrompt].flatMap(([count, some]) => {
    const prompt = outline.prompts[count - 1];
    const head = prompt ? [`— prompt: ${prompt.text || '(no text)'}  (${localSecond(prompt.at)})`] : [];
    return [...head, ...some.map((call) => lineFor(call, outline.calls.get(call.callId), { cwd }))];
  });
}

/** Calls of the session that still run, and so are not in the plan. */
export function runningLines({ running, dataFolder, sessionId }: UndoPlan): string[] {
  const nameOf = callNames(dataFolder, sessionId);
  return running.map((callId) => `Not undone: the changes of ${nameOf(callId)}, which is still running.`);
}

export const NOTHING_TO_DO = 'The files that were changed are already as they were before, so there is nothing to do.';

function lineFor(
  { callId, at, files, undoes, undoneBy, isCommand, notCovered, notes = [], unclaimed }: UndoableCall,
  known: { tool: string; title: string } | undefined,
  { cwd, idText }: { cwd: string; idText?: ListWords['idText'] },
): string {
  const shown = files.slice(0, MAX_LISTED_FILES).map((real) => shortPath(cwd, real));
  const more = files.length > shown.length ? [`${files.length - shown.length} more`] : [];
  const remarks = [
    isCommand && 'by a command',
    undoes && (idText ? `undid ${undoes.map(idText).join(', ')}` : 'an undo'),
    undoneBy && (idText ? `undone by ${idText(undoneBy)}` : 'undone'),
    notCovered && 'some of its changes are unknown',
    ...notes,
    unclaimed && `${unclaimed.length} more changed, possibly by another session`,
  ].filter(Boolean);
  const touched = [...shown, ...more].join(', ') || 'no files';
  const isNamed = known !== undefined && files.length === 1 && files[0] === resolve(cwd, known.title);
  const what = known === undefined ? touched : `${known.tool} ${isNamed ? touched : `${known.title}: ${touched}`}`;
  return `  ${localSecond(at)}  ${what}${remarks.length > 0 ? ` (${remarks.join('; ')})` : ''}${idText ? `  [${idText(callId)}]` : ''}`;
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

/** The parts of a planned change that a surface draws. */
export interface UndoItemParts {
  /** What happens to which file. */
  title: string;
  isBlocked: boolean;
  path: string;
  /** Empty if there is none to show. */
  patch: string;
}

export function undoItemParts(item: UndoItem, cwd: string): UndoItemParts {
  const { diff = '', conflict, impossible } = item;
  const start = /^(?:--- |@@ )/m.exec(diff)?.index ?? diff.length;
  const remark = diff.slice(0, start).trim().replaceAll('\n', ' ');
  const [head = ''] = describeUndoItem({ ...item, diff: '' }, cwd)
    .replace(/^! /, '')
    .split('\n');
  return {
    title: remark === '' ? head : `${head} ${remark}`,
    isBlocked: (conflict ?? impossible) !== undefined,
    path: shortPath(cwd, item.real),
    patch: impossible === undefined ? diff.slice(start) : '',
  };
}

/** How many files and folders there are, apart. */
export function countedEntries(items: readonly UndoItem[]): string {
  const folders = items.filter(({ now, target }) => (target ?? now)?.kind === 'folder').length;
  return [
    ...(items.length > folders ? [counted(items.length - folders, 'file')] : []),
    ...(folders > 0 ? [counted(folders, 'folder')] : []),
  ].join(' and ');
}

/** What an undo has done, in words: files and folders apart, restored and removed apart. */
export function restoredWords({ items }: UndoPlan, done: readonly string[]): string {
  const isDone = new Set(done);
  const entries = items.filter(({ real }) => isDone.has(real));
  const [removed, restored] = [true, false].map((isGone) =>
    countedEntries(entries.filter(({ action }) => (action === 'remove') === isGone)),
  );
  if (!restored && !removed) return 'No file was changed.';
  if (!removed) return `Restored ${restored}.`;
  return restored ? `Restored ${restored}, removed ${removed}.` : `Removed ${removed}.`;
}

const verbs = { change: 'restore', make: 'recreate', remove: 'remove', mode: 'change the mode of' } as const;

export function describeUndoItem(item: UndoItem, cwd: string): string {
  const { real, action, now, target, diff, conflict, impossible, stays } = item;
  const path = shortPath(cwd, real);
  if (impossible !== undefined) return `! ${path} can't be restored: ${impossible}`;
  const isFolder = (target ?? now)?.kind === 'folder';
  const head =
    stays === undefined
      ? `${verbs[action]} ${isFolder ? 'the folder ' : ''}${path}`
      : `leave the folder ${path}: ${stays}`;
  return [`${conflict === undefined ? '' : '! '}${head}${conflict === undefined ? '' : `: ${conflict}`}`, diff]
    .filter(Boolean)
    .join('\n');
}
