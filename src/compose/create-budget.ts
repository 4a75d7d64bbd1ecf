import { LateBudget } from '../agent/budget/late-budget.js';
import type { Session } from '../agent/session.js';
import type { RunTimeLimit } from '../agent/time-up.js';
import { runTimeLimit } from '../agent/time-up.js';
import { budgetScopes } from '../contract/budget.js';
import type { FullAgentOptions } from './options.js';

/** The budget of an agent. Its code is loaded now only if something is limited. */
export function createBudget(session: Session, options: FullAgentOptions, { isKept }: { isKept: boolean }): LateBudget {
  const budget = new LateBudget({
    hasLimits: () => hasLimits(options),
    open: async () => (await import('./open-budget.js')).openBudget(session, options, { isKept }),
  });
  void budget.ready().catch(() => {}); // tried again, and reported, with the first prompt
  return budget;
}

function hasLimits({ commandBudget, budget, settings }: FullAgentOptions): boolean {
  const ofScopes = budgetScopes.flatMap((scope) => [budget?.[scope], settings?.current.budget[scope]?.value]);
  return [commandBudget?.limits, ...ofScopes].some((limits) => limits && Object.keys(limits).length > 0);
}

/** The time limits of a run that begins now. */
export function timeLimitsOf(budget: LateBudget, { maxTimeMs, settings }: FullAgentOptions): RunTimeLimit[] {
  const ofBudget = budget.timeLimit();
  const minutes = settings?.current.maxRunMinutes?.value;
  const ms = maxTimeMs ?? (minutes && minutes * 60_000);
  return [
    ...(ms === undefined ? [] : [runTimeLimit(ms)]),
    ...(ofBudget ? [{ ...ofBudget, outcome: 'budget' as const }] : []),
  ];
}
