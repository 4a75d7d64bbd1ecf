import type { Goal, GoalCheck } from '../../contract/goal.js';

/** How a goal is kept in the session's file. */
export interface StoredGoal extends Goal {
  /** The person has interrupted the work on it, or it made no progress. */
  isPaused?: true;
}

/** The goal of a conversation. How it is checked is loaded with the first goal: see `goal-keeper.ts`. */
export class GoalState {
  readonly #onChange: (goal: StoredGoal | null) => void;
  #goal: StoredGoal | undefined;
  /** The goal of a resumed session, which the person has not been told of yet. */
  isNews = false;
  /** The last check of this goal. */
  last: GoalCheck | undefined;

  constructor(stored: StoredGoal | undefined, onChange: (goal: StoredGoal | null) => void) {
    this.#goal = stored;
    this.#onChange = onChange;
  }

  get stored(): StoredGoal | undefined {
    return this.#goal;
  }

  /** The goal that prompts work on now. */
  get active(): StoredGoal | undefined {
    return this.#goal?.isPaused ? undefined : this.#goal;
  }

  set(goal: StoredGoal | undefined): void {
    this.#goal = goal && { ...goal }; // another object: its rounds are counted from 1 again
    this.last = undefined;
    this.#onChange(this.#goal ?? null);
  }

  pause(): void {
    if (this.active) this.set({ ...this.active, isPaused: true });
  }

  /** Goes on with a paused goal. */
  resume(): void {
    const { text, until } = this.#goal ?? {};
    if (text !== undefined) this.set({ text, ...(until !== undefined && { until }) });
  }
}
