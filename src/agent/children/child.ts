// One child agent as its parent sees it: its progress, and its report at the end.

import type { AgentActivity, AgentReport, StartedAgent } from '../../contract/agents.js';
import type { AgentEvent, AgentHappening, RunResult } from '../../contract/event.js';
import type { Message } from '../../contract/message.js';
import type { Model } from '../../contract/model.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { abortable } from '../../platform/abortable.js';
import { monotonicMs } from '../../platform/clock.js';
import { EventQueue } from '../../platform/event-queue.js';
import { messageOf } from '../../platform/message-of.js';
import { tokensOf } from '../usage.js';

const MAX_STEPS = 500; // more than a person scrolls through

/** The state from which a child's conversation can be resumed. */
export interface ChildMemory {
  messages: readonly Message[];
  callIds: readonly string[];
  seen: ReadonlyMap<string, SeenFile>;
  cwd: string | undefined;
}

export interface ChildFacts {
  id: string;
  type: string;
  description: string;
  inBackground: boolean;
  /** The call that started it. */
  callId: string;
  model: Model;
  notes: readonly string[];
}

/** Reads the events of a conversation to their end. */
type Follow = (events: AsyncIterable<AgentEvent>) => Promise<void>;

export class Child implements StartedAgent {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly inBackground: boolean;
  readonly progress = new EventQueue<string>();
  /** Notes for the parent, in addition to those from before it began. */
  readonly notes: string[] = [];
  /** The state from which it can be resumed, once it has ended. */
  memory: ChildMemory | undefined;
  /** What became of its worktree. */
  worktree: AgentReport['worktree'];
  readonly #facts: ChildFacts;
  readonly #stopping = new AbortController();
  readonly #startedAt = monotonicMs();
  readonly #done = Promise.withResolvers<AgentReport>();
  #report: AgentReport | undefined;
  #waiting = 0;
  #wasAwaited = false;
  #turns = 0;
  #calls = 0;
  #tokens = 0;
  #lastWords = '';
  #steps: string[] = [];
  #isAsking = false;
  #result: RunResult | undefined;

  constructor(facts: ChildFacts) {
    this.#facts = facts;
    this.id = facts.id;
    this.type = facts.type;
    this.description = facts.description;
    this.inBackground = facts.inBackground;
  }

  /** The call that started it. */
  get callId(): string {
    return this.#facts.callId;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get report(): AgentReport | undefined {
    return this.#report;
  }

  get activity(): AgentActivity {
    return {
      isAsking: this.#isAsking,
      tokens: this.#tokens,
      milliseconds: this.#report?.milliseconds ?? monotonicMs() - this.#startedAt,
      steps: this.#steps,
    };
  }

  /** A call waited for the report when it came, so no reminder is needed. */
  get wasAwaited(): boolean {
    return this.#wasAwaited;
  }

  stop(): void {
    this.#stopping.abort(new Error('The agent was stopped.'));
  }

  /** Resolves once everything has ended. The report names the problem if it failed. */
  async run(
    work: (signal: AbortSignal, follow: Follow) => Promise<void>,
    tell: (happening: AgentHappening) => void,
  ): Promise<AgentReport> {
    const started = monotonicMs();
    let failure: unknown;
    const follow: Follow = async (events) => {
      for await (const event of events) this.#take(event, tell);
    };
    try {
      await work(this.signal, follow);
    } catch (error) {
      failure = error;
    }
    this.#report = this.#reportOf(failure, monotonicMs() - started);
    this.#wasAwaited = this.#waiting > 0;
    this.progress.end();
    this.#done.resolve(this.#report);
    return this.#report;
  }

  async wait({
    signal,
    milliseconds,
  }: {
    signal?: AbortSignal;
    milliseconds?: number;
  } = {}): Promise<AgentReport | undefined> {
    if (this.#report) return this.#report;
    const time = Promise.withResolvers<undefined>();
    const timer = milliseconds === undefined ? undefined : setTimeout(() => time.resolve(undefined), milliseconds);
    this.#waiting += 1;
    try {
      const first = () => Promise.race([this.#done.promise, time.promise]);
      return signal ? await abortable(first, signal) : await first();
    } finally {
      this.#waiting -= 1;
      clearTimeout(timer);
    }
  }

  #take(event: AgentEvent, tell: (happening: AgentHappening) => void): void {
    this.#notice(event);
    switch (event.type) {
      case 'tool_call':
        this.#calls += 1;
        this.progress.push(`${event.tool} ${event.display.title}`.trim());
        break;
      case 'turn_end':
        this.#turns += 1;
        this.#tokens += tokensOf(event.usage);
        break;
      case 'assistant_message': {
        const words = event.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
        if (words.trim() !== '') this.#lastWords = words.trim();
        break;
      }
      case 'result':
        this.#result = event;
        break;
      case 'stop_request':
        tell({ type: 'stop_request', reason: event.reason }); // a request to stop applies to the parent as well
        break;
      default:
        break;
    }
    const { id: agentId, type: agentType } = this;
    tell({ type: 'agent_event', agentId, agentType, parentCallId: this.#facts.callId, event });
  }

  /** Also for the agents that this one has started. */
  #notice(event: AgentEvent): void {
    if (event.type === 'agent_event') this.#notice(event.event);
    else if (event.type === 'permission_decision') this.#isAsking = event.decision.behavior === 'ask';
    else if (event.type === 'tool_start' || event.type === 'tool_result') this.#isAsking = false;
    else if (event.type === 'tool_call') {
      this.#steps = [...this.#steps.slice(1 - MAX_STEPS), `${event.tool} ${event.display.title}`.trim()];
    }
  }

  #reportOf(failure: unknown, milliseconds: number): AgentReport {
    const { model, notes: before } = this.#facts;
    const notes = [...before, ...this.notes];
    const problem = this.#problem(failure);
    return {
      answer: this.#result?.outcome === 'completed' ? this.#result.text.trim() : this.#lastWords,
      ...(problem !== undefined && { problem }),
      isInterrupted: problem !== undefined && this.signal.aborted,
      model: model.name,
      turns: this.#turns,
      calls: this.#calls,
      tokens: this.#tokens,
      milliseconds,
      notes,
      ...(this.worktree && { worktree: this.worktree }),
    };
  }

  #problem(failure: unknown): string | undefined {
    if (failure === undefined && this.#result?.outcome === 'completed') return undefined;
    if (this.signal.aborted) return 'it was interrupted';
    if (failure !== undefined) return sentence(messageOf(failure));
    return this.#result ? sentence(this.#result.text) : 'it ended without a result';
  }
}

const sentence = (text: string): string => text.replace(/\.$/, '');
