// What `helve -p` says about a request that is sent again.
import type { RetryFacts } from '../../contract/model.js';
import { visible } from '../../platform/text/visible.js';

/** On a terminal: the numbers first, since the line is cut to the width, and the final error has the reason whole. */
export const liveRetry = (facts: RetryFacts): string => `retrying ${whenAndWhich(facts)}: ${visible(facts.reason)}`;

/** For logs: one line for each retry. The reason is repeated only if it has changed. */
export class RetryLines {
  #reason: string | undefined;

  line(facts: RetryFacts): string {
    const isNew = facts.reason !== this.#reason;
    this.#reason = facts.reason;
    const again = `${whenAndWhich(facts)}.`;
    return isNew ? `helve: ${visible(facts.reason)} Retrying ${again}` : `helve: retrying ${again}`;
  }

  /** The request was answered: the next failure is another one. */
  answered(): void {
    this.#reason = undefined;
  }
}

function whenAndWhich({ waitMs, attempt, maxRetries }: RetryFacts): string {
  const when = waitMs === 0 ? 'now' : `in ${Math.max(0.1, Math.round(waitMs / 100) / 10)} s`;
  return `${when} (${attempt} of ${maxRetries})`;
}
