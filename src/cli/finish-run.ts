import type { AgentEvent, RunResult } from '../contract/event.js';
import type { Budget } from './budget.js';
import type { StructuredOutput } from './structured-output.js';

/** A result, with what flags of this command make of it. */
export interface FinishedRun extends RunResult {
  failed: boolean;
  /** In the place of what the outcome stands for. */
  subtype?: string;
  terminalReason?: string;
  structuredOutput?: { value: unknown };
}

/** What flags have to say about how a run ends. */
export class RunEnd {
  readonly #budget: Budget | undefined;
  readonly #structured: StructuredOutput | undefined;

  constructor({ budget, structured }: { budget?: Budget | undefined; structured?: StructuredOutput | undefined }) {
    this.#budget = budget;
    this.#structured = structured;
  }

  begin(): void {
    this.#structured?.begin();
  }

  /** Looks at an event, and calls `stop` where the run is to end by it. */
  see(event: AgentEvent, stop: () => void): void {
    this.#structured?.see(event, stop);
  }

  finish(result: RunResult): FinishedRun {
    const run = { ...result, failed: result.outcome !== 'completed' };
    if (run.outcome === 'model_error' && this.#budget?.hasRefused) {
      return { ...run, subtype: 'error_max_budget_usd', terminalReason: 'budget_exhausted' };
    }
    return this.#structured?.finish(run) ?? run;
  }
}
