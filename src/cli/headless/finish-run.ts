import { noUsage } from '../../agent/usage.js';
import type { AgentEvent, RunResult } from '../../contract/event.js';
import type { Decision } from '../../contract/permission.js';
import { messageOf } from '../../platform/message-of.js';
import { ruleMayAllow } from '../rule-may-allow.js';
import type { FinishedOutput } from './finished-output.js';

/** A result, with changes from flags of this command. */
export interface FinishedRun extends RunResult {
  failed: boolean;
  /** Overrides the subtype of the outcome. */
  subtype?: string;
  terminalReason?: string;
  structuredOutput?: { value: unknown };
  /** The denied calls that a rule could have allowed. */
  allowable?: RunResult['denials'];
}

/** How flags affect the end of a run. */
export class RunEnd {
  readonly #structured: FinishedOutput | undefined;
  /** The last decision on each call. */
  readonly #decisions = new Map<string, Decision>();

  constructor({ structured }: { structured?: FinishedOutput | undefined }) {
    this.#structured = structured;
  }

  begin(): void {
    this.#structured?.begin();
    this.#decisions.clear();
  }

  /** Inspects an event, and calls `stop` if the run must end because of it. */
  see(event: AgentEvent, stop: () => void): void {
    this.#structured?.see(event, stop);
    let inner = event;
    while (inner.type === 'agent_event') inner = inner.event;
    if (inner.type === 'permission_decision') this.#decisions.set(inner.callId, inner.decision);
  }

  finish(result: RunResult): FinishedRun {
    const allowable = result.denials.filter(({ callId, input }) => {
      const decision = this.#decisions.get(callId);
      return decision !== undefined && ruleMayAllow(decision, input);
    });
    const run = { ...result, failed: result.outcome !== 'completed', allowable };
    // The subtype that hosts know, whatever the unit of the limit.
    if (run.outcome === 'budget')
      return { ...run, subtype: 'error_max_budget_usd', terminalReason: 'budget_exhausted' };
    return this.#structured?.finish(run) ?? run;
  }
}

/** The result of a run that ended without one. */
export const noResult = (error: unknown, { interrupted }: { interrupted: boolean }): RunResult => ({
  type: 'result',
  outcome: interrupted ? 'interrupted' : 'model_error',
  text: interrupted ? 'Interrupted.' : messageOf(error),
  turns: 0,
  stopReason: null,
  usage: noUsage,
  costUsd: 0,
  models: [],
  modelMs: 0,
  totalMs: 0,
  denials: [],
});
