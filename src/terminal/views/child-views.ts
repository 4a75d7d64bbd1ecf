import type { Component } from '@earendil-works/pi-tui';
import type { ChildEvent } from '../../contract/event.js';
import type { Theme } from '../screen/theme.js';
import { AgentsView, type ShownAgent } from './agents-view.js';

export interface ChildViewsOptions {
  now(): number;
  describeAgent(id: string): string | undefined;
}

/** The child agents of a run, built from its events. */
export class ChildViews implements Component {
  readonly #view: AgentsView;
  readonly #options: ChildViewsOptions;
  readonly #agents = new Map<string, ShownAgent>();
  /** Which agent made a call, and its title: that agent is the parent of those that the call starts. */
  readonly #callers = new Map<string, { agentId: string; title: string }>();
  readonly #starters = new Set<string>();

  constructor(theme: Theme, options: ChildViewsOptions) {
    this.#options = options;
    this.#view = new AgentsView(theme, options);
  }

  get isOver(): boolean {
    return this.#view.isOver;
  }

  get isExpanded(): boolean {
    return this.#view.isExpanded;
  }

  set isExpanded(value: boolean) {
    this.#view.isExpanded = value;
  }

  /** Whether the call started one of them. */
  isFrom(callId: string): boolean {
    return this.#starters.has(callId);
  }

  take({ agentId, agentType, parentCallId, event }: ChildEvent): void {
    const agent = this.#agents.get(agentId) ?? this.#begin(agentId, agentType, parentCallId);
    if (event.type === 'agent_event') {
      this.take(event); // a grandchild
    } else if (event.type === 'tool_call') {
      this.#callers.set(event.callId, { agentId, title: event.display.title });
      this.#update({ ...agent, lastActivity: `${event.tool} ${event.display.title}` });
    } else if (event.type === 'permission_decision' && event.decision.behavior === 'ask') {
      this.#update({ ...agent, state: 'asking' });
    } else if (event.type === 'tool_start') {
      this.#update({ ...agent, state: 'running' });
    } else if (event.type === 'turn_end') {
      const { input_tokens, output_tokens } = event.usage;
      this.#update({
        ...agent,
        state: 'running',
        turns: event.turn,
        tokens: agent.tokens + input_tokens + output_tokens,
      });
    } else if (event.type === 'result') {
      const state = event.outcome === 'completed' ? 'done' : event.outcome === 'interrupted' ? 'interrupted' : 'failed';
      this.#update({ ...agent, state, endedAt: this.#options.now() });
    }
  }

  invalidate(): void {
    this.#view.invalidate();
  }

  render(width: number): string[] {
    return this.#view.render(width);
  }

  #begin(id: string, type: string, parentCallId: string): ShownAgent {
    const caller = this.#callers.get(parentCallId);
    this.#starters.add(parentCallId);
    const agent: ShownAgent = {
      id,
      parentId: caller?.agentId,
      type,
      // The session knows only its own children; for grandchildren the call's title is used, without the type before
      // it.
      description: this.#options.describeAgent(id) ?? caller?.title.replace(`${type}: `, '') ?? '',
      state: 'running',
      turns: 0,
      tokens: 0,
      startedAt: this.#options.now(),
    };
    this.#update(agent);
    return agent;
  }

  #update(agent: ShownAgent): void {
    this.#agents.set(agent.id, agent);
    this.#view.update(agent);
  }
}
