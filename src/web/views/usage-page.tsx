// Context and cost over time, and what the context holds now.

import type { UsagePoint } from '../../host/session-usage.js';
import { shortCost, shortCount } from '../../platform/text/short-amounts.js';
import type { SessionStore } from '../store/session-store.js';
import { useApp } from '../store/web-app.js';
import { Chart } from './chart.js';
import { BudgetMeters, contextWords } from './side-panel.js';
import { useLoaded } from './use-loaded.js';

export function UsagePage({ store }: { store: SessionStore }) {
  const app = useApp();
  const { value, problem } = useLoaded(
    () => app.link.request('_helve/session/overview', { sessionId: store.id }),
    store,
  );
  if (problem !== '') return <p class="failure padded">{problem}</p>;
  if (!value) return <p class="start">Loading…</p>;
  const { usage, contextTokens, contextWindow, contextParts, budgets, costUsd } = value;
  const costs = totals(usage);
  const parts = contextParts.filter(({ tokens }) => tokens > 0).toSorted((one, other) => other.tokens - one.tokens);
  const most = Math.max(1, ...parts.map(({ tokens }) => tokens));
  return (
    <div class="page wide usage">
      <div class="charts">
        <section class="card chart-card">
          <h2>
            Context <span class="muted">{contextWords(contextTokens, contextWindow)}</span>
          </h2>
          <Chart
            label="Tokens in the context after each turn"
            values={usage.map(({ contextTokens: tokens }) => tokens)}
            limit={contextWindow ?? 0}
            shown={shortCount}
          />
        </section>
        <section class="card chart-card">
          <h2>
            Cost <span class="muted">{costUsd === null ? 'not known' : shortCost(costUsd)}</span>
          </h2>
          {costUsd === null ? (
            <p class="muted">The prices of its model are not known.</p>
          ) : (
            <Chart label="Cost so far after each turn, in US dollars" values={costs} shown={shortCost} />
          )}
        </section>
      </div>
      {budgets.length > 0 && (
        <section class="card chart-card">
          <h2>Budgets</h2>
          <BudgetMeters budgets={budgets} />
        </section>
      )}
      {parts.length > 0 && (
        <section class="card chart-card">
          <h2>What the context holds</h2>
          <dl class="parts">
            {parts.map(({ name, tokens }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <span class="part-bar" aria-hidden="true">
                    <span style={{ width: `${(tokens / most) * 100}%` }} />
                  </span>
                  {shortCount(tokens)}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {usage.length > 0 && <Turns usage={usage} />}
    </div>
  );
}

function totals(usage: readonly UsagePoint[]): number[] {
  let sum = 0;
  return usage.map(({ costUsd }) => {
    sum += costUsd ?? 0;
    return sum;
  });
}

const Turns = ({ usage }: { usage: readonly UsagePoint[] }) => (
  <details class="card chart-card">
    <summary>Each turn as a table</summary>
    <div class="scroll" tabIndex={0} role="group" aria-label="Usage of each turn">
      <table class="data">
        <thead>
          <tr>
            <th>Turn</th>
            <th>Input</th>
            <th>From cache</th>
            <th>Output</th>
            <th>Context</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          {usage.map((point, index) => (
            <tr key={index}>
              <th scope="row">{index + 1}</th>
              <td>{shortCount(point.inputTokens)}</td>
              <td>{shortCount(point.cacheReadTokens)}</td>
              <td>{shortCount(point.outputTokens)}</td>
              <td>{shortCount(point.contextTokens)}</td>
              <td>{point.costUsd === null ? 'not known' : shortCost(point.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
