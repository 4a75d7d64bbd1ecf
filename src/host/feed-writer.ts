// Turns the events of a run into entries of the feed.

import { recordedDisplay } from '../agent/store/recorded-display.js';
import { textCallsNotice } from '../agent/text-calls-notice.js';
import type { AgentEvent, ChildEvent } from '../contract/event.js';
import type { RetryFacts } from '../contract/model.js';
import { counted } from '../platform/text/counted.js';
import { GrowingText } from '../platform/text/growing-text.js';
import type { SessionFacts } from './session-facts.js';
import type { FeedCall, SessionFeed } from './session-feed.js';

const MAX_WHOLE = 50; // displays: clients read them meanwhile, and a run may have thousands of calls

export class FeedWriter {
  readonly #feed: SessionFeed;
  readonly #facts: () => SessionFacts;
  #entries = 0;
  #turns = 0;
  /** The text or thought that the next words belong to. */
  #open: { kind: 'text' | 'thought'; id: string } | undefined;
  /** The texts and thoughts since the last call: the model may withdraw them. */
  #words: Array<{ kind: 'text' | 'thought'; id: string }> = [];
  /** The notice about the request that is being retried. */
  #retry: { id: string; facts: RetryFacts } | undefined;
  /** Ended calls whose displays are whole, the oldest first. */
  #whole: string[] = [];

  constructor(feed: SessionFeed, facts: () => SessionFacts) {
    this.#feed = feed;
    this.#facts = facts;
  }

  /** The facts about the session have changed. */
  progress(): void {
    this.#feed.put({ kind: 'progress', id: 'progress', turns: this.#turns, facts: this.#facts() });
  }

  notice(text: string): void {
    this.#open = undefined;
    this.#feed.put({ kind: 'notice', id: this.#newId('notice'), text });
  }

  take(event: AgentEvent): void {
    switch (event.type) {
      case 'text_delta':
        this.#say('text', event.text);
        return;
      case 'thinking_delta':
        this.#say('thought', event.text);
        return;
      case 'answer_restart':
        this.#withdraw();
        return;
      case 'model_retry':
        this.#retried(event);
        return;
      case 'notice':
        this.notice(event.text);
        return;
      case 'text_calls':
        this.notice(textCallsNotice(event));
        return;
      case 'compaction': {
        const { tokensBefore, tokensAfter, clearedResults, summarisedMessages } = event;
        const freed = { tokensBefore, tokensAfter, clearedResults, summarisedMessages };
        this.#feed.put({ kind: 'compaction', id: this.#newId('compaction'), ...freed });
        return;
      }
      case 'turn_end':
        this.#settle();
        if (event.stopReason !== null) this.#endRetries(); // else the answer broke off, and the next turn retries
        this.#turns += 1;
        this.progress();
        return;
      case 'agent_event':
        this.#takeOfChild(event);
        return;
      default:
        this.#takeOfCall(event);
        return;
    }
  }

  /** The run has ended: what was shown of its calls is kept within bounds. */
  endRun(): void {
    this.#settle();
    this.#endRetries();
    this.#shorten(this.#whole.splice(0));
  }

  #shorten(ids: readonly string[]): void {
    for (const id of ids) {
      const call = this.#feed.get(id, 'call');
      if (call) call.display = recordedDisplay(call.display);
    }
  }

  #retried({ attempt, maxRetries, waitMs, reason, provider, model }: RetryFacts): void {
    const facts = { attempt, maxRetries, waitMs, reason, provider, model };
    const id = this.#retry?.id ?? this.#newId('notice');
    this.#open = undefined;
    this.#retry = { id, facts };
    const text = `${reason} The request is sent again (${attempt} of ${maxRetries}).`;
    this.#feed.put({ kind: 'notice', id, text, retry: facts });
  }

  #endRetries(): void {
    if (!this.#retry) return;
    const { id, facts } = this.#retry;
    this.#retry = undefined;
    const text = `${facts.reason} The request was sent again ${counted(facts.attempt, 'time')}.`;
    this.#feed.put({ kind: 'notice', id, text });
  }

  /** What was said so far stays. */
  #settle(): void {
    this.#open = undefined;
    this.#words = [];
  }

  #withdraw(): void {
    for (const { kind, id } of this.#words) this.#feed.put({ kind, id, text: new GrowingText() });
    this.#settle();
  }

  #say(kind: 'text' | 'thought', text: string): void {
    if (this.#open?.kind !== kind) {
      this.#open = { kind, id: this.#newId(kind) };
      this.#words.push(this.#open);
    }
    const { id } = this.#open;
    const entry = this.#feed.get(id, kind) ?? { kind, id, text: new GrowingText() };
    entry.text.add(text);
    this.#feed.put(entry);
  }

  #takeOfCall(event: AgentEvent, agent?: FeedCall['agent']): void {
    switch (event.type) {
      case 'tool_call': {
        const { callId: id, tool, input, display, at: queuedAt } = event;
        if (!agent) {
          this.#settle();
          this.#endRetries();
        }
        this.#feed.put({
          kind: 'call',
          id,
          tool,
          input,
          display,
          status: 'pending',
          queuedAt,
          ...(agent && { agent }),
        });
        return;
      }
      case 'permission_decision':
        if (event.effects) this.#change(event.callId, { effects: event.effects });
        return;
      case 'tool_start':
        this.#change(event.callId, { status: 'running', startedAt: event.at, ...this.#endedWaits(event) });
        return;
      case 'tool_wait': {
        const { callId, reason, detail, at: from } = event;
        const { waits = [] } = this.#endedWaits(event);
        this.#change(callId, {
          waits: [...waits, { reason, from, to: null, ...(detail !== undefined && { detail }) }],
        });
        return;
      }
      case 'tool_progress':
        this.#change(event.callId, { progress: event.text });
        return;
      case 'tool_result': {
        const { failure, problem, display, callId, tool, waits, at } = event;
        if (!this.#feed.get(callId, 'call')) {
          // A call whose input was malformed has no other event.
          this.#feed.put({
            kind: 'call',
            id: callId,
            tool,
            input: undefined,
            display,
            status: 'pending',
            queuedAt: at,
          });
        }
        this.#change(callId, {
          status: failure ? 'failed' : 'completed',
          display,
          endedAt: at,
          ...(waits && { waits }),
          ...(failure && { failure }),
          ...(problem !== undefined && { problem }),
        });
        this.#whole.push(callId);
        this.#shorten(this.#whole.splice(0, this.#whole.length - MAX_WHOLE));
        return;
      }
      default:
    }
  }

  /** Of a child agent only its calls are shown: its answer is the result of the call that started it. */
  #takeOfChild({ event, agentType: type, parentCallId }: ChildEvent): void {
    if (event.type === 'agent_event') this.#takeOfChild(event);
    else this.#takeOfCall(event, { type, parentCallId });
  }

  /** A wait ends with the next event of its call; its exact end comes with the result. */
  #endedWaits({ callId, at }: { callId: string; at: number }): Pick<FeedCall, 'waits'> {
    const waits = this.#feed.get(callId, 'call')?.waits;
    return waits ? { waits: waits.map((wait) => ({ ...wait, to: wait.to ?? at })) } : {};
  }

  #change(id: string, change: Partial<FeedCall>): void {
    const call = this.#feed.get(id, 'call');
    if (call) this.#feed.put({ ...call, ...change });
  }

  #newId(kind: string): string {
    this.#entries += 1;
    return `${kind}-${this.#entries}`;
  }
}
