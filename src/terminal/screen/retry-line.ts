import type { AgentHappening } from '../../contract/event.js';
import type { RetryFacts } from '../../contract/model.js';
import { counted } from '../../platform/text/counted.js';

const NOTED_RETRIES = 3; // fewer are not worth a line in the transcript

/** One line about a request that is sent again, with a countdown. */
export class RetryLine {
  readonly #now: () => number;
  readonly #model: () => string | undefined;
  /** Of the last retry, until its answer is complete. */
  #facts: RetryFacts | undefined;
  #isWaiting = false;
  #until = 0;

  /** `model`: "provider/name" of the model that should answer. */
  constructor({ now, model }: { now(): number; model(): string | undefined }) {
    this.#now = now;
    this.#model = model;
  }

  /** When it is sent again, and why; undefined if no request is being retried. */
  get words(): { when: string; why: string } | undefined {
    if (!this.#facts || !this.#isWaiting) return undefined;
    const { reason, attempt, maxRetries } = this.#facts;
    const seconds = Math.ceil((this.#until - this.#now()) / 1000);
    const when = seconds > 0 ? `in ${seconds} s` : 'now';
    return { when: `Retrying ${when} (${attempt} of ${maxRetries})`, why: reason.trim().replace(/\.$/, '') };
  }

  /** Returns a notice if another model takes over, or if the request has succeeded after several retries. */
  take(event: AgentHappening): string | undefined {
    if (event.type === 'model_retry') {
      const before = this.#facts;
      this.#facts = event;
      this.#isWaiting = true;
      this.#until = this.#now() + event.waitMs;
      const takesOver = `${event.provider}/${event.model}` !== this.#model() && event.model !== before?.model;
      return takesOver ? retryReason(event.reason) : undefined;
    }
    const before = this.#facts;
    if (!before || event.type === 'agent_event' || event.type === 'notice') return undefined;
    this.#isWaiting = false;
    if (partsOfAnswer.has(event.type)) return undefined; // it may break off again
    this.#facts = undefined;
    return completes(event) && before.attempt >= NOTED_RETRIES
      ? `Answered after ${counted(before.attempt, 'retry', 'retries')} (${briefReason(before.reason)}).`
      : undefined;
  }
}

const partsOfAnswer: ReadonlySet<AgentHappening['type']> = new Set([
  'answer_restart',
  'text_delta',
  'thinking_delta',
  'tool_input',
  'assistant_message',
]);

/** Whether the answer can't be retried any more. One that broke off has no stop reason; an attached session has no turns. */
const completes = (event: AgentHappening): boolean =>
  event.type === 'tool_call' ||
  (event.type === 'turn_end' && event.stopReason !== null) ||
  (event.type === 'result' && event.outcome === 'completed');

/** `529 overloaded`, if the reason has a status, else the reason itself. */
function briefReason(reason: string): string {
  const [, status, about] = /\((\d{3})(?:: ([^()]{1,60}))?\)/.exec(reason) ?? [];
  if (status === undefined) return retryReason(reason).slice(0, -1);
  return about === undefined ? status : `${status} ${about.charAt(0).toLowerCase()}${about.slice(1)}`;
}

/** The reason as a sentence of its own. */
export const retryReason = (reason: string): string => `${reason.trim().replace(/\.$/, '')}.`;
