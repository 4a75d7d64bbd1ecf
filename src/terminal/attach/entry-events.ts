// Entries of a session in another process, as the events that the views of a conversation take.
import { noUsage } from '../../agent/usage.js';
import type { AgentHappening, RunOutcome, RunResult } from '../../contract/event.js';
import type { UserBlock } from '../../contract/message.js';
import type { EntryLine, SentEntry } from '../../host/sent-entry.js';
import type { FeedCall } from '../../host/session-feed.js';

type EntryOf<Kind extends SentEntry['kind']> = Extract<SentEntry, { kind: Kind }>;

/** How far a call was shown. */
export interface ShownSoFar {
  hasBegun: boolean;
  hasEnded: boolean;
  progress: string | undefined;
}

export class EntryEvents {
  readonly #onEvent: (event: AgentHappening) => void;
  /** Something was shown that a withdrawn text does not take with it. */
  #isSettled = false;
  /** The text or thought that was shown last. */
  #words: string | undefined;
  readonly #calls = new Map<string, ShownSoFar>();

  constructor(onEvent: (event: AgentHappening) => void) {
    this.#onEvent = onEvent;
  }

  /** Entries of other kinds have no events. */
  take({ entry, isNew }: EntryLine): void {
    switch (entry.kind) {
      case 'text':
      case 'thought':
        this.#takeWords(entry, isNew);
        return;
      case 'progress':
        this.#isSettled = true;
        return;
      case 'call':
        if (!entry.agent) {
          this.#words = undefined;
          this.#isSettled = true;
        }
        this.#takeCall(entry);
        return;
      case 'notice':
        this.#words = undefined;
        if (entry.retry) this.#onEvent({ type: 'model_retry', ...entry.retry });
        else if (isNew) this.#onEvent({ type: 'notice', text: entry.text }); // else the retries were shown, and are over
        return;
      case 'compaction': {
        const { kind: _, id: __, ...freed } = entry;
        this.#onEvent({ type: 'compaction', trigger: 'auto', usage: noUsage, ...freed });
        return;
      }
      case 'end':
        this.#words = undefined;
        this.#onEvent(resultOf(entry));
        return;
      default:
    }
  }

  #takeWords({ kind, id, text }: EntryOf<'text' | 'thought'>, isNew: boolean): void {
    if (text === '') {
      this.#words = undefined;
      if (!isNew) this.#onEvent({ type: 'answer_restart' });
      return;
    }
    if (this.#isSettled && this.#words !== id) this.#onEvent({ type: 'turn_start', turn: 0 });
    this.#isSettled = false;
    if (this.#words !== undefined && this.#words !== id) {
      const message = { role: 'assistant' as const, content: [] };
      this.#onEvent({ type: 'assistant_message', message, id: '', model: '' }); // what was said so far is whole
    }
    this.#words = id;
    this.#onEvent({ type: kind === 'text' ? 'text_delta' : 'thinking_delta', text });
  }

  #takeCall(call: FeedCall): void {
    const { agent } = call;
    for (const event of callEvents(call, this.#calls)) {
      this.#onEvent(
        agent
          ? {
              type: 'agent_event',
              agentId: agent.parentCallId,
              agentType: agent.type,
              parentCallId: agent.parentCallId,
              event: { ...event, at: Date.now() },
            }
          : event,
      );
    }
  }
}

/** What is new of a call since it was last given. `calls` remembers how far each one was shown. */
export function callEvents(call: FeedCall, calls: Map<string, ShownSoFar>): AgentHappening[] {
  const { id: callId, tool, input, display, status, progress, problem, failure } = call;
  const known = calls.get(callId);
  const shown = known ?? { hasBegun: false, hasEnded: false, progress: undefined };
  calls.set(callId, shown);
  const events: AgentHappening[] = known ? [] : [{ type: 'tool_call', callId, tool, input, display }];
  if (status === 'running' && !shown.hasBegun) {
    shown.hasBegun = true;
    events.push({ type: 'tool_start', callId, tool });
  }
  const hasEnded = status === 'completed' || status === 'failed';
  if (!hasEnded && progress !== undefined && progress !== shown.progress) {
    shown.progress = progress;
    events.push({ type: 'tool_progress', callId, tool, text: progress });
  }
  if (hasEnded && !shown.hasEnded) {
    shown.hasEnded = true;
    events.push({
      type: 'tool_result',
      callId,
      tool,
      display,
      result: { type: 'tool_result', tool_use_id: callId, content: '', is_error: status === 'failed' },
      ...(failure && { failure }),
      ...(problem !== undefined && { problem }),
    });
  }
  return events;
}

/** What only the session's own process knows of the result is not shown. */
function resultOf({ outcome, text, costUsd }: EntryOf<'end'>): RunResult {
  return {
    type: 'result',
    outcome: outcome === 'error' ? 'model_error' : (outcome as RunOutcome), // of a host with our protocol
    text,
    turns: 0,
    stopReason: null,
    usage: noUsage,
    costUsd,
    models: [],
    modelMs: 0,
    totalMs: 0,
    denials: [],
  };
}

/** A prompt as it is shown. */
export const promptWords = (content: readonly UserBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n');
