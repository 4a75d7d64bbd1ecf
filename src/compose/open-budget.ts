import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Budget, type BudgetParts } from '../agent/budget/budget.js';
import { DaySpending } from '../agent/budget/day-spending.js';
import { SpendingFile } from '../agent/budget/spending-file.js';
import { lowerLimits, type Spent } from '../agent/budget/spent.js';
import type { Session } from '../agent/session.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import type { SessionTotals } from '../agent/store/session-record.js';
import { tokensOf } from '../agent/usage.js';
import { type BudgetScope, budgetScopes } from '../contract/budget.js';
import type { FullAgentOptions } from './options.js';

/** The budget of an agent, from its options and the settings. The lowest limit applies. */
export function openBudget(session: Session, options: FullAgentOptions, { isKept }: { isKept: boolean }): Budget {
  const limits: BudgetParts['limits'] = (scope: BudgetScope) => {
    if (scope === 'command') return { limits: options.commandBudget?.limits ?? {} };
    const given = options.budget?.[scope];
    const set = options.settings?.current.budget[scope];
    if (!set) return { limits: given ?? {} };
    const isFixed = set.origin.kind === 'managed';
    return { limits: lowerLimits(given, set.value), fixed: isFixed ? set.value : undefined };
  };
  const file = isKept
    ? new SpendingFile(join(sessionFolder(session.dataFolder, session.id).path, 'spending.jsonl'))
    : undefined;
  const { resumed } = options;
  const isLeftByOlder = resumed !== undefined && !resumed.isFork && !(file && existsSync(file.path));
  const hasDay = (): boolean => isKept || budgetScopes.some((scope) => Object.keys(limits(scope).limits).length > 0);
  const budget: Budget = new Budget({
    sessionId: session.id,
    limits,
    file,
    command: options.commandBudget,
    before: isLeftByOlder ? spentBefore(resumed.restored.totals) : undefined,
    day: hasDay()
      ? new DaySpending(session.dataFolder, {
          now: () => new Date(),
          notify(text) {
            if (Object.keys(limits('day').limits).length > 0) budget.notify(text);
          },
        })
      : undefined,
  });
  return budget;
}

/** What a session used that was last written by a version without budgets. */
const spentBefore = ({ costUsd, usage, turns, runs }: SessionTotals): Spent => ({
  usd: costUsd ?? 0,
  tokens: tokensOf(usage),
  turns,
  minutes: (runs?.totalMs ?? 0) / 60_000,
});
