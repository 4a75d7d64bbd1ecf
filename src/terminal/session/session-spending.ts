import type { SessionTotals } from '../../agent/store/session-record.js';
import { joinUses, sum } from '../../agent/usage-by-model.js';
import type { AgentHappening, ModelUse, RunResult } from '../../contract/event.js';
import type { SessionUsage } from '../contract.js';

/** The cost and the time of a conversation so far, with those of the run that goes on. */
export class SessionSpending {
  readonly #before: SessionTotals | undefined;
  readonly #models: () => readonly ModelUse[];
  readonly #now: () => number;
  /** Of runs that have ended. */
  #prompts = 0;
  #outcome: RunResult['outcome'] | undefined;
  #modelMs = 0;
  #totalMs = 0;
  #run: CurrentRun | undefined;

  /**
   * `before`: what a resumed conversation had cost until then. `models`: what each model has used in this process, with
   * the requests of the current run that are complete.
   */
  constructor({ before, models = () => [], now = () => performance.now() }: SpendingOptions = {}) {
    this.#before = before;
    this.#models = models;
    this.#now = now;
    const { prompts = 0, modelMs = 0, totalMs = 0 } = before?.runs ?? {};
    this.#prompts = prompts;
    this.#modelMs = modelMs;
    this.#totalMs = totalMs;
  }

  take(event: AgentHappening): void {
    if (event.type === 'session_start') this.#run = { since: this.#now(), modelMs: 0, askedAt: undefined };
    else if (event.type === 'result') this.#take(event);
    else if (this.#run && event.type === 'turn_start') this.#run.askedAt = this.#now();
    else if (this.#run && (event.type === 'assistant_message' || event.type === 'turn_end')) {
      this.#run.modelMs = this.#modelMsOf(this.#run);
      this.#run.askedAt = undefined;
    }
  }

  /** The result measures its run itself, so it replaces what was measured here. */
  #take({ outcome, modelMs, totalMs }: RunResult): void {
    this.#run = undefined;
    this.#outcome = outcome;
    this.#prompts += 1;
    this.#modelMs += modelMs;
    this.#totalMs += totalMs;
  }

  #modelMsOf({ modelMs, askedAt }: CurrentRun): number {
    return modelMs + (askedAt === undefined ? 0 : this.#now() - askedAt);
  }

  /** How the last run of this process ended, if there was one; an interrupted one has not failed. */
  get ended(): 'idle' | 'done' | 'failed' {
    if (this.#outcome === undefined) return 'idle';
    return this.#outcome === 'completed' || this.#outcome === 'interrupted' ? 'done' : 'failed';
  }

  get usage(): SessionUsage {
    const { costUsd = 0, runs } = this.#before ?? {};
    const models = this.#models();
    const run = this.#run;
    return {
      models: joinUses(runs?.models ?? [], models),
      costUsd: models.map((model) => model.costUsd).reduce(sum, costUsd),
      prompts: this.#prompts + (run ? 1 : 0),
      ...(runs?.killed && { killed: runs.killed }),
      modelMs: this.#modelMs + (run ? this.#modelMsOf(run) : 0),
      totalMs: this.#totalMs + (run ? this.#now() - run.since : 0),
    };
  }
}

export interface SpendingOptions {
  before?: SessionTotals | undefined;
  models?: (() => readonly ModelUse[]) | undefined;
  /** Monotonic, in milliseconds. */
  now?: (() => number) | undefined;
}

interface CurrentRun {
  since: number;
  /** Of the answers that are complete. */
  modelMs: number;
  /** When the request was sent whose answer is not complete. */
  askedAt: number | undefined;
}
