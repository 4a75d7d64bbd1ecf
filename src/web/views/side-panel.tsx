// Beside the conversation: the list of tasks, the child agents, and how full the context is.
import { todoProgress } from '../../display/todo-words.js';
import { shortCost, shortCount } from '../../platform/text/short-amounts.js';
import { visibleLine } from '../../platform/text/visible-lines.js';
import type { Overview } from '../connection/wire.js';
import type { SessionStore } from '../store/session-store.js';
import { StateSign, stateOf } from './call.js';
import { Todos } from './display-body.js';
import { Icon } from './icons.js';
import { useWide } from './use-wide.js';

export function SidePanel({ store }: { store: SessionStore }) {
  const isWide = useWide('(min-width: 1100px)');
  const overview = store.overview.value;
  const agents = agentsOf(store);
  const todos = overview?.todos ?? [];
  if (!overview || (todos.length === 0 && agents.length === 0 && !isWide)) return null;
  const content = (
    <>
      {todos.length > 0 && (
        <section aria-label="To do">
          <h2>
            To do <span class="muted">{todoProgress(todos)}</span>
          </h2>
          <Todos items={todos} />
        </section>
      )}
      {agents.length > 0 && (
        <section aria-label="Child agents">
          <h2>Agents</h2>
          <ul class="agents">
            {agents.map((agent) => (
              <Agent key={agent.id} {...agent} />
            ))}
          </ul>
        </section>
      )}
      {isWide && <Context store={store} />}
    </>
  );
  if (isWide) {
    return (
      <aside class="side" aria-label="Overview">
        {content}
      </aside>
    );
  }
  return (
    <details class="side-fold">
      <summary>
        <Icon name="chevron" />
        {[todos.length > 0 ? `To do: ${todoProgress(todos)}` : '', agents.length > 0 ? `${agents.length} agents` : '']
          .filter((words) => words !== '')
          .join(' · ')}
      </summary>
      {content}
    </details>
  );
}

interface AgentFacts {
  id: string;
  type: string;
  title: string;
  calls: number;
  state: ReturnType<typeof stateOf>;
  latest: string;
  inner: readonly AgentFacts[];
}

/** The agents as a tree: a call of one agent may have started another. */
function agentsOf(store: SessionStore): AgentFacts[] {
  void store.turns.value;
  const facts = (parentId: string): AgentFacts | undefined => {
    const calls = store.children.get(parentId)?.value ?? [];
    const parent = store.calls.get(parentId)?.value;
    const [first] = calls;
    if (!first || !parent) return undefined;
    const { display } = calls.at(-1)?.value ?? parent;
    return {
      id: parentId,
      type: first.value.agent?.type ?? 'agent',
      title: parent.display.title,
      calls: calls.length,
      state: stateOf(parent, false),
      latest: `${display.action ?? ''} ${display.title}`.trim(),
      inner: calls.flatMap(({ value }) => facts(value.id) ?? []),
    };
  };
  void store.blocks.value;
  return [...store.children.keys()]
    .filter((id) => store.calls.get(id)?.value.agent === undefined)
    .flatMap((id) => facts(id) ?? []);
}

const Agent = ({ type, title, calls, state, latest, inner }: AgentFacts) => (
  <li>
    <div class="agent">
      <StateSign state={state} />
      <span>
        <strong>{type}</strong> {visibleLine(title)}
        <span class="muted agent-latest">
          {calls} calls{state === 'running' ? ` · ${visibleLine(latest)}` : ''}
        </span>
      </span>
    </div>
    {inner.length > 0 && (
      <ul class="agents">
        {inner.map((agent) => (
          <Agent key={agent.id} {...agent} />
        ))}
      </ul>
    )}
  </li>
);

function Context({ store }: { store: SessionStore }) {
  const overview = store.overview.value;
  if (!overview) return null;
  const { contextTokens, contextWindow, budgets, costUsd, model } = overview;
  const share = contextWindow ? Math.min(1, contextTokens / contextWindow) : 0;
  return (
    <section aria-label="Context and cost">
      <h2>Context</h2>
      <Meter share={share} label={contextWords(contextTokens, contextWindow)} />
      <dl class="facts">
        <div>
          <dt>Model</dt>
          <dd>{visibleLine(model)}</dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>{costUsd === null ? 'not known' : shortCost(costUsd)}</dd>
        </div>
      </dl>
      <BudgetMeters budgets={budgets} />
    </section>
  );
}

/** `9.5k of 200k tokens`. */
export const contextWords = (tokens: number, window: number | null): string =>
  `${shortCount(tokens)}${window ? ` of ${shortCount(window)}` : ''} tokens`;

const amount = (value: number, unit: string): string =>
  /usd|\$/i.test(unit) ? shortCost(value) : `${shortCount(value)} ${unit}`;

/** How much of each budget is used. */
export function BudgetMeters({ budgets }: { budgets: Overview['budgets'] }) {
  return (
    <>
      {budgets.map(({ name, used, limit, unit }) => (
        <Meter
          key={name}
          share={limit > 0 ? used / limit : 0}
          label={`${name}: ${amount(used, unit)} of ${amount(limit, unit)}`}
        />
      ))}
    </>
  );
}

/** A bar with its words below it. */
export function Meter({ share, label }: { share: number; label: string }) {
  const percent = Math.round(Math.min(1, share) * 100);
  const tone = share >= 1 ? 'full' : share >= 0.8 ? 'near' : 'calm';
  return (
    <div class="meter-place">
      <div
        class={`meter ${tone}`}
        role="meter"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
      <span class="muted">{label}</span>
    </div>
  );
}
