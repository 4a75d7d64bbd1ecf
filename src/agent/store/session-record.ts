// One line of a session's file. docs/sessions.md describes the format for people and programs; a reader must pass over
// types and fields that it does not know, so new ones need no new version.

import { isAbsolute } from 'node:path';
import type { LeftCommand } from '../../contract/background.js';
import type { RunOutcome } from '../../contract/event.js';
import type { FailureKind } from '../../contract/failure.js';
import type { AssistantBlock, ContentBlock, UserBlock } from '../../contract/message.js';
import type { StopReason, Usage } from '../../contract/model.js';
import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import type { SeenFile } from '../../contract/tool-context.js';

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
  /** From the first prompt. A later `title` record overrides it. */
  title: string;
  /** The session that this one went on from. */
  fork?: { id: string };
  /** Of a child agent: its type, what it was to do, and the agent that started it, where that is a child too. */
  agent?: { type: string; description: string; parent?: string };
}

/** What has been used since the session began, so that the end of the file alone tells it. */
export interface SessionTotals {
  turns: number;
  usage: Usage;
  /** US dollars; null once it is not known for a part of it. */
  costUsd: number | null;
}

/** A result in a user's record has no content where a `result` record before it does. */
export type RecordedUserBlock = UserBlock | { type: 'tool_result'; tool_use_id: string; content?: undefined };

type SeenRecord = Pick<SeenFile, 'hash' | 'size' | 'lines' | 'merged'> & { at: number };

export type SessionRecord = {
  at: number;
} /** `changes`: how many bytes the list of the session's changes of files had when the prompt was given. */ & (
  | { type: 'user'; content: readonly RecordedUserBlock[]; changes?: number }
  | { type: 'assistant'; content: readonly AssistantBlock[]; id?: string; model?: string }
  /** Complete blocks of an answer that is still being written; the `assistant` record takes the place of them all. */
  | {
      type: 'blocks';
      content: readonly AssistantBlock[];
      /** Thinking that came before a call is not among the blocks, since it was not complete. */
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
    }
  | { type: 'cwd'; cwd: string }
  | { type: 'mode'; mode: PermissionMode }
  | { type: 'todos'; todos: unknown }
  /** The plan that was put to the person last. */
  | { type: 'plan'; plan: string }
  /** The commands that run in the background from now on. */
  | { type: 'background'; commands: readonly LeftCommand[] }
  /** What the model has seen of files, by real path: those that changed in this turn. */
  | { type: 'seen'; files: Readonly<Record<string, SeenRecord>> }
  | { type: 'turn'; stopReason: StopReason | null; usage: Usage; total: SessionTotals; title?: string }
  | { type: 'run'; outcome: RunOutcome; total: SessionTotals; title?: string }
  | { type: 'title'; title: string }
  /** All but the last `kept` messages were replaced by the summary. */
  | { type: 'compaction'; summary: readonly UserBlock[]; kept: number }
  /** What stands in place of old results from now on, by the ids of their calls. */
  | { type: 'cleared'; results: Readonly<Record<string, string>> }
  /** What was seen of these files is no longer in the conversation. */
  | { type: 'forgotten'; files: readonly string[] }
  /** A process went on from here. What was open then stays interrupted; `damaged` lines were told to the person. */
  | { type: 'resume'; damaged: readonly number[] }
);

type SessionRecordType = SessionRecord['type'];

/** A line as it was read: the header, a record, or one of a type that a later version has brought. */
export type SessionLine = SessionHeader | SessionRecord | { type: 'unknown' };

/** What a line says; undefined where it is damaged. By hand, since a long session has tens of thousands of lines. */
export function checkedLine(value: unknown): SessionLine | undefined {
  if (!isFields(value) || typeof value['type'] !== 'string') return undefined;
  const check = Object.hasOwn(checks, value['type']) ? checks[value['type']] : undefined;
  if (!check) return { type: 'unknown' };
  if (value['type'] !== 'session' && typeof value['at'] !== 'number') return undefined;
  return check(value) ? (value as unknown as SessionLine) : undefined; // the check of its type has looked at each field
}

type Fields = Readonly<Record<string, unknown>>;

type Checks<Name extends string> = Readonly<Record<Name, (fields: Fields) => boolean>>;

const checks: Checks<string> = {
  session: ({ v, id, root, created, model, title, fork, agent }) =>
    typeof v === 'number' &&
    [id, created, model, title].every(isText) &&
    isPath(root) &&
    (fork === undefined || (isFields(fork) && isText(fork['id']))) &&
    (agent === undefined || (isFields(agent) && isText(agent['type']) && isText(agent['description']))),
  user: ({ content, changes }) =>
    isListOf(content, isUserBlock) && (changes === undefined || Number.isInteger(changes)),
  assistant: ({ content }) => isListOf(content, isAssistantBlock),
  blocks: ({ content }) => isListOf(content, isAssistantBlock),
  call: ({ id, tool, said }) => isText(id) && isText(tool) && (said === undefined || isText(said)),
  result: ({ id, content }) => isText(id) && (isText(content) || isListOf(content, isContentBlock)),
  cwd: ({ cwd }) => isPath(cwd),
  mode: ({ mode }) => permissionModes.some((known) => known === mode),
  todos: () => true,
  plan: ({ plan }) => isText(plan),
  background: ({ commands }) => isListOf(commands, isLeftCommand),
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

function isLeftCommand(value: unknown): boolean {
  if (!isFields(value) || ![value['id'], value['command']].every(isText) || !isPath(value['outputFile'])) return false;
  const { process } = value;
  if (process === undefined) return true;
  if (!isFields(process)) return false;
  const { pid, started, boot, space, host } = process;
  return [pid, started].every(Number.isInteger) && [boot, space, host].every(isText);
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
  const { turns, usage, costUsd } = total;
  return typeof turns === 'number' && isUsage(usage) && (costUsd === null || typeof costUsd === 'number');
}
