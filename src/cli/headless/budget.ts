import { costOf } from '../../agent/usage.js';
import { type Model, type ModelEvent, ModelFailure } from '../../contract/model.js';
import type { ModelWatch } from '../watched-model.js';

/** Stops before the next request once this many US dollars are spent. The last response may exceed the limit. */
export class Budget implements ModelWatch {
  readonly #limit: number;
  readonly #model: Model;
  #spent = 0;
  /** The model of the current request. */
  #asked: Model | undefined;
  #hasRefused = false;

  constructor(limit: number, model: Model) {
    this.#limit = limit;
    this.#model = model;
  }

  /** Why the budget can't be enforced, if it can't. */
  get problem(): string | undefined {
    const unpriced = this.#mayAnswer.find(({ facts }) => !facts?.prices);
    if (!unpriced) return undefined;
    return `the prices of ${unpriced.provider}/${unpriced.name} are unknown, so --max-budget-usd does not include its cost.`;
  }

  get #mayAnswer(): Model[] {
    return [this.#model, ...(this.#model.fallbacks ?? [])];
  }

  /** Whether a request was stopped because of it. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  /** The same budget for another model that is used meanwhile, for example by a child agent. */
  of(model: Model): ModelWatch {
    const other = new Budget(this.#limit, model);
    return {
      before: async () => {
        other.#spent = this.#spent;
        await other.before().finally(() => {
          this.#hasRefused ||= other.#hasRefused;
        });
      },
      onEvent: async (event) => {
        const before = other.#spent;
        await other.onEvent(event);
        this.#spent += other.#spent - before;
      },
    };
  }

  readonly before = async (): Promise<void> => {
    this.#asked = this.#model;
    if (this.#spent < this.#limit) return;
    this.#hasRefused = true;
    throw new ModelFailure(
      'invalid_request',
      `The budget of $${this.#limit} is used up ($${this.#spent.toFixed(4)} spent), so the work ends here. Raise --max-budget-usd to go on.`,
      { transient: false },
    );
  };

  readonly onEvent = async (event: ModelEvent): Promise<void> => {
    if (event.type === 'retry') {
      this.#asked = this.#mayAnswer.find(({ provider, name }) => provider === event.provider && name === event.model);
    }
    const prices = this.#asked?.facts?.prices;
    if (event.type === 'message_end' && prices) this.#spent += costOf(event.usage, prices);
  };
}
