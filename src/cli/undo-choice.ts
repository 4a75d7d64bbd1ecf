import type { Writable } from 'node:stream';
import { outlineSession } from '../agent/store/session-outline.js';
import { listUndoable, type UndoableCall, type UndoSelection } from '../agent/undo/undo-calls.js';
import { sinceLastPrompt } from '../agent/undo/undo-prompts.js';
import { shortPath } from '../platform/files/paths.js';
import { counted } from '../platform/text/counted.js';
import { localSecond } from '../platform/text/local-time.js';
import { visible } from '../platform/text/visible.js';
import { writeLine } from './write-line.js';

const MAX_FILES = 3;

interface UndoSource {
  dataFolder: string;
  sessionId: string;
}

/** The last prompt after which calls changed files, and those calls, if there are several to undo. */
async function lastPrompt({ dataFolder, sessionId }: UndoSource) {
  const calls = await listUndoable(dataFolder, sessionId);
  const outline = outlineSession(dataFolder, sessionId);
  const found = sinceLastPrompt(calls, outline);
  const last = found?.calls.at(-1);
  return found && last && found.calls.length > 1
    ? { prompt: found.prompt, since: found.calls, last, known: outline.calls.get(last.callId) }
    : undefined;
}

/** Whether it makes a difference to undo the last call or everything since the last prompt. */
export const isAmbiguous = async (source: UndoSource): Promise<boolean> => (await lastPrompt(source)) !== undefined;

/**
 * Asks what to undo: everything since the last prompt that changed files, or the last call alone. Undefined: nothing.
 * There is nothing to choose if both are the same.
 */
export async function chooseUndo(
  source: UndoSource,
  { cwd, out, ask }: { cwd: string; out: Writable; ask(question: string): Promise<string> },
): Promise<UndoSelection | undefined> {
  const found = await lastPrompt(source);
  if (!found) return { calls: 1 };
  const { prompt, since, last, known } = found;
  const title = known ? `${known.tool} ${known.title}` : filesOf([last], cwd);
  const lines = [
    `Your prompt was: ${prompt.text || '(no text)'}  (${localSecond(prompt.at)})`,
    `  1  undo everything since then: ${counted(since.length, 'call')}, ${filesOf(since, cwd)}`,
    `  2  undo the last call only: ${title}`,
    '  3  cancel',
  ];
  await writeLine(out, visible(lines.join('\n')));
  const answer = (await ask('Choose 1, 2 or 3: ')).trim();
  if (answer === '1') return { callIds: since.map(({ callId }) => callId) };
  return answer === '2' ? { calls: 1 } : undefined;
}

function filesOf(calls: readonly UndoableCall[], cwd: string): string {
  const files = [...new Set(calls.flatMap((call) => call.files))].map((real) => shortPath(cwd, real));
  const more = files.length > MAX_FILES ? [`${files.length - MAX_FILES} more`] : [];
  return [...files.slice(0, MAX_FILES), ...more].join(', ') || 'no files';
}
