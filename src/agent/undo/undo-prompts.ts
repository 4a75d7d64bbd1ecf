// Assigns calls to prompts by their order in the session's files, since a clock may be set back.
import { localSecond } from '../../platform/text/local-time.js';
import { type OutlinedPrompt, outlineSession, type SessionOutline } from '../store/session-outline.js';
import { type UndoableCall, UndoFailure, type UndoSelection } from './undo-calls.js';

/** The calls that changed files since the last prompt, or since an earlier one. */
export function selectSincePrompt(
  dataFolder: string,
  sessionId: string,
  calls: readonly UndoableCall[],
  prompts: number,
): UndoSelection {
  const outline = outlineSession(dataFolder, sessionId);
  const count = outline.prompts.length;
  const since = outline.prompts.at(-prompts);
  if (since === undefined || prompts > count) {
    throw new UndoFailure(
      count === 0
        ? `The conversation of the session ${sessionId} is not kept, so it is not known which calls came after which prompt. Look at the list, and use --calls or --call.`
        : `The session ${sessionId} has ${count} prompts. Go back by at most that many.`,
    );
  }
  const later = callsSince(count - prompts, calls, outline);
  if (later.length === 0) {
    throw new UndoFailure(
      `No call has changed files since the prompt of ${localSecond(since.at)}, or all are already undone.`,
    );
  }
  return { callIds: later.map(({ callId }) => callId) };
}

/** The calls after a prompt (counted from 0) that can be undone. */
export function callsSince(index: number, calls: readonly UndoableCall[], outline: SessionOutline): UndoableCall[] {
  const promptsBefore = promptCounter(outline);
  return calls.filter((call) => promptsBefore(call) > index && !call.undoes && !call.undoneBy);
}

/** The last prompt after which calls changed files that are not undone, and those calls. */
export function sinceLastPrompt(
  calls: readonly UndoableCall[],
  outline: SessionOutline,
): { prompt: OutlinedPrompt; calls: UndoableCall[] } | undefined {
  const index = outline.prompts.findLastIndex((_, at) => callsSince(at, calls, outline).length > 0);
  const prompt = outline.prompts[index];
  return prompt && { prompt, calls: callsSince(index, calls, outline) };
}

/** The undo that was the last change of the session, if it was not itself the reversal of an undo. */
export function lastUndo(calls: readonly UndoableCall[]): UndoableCall | undefined {
  const last = calls.at(-1);
  if (!last?.undoes || last.undoneBy) return undefined;
  const undone = new Set(last.undoes);
  return calls.some(({ callId, undoes }) => undoes && undone.has(callId)) ? undefined : last;
}

/** Returns a function that counts the prompts before a call. */
export function promptCounter({ prompts, promptsBefore }: SessionOutline): (call: UndoableCall) => number {
  const positions = positionsOf(prompts);
  return ({ callId, position, at }) => {
    const known = promptsBefore.get(callId);
    if (known !== undefined) return known;
    // Calls of child agents, and undos, are in other files.
    if (positions) return positions.filter((start) => start <= position).length;
    return prompts.filter((prompt) => prompt.at <= Date.parse(at)).length; // a session of an earlier version
  };
}

/**
 * The position of each prompt in the list of changes. In a fork the list starts empty: earlier prompts are at its
 * beginning.
 */
function positionsOf(prompts: readonly OutlinedPrompt[]): number[] | undefined {
  const positions = prompts.flatMap(({ changes }) => changes ?? []);
  if (positions.length < prompts.length) return undefined;
  return positions.map((_, index) => Math.min(...positions.slice(index)));
}
