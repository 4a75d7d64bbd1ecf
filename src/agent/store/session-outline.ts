import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UserBlock } from '../../contract/message.js';
import { isInterruption } from '../interruption.js';
import { auditedCalls } from './audited-calls.js';
import { inputLine } from './conversation-view.js';
import { readSession } from './read-session.js';
import { redactSecrets } from './redact-secrets.js';
import { type SessionFolder, sessionFolder } from './session-folder.js';
import { SessionProblem } from './session-problem.js';
import type { RecordedUserBlock } from './session-record.js';
import { titleOf } from './session-title.js';
import { tailName } from './spare-records.js';

const MAX_TITLE_CHARS = 60;

/** The prompts and calls of a session, from which a person chooses a call. */
export interface SessionOutline {
  /** Oldest first. */
  prompts: ReadonlyArray<OutlinedPrompt>;
  /** By call id: the tool, and the command or the file. */
  calls: ReadonlyMap<string, { tool: string; title: string }>;
  /** By call id: the number of prompts before it. */
  promptsBefore: ReadonlyMap<string, number>;
}

export interface OutlinedPrompt {
  at: number;
  text: string;
  /** The size of the list of file changes at the prompt, in bytes; undefined for sessions of an earlier version. */
  changes: number | undefined;
}

/** Names a call by its command or file; undefined if it is not recorded. */
export const titlesIn =
  (dataFolder: string) =>
  ({ sessionId, callId }: { sessionId: string; callId: string }): string | undefined =>
    outlineSession(dataFolder, sessionId).calls.get(callId)?.title;

/** The prompts of a session and its calls that could change something; empty if the session is not saved. */
export function outlineSession(dataFolder: string, sessionId: string): SessionOutline {
  const prompts: OutlinedPrompt[] = [];
  const promptsBefore = new Map<string, number>();
  const calls = new Map<string, { tool: string; title: string }>();
  const inputs = new Map<string, unknown>();
  try {
    for (const { line } of readSession(keptFolder(dataFolder, sessionId), { withoutLarge: true })) {
      if (line?.type === 'user' && isPrompt(line.content)) {
        const text = redactSecrets(titleOf(line.content.filter(hasContent)));
        prompts.push({ at: line.at, text, changes: line.changes });
      }
      if (line?.type === 'blocks' || line?.type === 'assistant') {
        for (const block of line.content) if (block.type === 'tool_use') inputs.set(block.id, block.input);
      }
      if (line?.type !== 'call') continue;
      promptsBefore.set(line.id, prompts.length);
      const input = firstLines(line.input ?? inputs.get(line.id));
      calls.set(line.id, { tool: line.tool, title: inputLine(input, redactSecrets, MAX_TITLE_CHARS) });
    }
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error;
  }
  if (calls.size === 0) addAudited(calls, dataFolder, sessionId);
  return { prompts, calls, promptsBefore };
}

/** For a session that could never be written to the data folder: the temporary folder has all of it as one end. */
function keptFolder(dataFolder: string, sessionId: string): SessionFolder {
  const folder = sessionFolder(dataFolder, sessionId);
  const kept = join(dataFolder, tailName(0));
  return !existsSync(folder.file) && existsSync(kept) ? { ...folder, file: kept } : folder;
}

function addAudited(calls: Map<string, { tool: string; title: string }>, dataFolder: string, sessionId: string): void {
  try {
    for (const { id, tool, input } of auditedCalls(dataFolder, sessionId)) {
      calls.set(id, { tool, title: inputLine(firstLines(input), redactSecrets, MAX_TITLE_CHARS) });
    }
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error; // undo works without the audit log
  }
}

/** Messages with results of calls, or after an interruption, are not prompts of the person. */
export const isPrompt = (content: readonly RecordedUserBlock[]): boolean =>
  !content.some(({ type }) => type === 'tool_result') && !content.every(isInterruption);

const hasContent = (block: RecordedUserBlock): block is UserBlock =>
  block.type !== 'tool_result' || block.content !== undefined;

/** Keeps only the first line of multi-line texts. */
function firstLines(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' ? (value.trimStart().split('\n', 1)[0] ?? '') : value,
    ]),
  );
}
