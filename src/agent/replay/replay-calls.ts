// Reads a saved session for a replay: the calls of each turn with their results.
import type { FailureKind } from '../../contract/failure.js';
import type { ToolResultBlock } from '../../contract/message.js';
import type { PermissionMode } from '../../contract/permission.js';
import { type ReadLine, readSession } from '../store/read-session.js';
import { restoreSession } from '../store/restore-session.js';
import { isSessionId, type SessionFolder } from '../store/session-folder.js';

export interface RecordedSession {
  id: string;
  title: string;
  /** Absent if the first line of the file is damaged and the root is not known otherwise. */
  root: string | undefined;
  created: Date | undefined;
  /** The session that this one was forked from; its calls are included. */
  forkOf?: string;
  turns: readonly RecordedTurn[];
  /** Sentences for the person about missing parts. */
  notes: readonly string[];
}

/** The calls of one answer, in its order. */
export interface RecordedTurn {
  calls: readonly RecordedCall[];
  mode: PermissionMode;
}

export interface RecordedCall {
  id: string;
  tool: string;
  input: unknown;
  result: Pick<ToolResultBlock, 'content' | 'is_error'>;
  failure?: FailureKind;
  /** Whether the call certainly started: false if it was refused, or if its outcome is lost. */
  began: boolean;
}

export function recordedCalls(folder: SessionFolder): RecordedSession {
  const facts = new TurnFacts();
  const session = restoreSession(facts.watching(readSession(folder)), { whole: true });
  const interrupted = new Set(session.interrupted.map(({ id }) => id));
  const results = new Map<string, ToolResultBlock>();
  for (const { role, content } of session.messages) {
    if (role === 'user') {
      for (const block of content) if (block.type === 'tool_result') results.set(block.tool_use_id, block);
    }
  }
  const turns = session.messages.flatMap((message): RecordedTurn[] => {
    if (message.role !== 'assistant') return [];
    const calls = message.content.flatMap((block): RecordedCall[] => {
      const result = block.type === 'tool_use' ? (facts.results.get(block.id) ?? results.get(block.id)) : undefined;
      if (block.type !== 'tool_use' || !result) return [];
      const failure = interrupted.has(block.id) ? 'interrupted' : facts.failures.get(block.id);
      const began = facts.begun.has(block.id);
      return [{ id: block.id, tool: block.name, input: block.input, result, began, ...(failure && { failure }) }];
    });
    const [first] = calls;
    return first ? [{ calls, mode: facts.modes.get(first.id) ?? 'default' }] : [];
  });
  const { header, title, root, damaged } = session;
  const lost = damaged.length === 1 ? '1 line' : `${damaged.length} lines`;
  return {
    id: folder.id,
    title,
    root,
    created: header ? new Date(header.created) : undefined,
    ...(header?.fork && isSessionId(header.fork.id) && { forkOf: header.fork.id }),
    turns,
    notes: damaged.length === 0 ? [] : [`${lost} of the session's file can't be read, so calls may be missing.`],
  };
}

/** Facts that are in records but not in messages. */
class TurnFacts {
  readonly failures = new Map<string, FailureKind>();
  /** The original results of the tools; those in messages may be shortened. */
  readonly results = new Map<string, RecordedCall['result']>();
  /** Calls that started or succeeded according to the session. */
  readonly begun = new Set<string>();
  /** The mode at the end of the turn of a call, when it is recorded. */
  readonly modes = new Map<string, PermissionMode>();

  *watching(lines: Iterable<ReadLine>): Generator<ReadLine, void, void> {
    let mode: PermissionMode = 'default';
    let ids: string[] = [];
    for (const read of lines) {
      const { line } = read;
      if (line?.type === 'result') {
        const content = typeof line.content === 'string' ? line.content : [...line.content];
        this.results.set(line.id, { content, ...(line.is_error && { is_error: true }) });
        if (line.failure) this.failures.set(line.id, line.failure);
        else if (!line.is_error) this.begun.add(line.id);
      }
      if (line?.type === 'call') this.begun.add(line.id);
      if (line?.type === 'mode') mode = line.mode;
      if (line?.type === 'assistant') {
        ids = line.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      }
      if (line?.type === 'turn') for (const id of ids) this.modes.set(id, mode);
      yield read;
    }
  }
}
