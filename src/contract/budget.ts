// Budgets: what the model may use before the work ends.

/** What a budget counts. */
export const budgetUnits = ['usd', 'tokens', 'turns', 'minutes'] as const;

/** One of these units. */
export type BudgetUnit = (typeof budgetUnits)[number];

/** The budgets that settings and programs may set. */
export const budgetScopes = ['run', 'session', 'day'] as const;

/**
 * What a limit counts together: one prompt (`run`), the session with the processes that it was resumed from, or the
 * local calendar day of this user, over all processes. `command` is what flags of the command line limit: all prompts of
 * one process.
 */
export type BudgetScope = 'command' | (typeof budgetScopes)[number];

/** Limits. Child agents, summaries and small tasks count. A limit that is left out does not exist. */
export interface BudgetLimits {
  /** US dollars, of the models whose prices are known. */
  usd?: number;
  /** Tokens of requests and answers, cached ones too. */
  tokens?: number;
  /** Requests to a model. */
  turns?: number;
  /** Time in which a prompt runs, with all waiting. */
  minutes?: number;
}

/** The limits of an agent. The lowest of these and of settings applies. */
export interface BudgetOptions {
  /** Of one prompt. */
  run?: BudgetLimits;
  /** Of the session, with what it used before it was resumed. */
  session?: BudgetLimits;
  /** Of the local calendar day, over all processes of this user with the same data folder. */
  day?: BudgetLimits;
}

/** One limit, and what is used of it. */
export interface BudgetUse {
  scope: BudgetScope;
  unit: BudgetUnit;
  limit: number;
  spent: number;
}

/** The budget of an agent. */
export interface AgentBudget {
  /** All limits, and what is used of each now. Empty right after `createAgent`, until the code of budgets is loaded. */
  uses(): BudgetUse[];
  /** Raises limits that exist by this much, for this agent. Limits of managed settings stay as they are. */
  allowMore(more: BudgetOptions & { command?: BudgetLimits }): void;
}
