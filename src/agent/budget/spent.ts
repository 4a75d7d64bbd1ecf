import { type BudgetLimits, type BudgetUnit, budgetUnits } from '../../contract/budget.js';

/** What was used, in each unit. */
export type Spent = Readonly<Record<BudgetUnit, number>>;

export const nothingSpent: Spent = { usd: 0, tokens: 0, turns: 0, minutes: 0 };

export const addSpent = (one: Spent, other: Spent): Spent => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
  turns: one.turns + other.turns,
  minutes: one.minutes + other.minutes,
});

/** The limits of one process, and what all its agents have used. */
export interface CommandBudget {
  readonly limits: BudgetLimits;
  spent: Spent;
}

/** The lower of both limits in each unit. */
export function lowerLimits(one: BudgetLimits = {}, other: BudgetLimits = {}): BudgetLimits {
  const lower: BudgetLimits = {};
  for (const unit of budgetUnits) {
    const limit = Math.min(one[unit] ?? Number.POSITIVE_INFINITY, other[unit] ?? Number.POSITIVE_INFINITY);
    if (limit !== Number.POSITIVE_INFINITY) lower[unit] = limit;
  }
  return lower;
}
