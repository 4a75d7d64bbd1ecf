import { outlineSession } from '../store/session-outline.js';
import { type UndoableCall, UndoFailure, type UndoSelection } from './undo-calls.js';

/** The calls that changed files since the person last said something, or since some prompts before that. */
export function selectSincePrompt(
  dataFolder: string,
  sessionId: string,
  calls: readonly UndoableCall[],
  prompts: number,
): UndoSelection {
  const times = outlineSession(dataFolder, sessionId).prompts.map(({ at }) => at);
  const since = times.at(-prompts);
  if (since === undefined) {
    throw new UndoFailure(
      times.length === 0
        ? `What was said in the session ${sessionId} is not kept, so it can't be told which calls came after which prompt. Look at the list, and use --calls or --call.`
        : `The session ${sessionId} has ${times.length} prompts. Go back by at most that many.`,
    );
  }
  const later = calls.filter(({ at, undoes, undoneBy }) => Date.parse(at) >= since && !undoes && !undoneBy);
  if (later.length === 0) {
    throw new UndoFailure(
      `No call has changed files since the prompt of ${new Date(since).toISOString()}, or all are taken back already.`,
    );
  }
  return { callIds: later.map(({ callId }) => callId) };
}
