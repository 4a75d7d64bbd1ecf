import { amountWords, nameOfBudget } from '../../agent/budget/budget-words.js';
import type { LateBudget } from '../../agent/budget/late-budget.js';
import type { RunResult } from '../../contract/event.js';
import type { Choice } from '../contract.js';

/** What the model is sent when the person goes on. */
export const GO_ON = 'Go on where you stopped.';

type Choose = (title: string, items: readonly Choice[], cancel?: string) => Promise<string | undefined>;

/** Asks whether to go on after a budget is used up, with as much again. A limit of managed settings is not asked about. */
export async function askForMore(
  { outcome, budget: uses = [] }: RunResult,
  budget: Pick<LateBudget, 'allowMore' | 'mayRaise'>,
  choose: Choose,
): Promise<boolean> {
  if (outcome !== 'budget') return false;
  const [reached, ...others] = uses.filter(({ spent, limit }) => spent >= limit);
  if (!reached || [reached, ...others].some((use) => use.scope !== 'run' && !budget.mayRaise(use))) return false;
  const { limit, unit, scope } = reached;
  const more = amountWords(unit, limit);
  const answer = await choose(
    `${nameOfBudget(reached)} is used up. Go on?`,
    [
      { value: 'more', label: `Go on with ${more} more` },
      { value: 'stop', label: 'Stop here' },
    ],
    'stop',
  );
  if (answer !== 'more') return false;
  // The next prompt has a budget of its own.
  for (const use of [reached, ...others]) {
    if (use.scope === 'run') continue;
    const overdrawn = Math.max(0, use.spent - use.limit);
    budget.allowMore({ [use.scope]: { [use.unit]: overdrawn + (use.scope === scope ? limit : use.limit) } });
  }
  return true;
}
