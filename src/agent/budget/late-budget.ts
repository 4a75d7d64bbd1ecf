// The budget of an agent before its code is loaded. An agent without limits only has to be counted, so that code is
// loaded when its first request has left, and what happened before is counted then.
import type { AgentBudget, BudgetLimits, BudgetScope, BudgetUse } from '../../contract/budget.js';
import type { AgentHappening } from '../../contract/event.js';
import type { Model, Usage } from '../../contract/model.js';
import { monotonicMs } from '../../platform/clock.js';
import { type Lazy, lazy } from '../../platform/lazy.js';
import { messageOf } from '../../platform/message-of.js';
import type { Budget, BudgetTimeLimit } from './budget.js';
import { budgetedModel } from './budgeted-model.js';

interface LateBudgetParts {
  /** Whether anything is limited now: settings may change. */
  hasLimits(): boolean;
  open(): Promise<Budget>;
}

export class LateBudget implements AgentBudget {
  readonly #hasLimits: () => boolean;
  readonly #open: Lazy<Budget>;
  #opened: Budget | undefined;
  /** What the budget has still to count, in order. */
  #steps: ((budget: Budget) => void)[] = [];

  constructor({ hasLimits, open }: LateBudgetParts) {
    this.#hasLimits = hasLimits;
    this.#open = lazy(async () => {
      const budget = await open();
      this.#opened = budget;
      for (const step of this.#steps) step(budget);
      this.#steps = [];
      return budget;
    });
  }

  /** The same model, with its requests checked and counted. */
  of(model: Model): Model {
    return budgetedModel(model, this);
  }

  /** Loads the budget if anything is limited. Until then nothing is refused. */
  async ready(): Promise<void> {
    if (this.#hasLimits()) await this.#open();
  }

  async beginRun(): Promise<void> {
    const at = monotonicMs();
    this.#do((budget) => budget.beginRun(at));
    await this.ready();
  }

  async endRun(): Promise<void> {
    const at = monotonicMs();
    this.#do((budget) => budget.endRun(at));
    try {
      await this.#open();
    } catch (error) {
      process.emitWarning(`What this prompt used could not be counted: ${messageOf(error)}. The next one counts it.`);
    }
  }

  listen(emit: ((happening: AgentHappening) => void) | undefined): void {
    this.#do((budget) => budget.listen(emit));
  }

  uses(): BudgetUse[] {
    return this.#opened?.uses() ?? [];
  }

  near(): BudgetUse[] {
    return this.#opened?.near() ?? [];
  }

  /** See `Budget.periodOf`. */
  periodOf(use: BudgetUse): string {
    return this.#opened?.periodOf(use) ?? '';
  }

  refusal(): string | undefined {
    return this.#opened?.refusal();
  }

  timeLimit(): BudgetTimeLimit | undefined {
    return this.#opened?.timeLimit();
  }

  async check(model: Model): Promise<void> {
    await this.ready();
    this.#opened?.check(model);
  }

  onSent(): void {
    if (!this.#opened) void this.#open().catch(() => {}); // tried again when the request is counted
  }

  /** The answer goes on if the code can't be loaded, for example because too many files are open: it is counted later. */
  async spend(model: Pick<Model, 'provider' | 'name' | 'facts'>, usage: Usage, turns: 0 | 1 = 1): Promise<void> {
    const at = monotonicMs();
    this.#do((budget) => budget.spend(model, usage, { turns, at }));
    if (!this.#opened) await this.#open().catch(() => {});
  }

  allowMore(more: Partial<Record<BudgetScope, BudgetLimits>>): void {
    this.#do((budget) => budget.allowMore(more));
  }

  mayRaise(use: BudgetUse): boolean {
    return this.#opened?.mayRaise(use) ?? false;
  }

  async boundTurns(turns: number | undefined): Promise<void> {
    this.#do((budget) => budget.boundTurns(turns));
    if (turns !== undefined) await this.#open();
  }

  #do(step: (budget: Budget) => void): void {
    if (this.#opened) step(this.#opened);
    else this.#steps.push(step);
  }
}
