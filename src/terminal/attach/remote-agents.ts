// The child agents of a session in another process, as its calls show them: a line for each in the panel.
import type { EntryLine } from '../../host/sent-entry.js';
import type { FeedCall } from '../../host/session-feed.js';
import type { WorkItem } from '../session/background-work.js';
import { cleanLine } from '../views/fit.js';

interface Agent {
  type: string;
  since: number;
  /** Its calls, the oldest first. */
  steps: Map<string, string>;
}

export class RemoteAgents {
  readonly #now: () => number;
  /** The calls that have started agents and have not ended, by their ids. */
  readonly #starters = new Map<string, FeedCall>();
  readonly #agents = new Map<string, Agent>();
  /** Calls that wait for an answer. */
  readonly #asking = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get items(): WorkItem[] {
    return [...this.#agents].map(([id, { type, since, steps }]) => ({
      id,
      kind: 'agent',
      title: `${type}: ${cleanLine(this.#starters.get(id)?.display.title ?? '')}`,
      isAsking: [...this.#asking.values()].some((callId) => steps.has(callId)),
      milliseconds: this.#now() - since,
      latest: [...steps.values()].at(-1),
    }));
  }

  /** What it has done so far; empty if it has ended. */
  lines(id: string): string[] {
    return [...(this.#agents.get(id)?.steps.values() ?? [])].map((step) => `• ${step}`);
  }

  take({ entry }: EntryLine): void {
    if (entry.kind === 'question' && entry.question.kind === 'permission') {
      if (entry.isOpen) this.#asking.set(entry.id, entry.question.question.callId);
      else this.#asking.delete(entry.id);
    }
    if (entry.kind === 'end') {
      this.#agents.clear();
      this.#starters.clear();
    }
    if (entry.kind !== 'call') return;
    const { agent, id, tool, display, status } = entry;
    if (agent) {
      if (!this.#starters.has(agent.parentCallId)) return;
      const known = this.#agents.get(agent.parentCallId);
      const one = known ?? { type: agent.type, since: this.#now(), steps: new Map<string, string>() };
      this.#agents.set(agent.parentCallId, one);
      one.steps.set(id, `${display.action ?? tool} ${cleanLine(display.title)}`);
    } else if (status === 'completed' || status === 'failed') {
      this.#starters.delete(id);
      this.#agents.delete(id);
    } else this.#starters.set(id, entry);
  }
}
