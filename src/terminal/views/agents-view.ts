import type { Component } from '@earendil-works/pi-tui';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, shortCount, shortTime, spread } from './fit.js';

/** A child agent in the tree. Times are in milliseconds, on the view's clock. */
export interface ShownAgent {
  id: string;
  /** The agent that started it, if that is a child itself. */
  parentId?: string | undefined;
  type: string;
  description: string;
  state: 'running' | 'asking' | 'done' | 'failed' | 'interrupted';
  turns: number;
  tokens: number;
  lastActivity?: string | undefined;
  startedAt: number;
  endedAt?: number | undefined;
}

/** The child agents as a tree: one line for all of them, or one each with its current activity. */
export class AgentsView implements Component {
  readonly #theme: Theme;
  readonly #now: () => number;
  readonly #agents = new Map<string, ShownAgent>();
  isExpanded = false;

  constructor(theme: Theme, { now }: { now: () => number }) {
    this.#theme = theme;
    this.#now = now;
  }

  /** Adds or updates an agent. */
  update(agent: ShownAgent): void {
    this.#agents.set(agent.id, agent);
  }

  get isOver(): boolean {
    return [...this.#agents.values()].every(({ state }) => state !== 'running' && state !== 'asking');
  }

  invalidate(): void {}

  render(width: number): string[] {
    if (this.#agents.size === 0) return [];
    const head = this.#head(width);
    return this.isExpanded ? [head, ...this.#tree(undefined, '', width)] : [head, ...this.#atWork(width)];
  }

  #head(width: number): string {
    const { paint } = this.#theme;
    const agents = [...this.#agents.values()];
    const states = (['running', 'asking', 'done', 'failed', 'interrupted'] as const)
      .map((state) => ({ state, count: agents.filter((agent) => agent.state === state).length }))
      .filter(({ count }) => count > 0)
      .map(({ state, count }) => `${count} ${words[state]}`);
    const tokens = agents.reduce((sum, agent) => sum + agent.tokens, 0);
    const facts = [...states, ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : [])].join(' · ');
    const hint = this.isExpanded ? '' : ' (ctrl+o)';
    return cut(`${paint.strong(counted(agents.length, 'agent'))} ${paint.muted(`${facts}${hint}`)}`, width);
  }

  /** The current activity of each running agent. */
  #atWork(width: number): string[] {
    return [...this.#agents.values()]
      .filter(({ state }) => state === 'running' || state === 'asking')
      .map((agent) => {
        const now = agent.lastActivity === undefined ? '' : `: ${cleanLine(agent.lastActivity)}`;
        return cut(`  ${this.#sign(agent)} ${nameOf(agent)}${this.#theme.paint.muted(now)}`, width);
      });
  }

  #tree(parentId: string | undefined, indent: string, width: number): string[] {
    const children = [...this.#agents.values()].filter((agent) => this.#parentOf(agent) === parentId);
    return children.flatMap((agent, index) => {
      const isLast = index === children.length - 1;
      const below = `${indent}${isLast ? '   ' : '│  '}`;
      const { paint } = this.#theme;
      const line = spread(
        `${paint.border(`${indent}${isLast ? '└─ ' : '├─ '}`)}${this.#sign(agent)} ${nameOf(agent)}`,
        paint.muted(this.#facts(agent)),
        width,
      );
      const activity =
        agent.lastActivity === undefined
          ? []
          : [`${paint.border(below)}  ${paint.muted(cleanLine(agent.lastActivity))}`];
      return [line, ...activity.map((each) => cut(each, width)), ...this.#tree(agent.id, below, width)];
    });
  }

  /** An agent whose parent is unknown becomes a root: none may be lost. */
  #parentOf({ id, parentId }: ShownAgent): string | undefined {
    const seen = new Set([id]);
    for (let above = parentId; above !== undefined; above = this.#agents.get(above)?.parentId) {
      if (seen.has(above) || !this.#agents.has(above)) return undefined;
      seen.add(above);
    }
    return parentId;
  }

  #facts({ state, turns, tokens, startedAt, endedAt }: ShownAgent): string {
    const time = shortTime((endedAt ?? this.#now()) - startedAt);
    return [words[state], counted(turns, 'turn'), shortCount(tokens), time].join(' · ');
  }

  #sign({ state }: ShownAgent): string {
    return this.#theme.paint[roles[state]](signs[state]);
  }
}

const nameOf = ({ type, description }: ShownAgent): string => `${cleanLine(type)} ${cleanLine(description)}`;

const words = { running: 'running', asking: 'asks', done: 'done', failed: 'failed', interrupted: 'stopped' } as const;
const signs = { running: '●', asking: '?', done: '✓', failed: '✗', interrupted: '■' } as const;
const roles = {
  running: 'accent',
  asking: 'warning',
  done: 'success',
  failed: 'failure',
  interrupted: 'warning',
} as const;
