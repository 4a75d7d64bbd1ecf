// One line of a session's file. docs/sessions.md describes the format for people and programs; a reader must skip
// types and fields that it does not know, so new ones need no new version.

import { isAbsolute } from 'node:path';
import type { LeftCommand } from '../../contract/background.js';
import type { ModelUse, RunOutcome } from '../../contract/event.js';
import type { FailureKind } from '../../contract/failure.js';
import type { AssistantBlock, ContentBlock, UserBlock } from '../../contract/message.js';
import type { StopReason, Usage } from '../../contract/model.js';
import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import type { LeftTask } from '../../contract/server-tasks.js';
import type { SeenFile } from '../../contract/tool-context.js';
import type { StoredGoal } from '../goals/goal-state.js';

export const SESSION_FORMAT = 1;

/** The first line of the file. */
export interface SessionHeader {
  type: 'session';
  v: number;
  id: string;
  root: string;
  /** ISO 8601. */
  created: string;
  model: string;
  /** Of the model; absent in sessions of earlier versions. */
  provider?: string;
  /** From the first prompt. A later `title` record overrides it. */
  title: string;
  /** The session that this one was forked from. */
  fork?: { id: string };
  /** For a child agent: its type, its task, and the agent that started it if that is a child too. */
  agent?: { type: string; description: string; parent?: string };
}

/** The usage since the session began, so that it can be read from the end of the file. */
export interface SessionTotals {
  turns: number;
  usage: Usage;
  /** US dollars; null if the cost of a part is unknown. */
  costUsd: number | null;
  /** Of the runs that ended; absent in sessions of version 0.1.0. */
  runs?: RunTotals;
}

/** The prompts of a session, and what they took. */
export interface RunTotals {
  prompts: number;
  /** Of these, prompts whose run was killed with the process: what it cost is not known. */
  killed?: number;
  models: readonly ModelUse[];
  /** Time spent waiting for the model, and in total. */
  modelMs: number;
  totalMs: number;
}

/** A result in a `user` record has no content if a `result` record before it has. */
export type RecordedUserBlock = UserBlock | { type: 'tool_result'; tool_use_id: string; content?: undefined };

type SeenRecord = Pick<SeenFile, 'hash' | 'size' | 'lines' | 'merged'> & { at: number };

export type SessionRecord = {
  at: number;
} /** `changes`: the size of the session's list of file changes at the prompt, in bytes. */ & (
  | {
      type: 'user';
      content: readonly RecordedUserBlock[];
      changes?: number;
      /** The id that the client has given to its prompt: one that is in the file does not run again. */
      promptId?: string;
    }
  | { type: 'assistant'; content: readonly AssistantBlock[]; id?: string; model?: string }
  /** Complete blocks of an answer that is still being written; the `assistant` record replaces them. */
  | {
      type: 'blocks';
      content: readonly AssistantBlock[];
      /** Incomplete thinking before a call is not among the blocks. */
      thought?: true;
    }
  /** A call that may change something is about to begin. */
  | {
      type: 'call';
      id: string;
      tool: string;
      /** These three were written by version 0.1.0, which had no `blocks`. */
      input?: unknown;
      said?: string;
      thought?: true;
    }
  | {
      type: 'result';
      id: string;
      content: string | readonly ContentBlock[];
      is_error?: boolean;
      failure?: FailureKind;
      /** What went wrong, for the person. */
      problem?: string;
      /** What the person saw of it, within bounds; not checked with the line. */
      display?: unknown;
    }
  | { type: 'cwd'; cwd: string }
  | { type: 'mode'; mode: PermissionMode }
  | { type: 'todos'; todos: unknown }
  /** The last plan that was shown to the person. */
  | { type: 'plan'; plan: string }
  /** What the conversation works towards from here on; null for nothing. */
  | { type: 'goal'; goal: StoredGoal | null }
  /** The background commands that run from here on. */
  | { type: 'background'; commands: readonly LeftCommand[] }
  /** The tasks of MCP servers whose outcome the model does not have yet. */
  | { type: 'tasks'; tasks: readonly LeftTask[] }
  /** The lines of files that the model has seen, by real path: those that changed in this turn. */
  | { type: 'seen'; files: Readonly<Record<string, SeenRecord>> }
  | { type: 'turn'; stopReason: StopReason | null; usage: Usage; total: SessionTotals; title?: string }
  | { type: 'run'; outcome: RunOutcome; total: SessionTotals; title?: string }
  | { type: 'title'; title: string }
  /** All but the last `kept` messages were replaced by the summary. */
  | { type: 'compaction'; summary: readonly UserBlock[]; kept: number }
  /** Placeholders that replace old results from here on, by call id. */
  | { type: 'cleared'; results: Readonly<Record<string, string>> }
  /** The content of these files is no longer in the conversation. */
  | { type: 'forgotten'; files: readonly string[] }
  /**
   * A process resumed the session here. Open calls stay interrupted, unless they are `reopened`: those that had not begun
   * run now. `damaged` lines were reported to the person.
   */
  | { type: 'resume'; damaged: readonly number[]; reopened?: true }
);

type SessionRecordType = SessionRecord['type'];

/** A parsed line: the header, a record, or a type of a later version. */
export type SessionLine = SessionHeader | SessionRecord | { type: 'unknown' };

/** Validates a line; undefined if it is damaged. Without a schema library, since sessions have tens of thousands of lines. */
export function checkedLine(value: unknown): SessionLine | undefined {
  if (!isFields(value) || typeof value['type'] !== 'string') return undefined;
  const check = Object.hasOwn(checks, value['type']) ? checks[value['type']] : undefined;
  if (!check) return { type: 'unknown' };
  if (value['type'] !== 'session' && typeof value['at'] !== 'number') return undefined;
  return check(value) ? (value as unknown as SessionLine) : undefined; // the check of its type has validated each field
}

type Fields = Readonly<Record<string, unknown>>;

type Checks<Name extends string> = Readonly<Record<Name, (fields: Fields) => boolean>>;

const checks: Checks<string> = {
  session: ({ v, id, root, created, model, provider, title, fork, agent }) =>
    typeof v === 'number' &&
    [id, created, model, title].every(isText) &&
    isPath(root) &&
    (provider === undefined || isText(provider)) &&
    (fork === undefined || (isFields(fork) && isText(fork['id']))) &&
    (agent === undefined || (isFields(agent) && isText(agent['type']) && isText(agent['description']))),
  user: ({ content, changes, promptId }) =>
    isListOf(content, isUserBlock) &&
    (changes === undefined || Number.isInteger(changes)) &&
    (promptId === undefined || isText(promptId)),
  assistant: ({ content }) => isListOf(content, isAssistantBlock),
  blocks: ({ content }) => isListOf(content, isAssistantBlock),
  call: ({ id, tool, said }) => isText(id) && isText(tool) && (said === undefined || isText(said)),
  result: ({ id, content, problem }) =>
    isText(id) && (isText(content) || isListOf(content, isContentBlock)) && (problem === undefined || isText(problem)),
  cwd: ({ cwd }) => isPath(cwd),
  mode: ({ mode }) => permissionModes.some((known) => known === mode),
  todos: () => true,
  plan: ({ plan }) => isText(plan),
  goal: ({ goal }) => goal === null || isGoal(goal),
  background: ({ commands }) => isListOf(commands, isLeftCommand),
  tasks: ({ tasks }) => isListOf(tasks, isLeftTask),
  seen: ({ files }) => isFields(files) && Object.values(files).every(isSeen),
  turn: ({ usage, total }) => isUsage(usage) && isTotals(total),
  run: ({ total }) => isTotals(total),
  title: ({ title }) => isText(title),
  compaction: ({ summary, kept }) => isListOf(summary, isUserBlock) && Number.isInteger(kept),
  cleared: ({ results }) => isFields(results) && Object.values(results).every(isText),
  forgotten: ({ files }) => isListOf(files, isText),
  resume: ({ damaged }) => isListOf(damaged, Number.isInteger),
} satisfies Checks<SessionRecordType | 'session'>;

const isText = (value: unknown): value is string => typeof value === 'string';

function isGoal(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { text, until, isPaused } = value;
  return isText(text) && (until === undefined || isText(until)) && (isPaused === undefined || isPaused === true);
}

function isLeftCommand(value: unknown): boolean {
  if (!isFields(value) || ![value['id'], value['command']].every(isText) || !isPath(value['outputFile'])) return false;
  const { process, description } = value;
  if (description !== undefined && !isText(description)) return false;
  if (process === undefined) return true;
  if (!isFields(process)) return false;
  const { pid, started, boot, space, host } = process;
  return [pid, started].every(Number.isInteger) && [boot, space, host].every(isText);
}

function isLeftTask(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { id, server, serverKey, tool, taskId, callId, title, startedAt, maxChars, ended, givenIn } = value;
  const isOptional = (text: unknown): boolean => text === undefined || isText(text);
  return (
    [id, server, serverKey, tool, taskId, callId, title].every(isText) &&
    [startedAt, maxChars].every((number) => typeof number === 'number') &&
    [ended, givenIn].every(isOptional)
  );
}

/** Must be absolute: a relative path would resolve against `process.cwd()`. */
const isPath = (value: unknown): boolean => isText(value) && isAbsolute(value) && !value.includes('\0');

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every((item) => isItem(item));

function isContentBlock(block: unknown): boolean {
  if (!isFields(block)) return false;
  if (block['type'] === 'text') return isText(block['text']);
  const source = block['source'];
  return block['type'] === 'image' && isFields(source) && isText(source['media_type']) && isText(source['data']);
}

function isUserBlock(block: unknown): boolean {
  if (!isFields(block) || block['type'] !== 'tool_result') return isContentBlock(block);
  const { tool_use_id, content } = block;
  return isText(tool_use_id) && (content === undefined || isText(content) || isListOf(content, isContentBlock));
}

function isAssistantBlock(block: unknown): boolean {
  if (!isFields(block)) return false;
  switch (block['type']) {
    case 'text':
      return isText(block['text']);
    case 'thinking':
      return isText(block['thinking']) && isText(block['signature']);
    case 'tool_use':
      return isText(block['id']) && isText(block['name']);
    case 'opaque':
      return isText(block['provider']) && isFields(block['value']);
    default:
      return false;
  }
}

function isSeen(seen: unknown): boolean {
  if (!isFields(seen)) return false;
  const { hash, size, at, lines } = seen;
  return isText(hash) && typeof size === 'number' && typeof at === 'number' && (lines === 'all' || isRanges(lines));
}

const isRanges = (lines: unknown): boolean =>
  isListOf(lines, (range) => Array.isArray(range) && range.length === 2 && range.every(Number.isInteger));

const isUsage = (usage: unknown): boolean =>
  isFields(usage) && usageFields.every((name) => typeof usage[name] === 'number');

const usageFields: ReadonlyArray<keyof Usage> = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
];

function isTotals(total: unknown): boolean {
  if (!isFields(total)) return false;
  const { turns, usage, costUsd, runs } = total;
  return typeof turns === 'number' && isUsage(usage) && isCost(costUsd) && (runs === undefined || isRunTotals(runs));
}

const isCost = (value: unknown): boolean => value === null || typeof value === 'number';

function isRunTotals(runs: unknown): boolean {
  if (!isFields(runs)) return false;
  const { prompts, killed = 0, models, modelMs, totalMs } = runs;
  return (
    [prompts, killed, modelMs, totalMs].every((value) => typeof value === 'number') && isListOf(models, isModelUse)
  );
}

function isModelUse(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { provider, name, usage, costUsd } = value;
  return isText(provider) && isText(name) && isUsage(usage) && isCost(costUsd);
}

/** A record without its time. */
export type Unwritten = SessionRecord extends infer One
  ? One extends { at: number }
    ? Omit<One, 'at'>
    : never
  : never;
