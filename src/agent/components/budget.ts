import type { LateBudget } from '../budget/late-budget.js';
import type { SessionComponent } from '../session-component.js';

export interface BudgetComponentOptions {
  /** Leaves a reminder for the model's next message. */
  remind(text: string): void;
  /** The root's events reach the person, and its result says what is left. */
  isRoot: boolean;
}

/** Tells the model of one conversation when a budget is nearly used up, and ends the run when it is. */
export function budgetComponent(budget: LateBudget, { remind, isRoot }: BudgetComponentOptions): SessionComponent {
  let told = new Set<string>();
  const beforeMessage = async (): Promise<void> => {
    await budget.ready();
    if (budget.refusal() !== undefined) return;
    const near = budget.near();
    if (near.length === 0) return;
    const { reminderOf } = await import('../budget/budget-words.js');
    for (const use of near) {
      const key = `${use.scope}.${use.unit} ${use.limit}${budget.periodOf(use)}`;
      if (told.has(key)) continue;
      told.add(key);
      remind(reminderOf(use));
    }
  };
  return {
    name: 'budget',
    async prepare() {
      told = new Set([...told].filter((key) => !key.startsWith('run.'))); // a run begins with a budget of its own
    },
    async refresh({ emit }) {
      if (isRoot) budget.listen(emit);
    },
    beforeMessage,
    beforeRequest() {
      const text = budget.refusal();
      return text === undefined ? undefined : { end: 'budget', text };
    },
    ...(isRoot && {
      describeResult() {
        const uses = budget.uses();
        return uses.length > 0 ? { budget: uses } : {};
      },
      afterRun: () => budget.listen(undefined),
    }),
  };
}
