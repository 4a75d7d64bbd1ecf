// Sentences about budgets, for people and for the model.
import type { BudgetScope, BudgetUnit, BudgetUse } from '../../contract/budget.js';
import { counted } from '../../platform/text/counted.js';
import { grouped } from '../../platform/text/digits.js';

const ofScope: Readonly<Record<BudgetScope, string>> = {
  command: 'for this command',
  run: 'for this prompt',
  session: 'for this session',
  day: 'of today, over all sessions,',
};

/** What raises a limit: flags for a command, a setting or an option of the same name for the rest. */
const raisedBy = ({ scope, unit }: BudgetUse): string =>
  scope === 'command' ? `--max-budget-${unit}` : `budget.${scope}.${unit}`;

/** "$0.81", "12,000 tokens", "3 requests", "2.5 minutes". */
export function amountWords(unit: BudgetUnit, amount: number): string {
  switch (unit) {
    case 'usd':
      return `$${amount !== 0 && amount < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`;
    case 'tokens':
      return `${grouped(Math.round(amount))} tokens`;
    case 'turns':
      return counted(Math.round(amount), 'request');
    case 'minutes':
      if (amount < 1) return `${Math.round(amount * 600) / 10} s`;
      return counted(Math.round(amount * 10) / 10, 'minute');
  }
}

/** "The budget of $1.00 for this session". */
export const nameOfBudget = ({ scope, unit, limit }: BudgetUse): string =>
  `The budget of ${amountWords(unit, limit)} ${ofScope[scope]}`.replace(/,$/, '');

const namedBudget = (use: BudgetUse): string => (use.scope === 'day' ? `${nameOfBudget(use)},` : nameOfBudget(use));

/** Why the run ends, and how to go on. */
export function usedUp(use: BudgetUse): string {
  const spent = `${amountWords(use.unit, use.spent)} ${use.unit === 'minutes' ? 'passed' : 'spent'}`;
  return `${namedBudget(use)} is used up (${spent}), so the work ends here. What was done stays. Raise ${raisedBy(use)} to go on.`;
}

const percent = ({ spent, limit }: BudgetUse): number => Math.floor((spent / limit) * 100);

/** For the person. */
export const nearlyUsedUp = (use: BudgetUse): string =>
  `${percent(use)} % of the budget of ${amountWords(use.unit, use.limit)} ${ofScope[use.scope]} is used (${amountWords(use.unit, use.spent)}).`.replace(
    ', is used',
    ' is used',
  );

/** For the model. */
export const reminderOf = (use: BudgetUse): string =>
  `${nearlyUsedUp(use)} At 100 % no further request is sent. Finish what matters most, leave the work in a state that others can continue, and say what is left to do.`;

/** "$0.19 of $1.00 left for this session". */
export const leftWords = ({ scope, unit, limit, spent }: BudgetUse): string =>
  `${amountWords(unit, Math.max(0, limit - spent))} of ${amountWords(unit, limit)} left ${ofScope[scope].replace(/,$/, '')}`;

export const unknownPrices = (model: string, limit: number): string =>
  `The prices of ${model} are unknown, so its cost does not count towards the budget of ${amountWords('usd', limit)}. Its tokens count. models.json can set its prices.`;
