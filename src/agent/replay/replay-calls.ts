// What a kept session has to be played again: the calls of each turn with the results that they had.
import type { FailureKind } from '../../contract/failure.js';
import type { ToolResultBlock } from '../../contract/message.js';
import type { PermissionMode } from '../../contract/permission.js';
import { type ReadLine, readSession } from '../store/read-session.js';
import { restoreSession } from '../store/restore-session.js';
import { isSessionId, type SessionFolder } from '../store/session-folder.js';

export interface RecordedSession {
  id: string;
  title: string;
  /** Absent where the first line of the file is damaged and nothing else tells. */
  root: string | undefined;
  created: Date | undefined;
  /** The session that this one went on from; its calls are among these. */
  forkOf?: string;
  turns: readonly RecordedTurn[];
  /** Sentences for the person about what is missing. */
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
  /** Whether it is certain that it began: not where it was refused, nor where what became of it is lost. */
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

/** What stands in records and not in messages. */
class TurnFacts {
  readonly failures = new Map<string, FailureKind>();
  /** As the tools gave them: what the model was shown may have been cut to fit. */
  readonly results = new Map<string, RecordedCall['result']>();
  /** Of these the session says that they began, or that they succeeded. */
  readonly begun = new Set<string>();
  /** The mode at the end of the turn that a call belongs to: that is when it is written down. */
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
