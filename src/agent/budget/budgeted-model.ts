import type { Model, Usage } from '../../contract/model.js';
import { UsageSoFar } from '../../models/retry/usage-so-far.js';

/** Checks each request before it is sent, and counts it after it. */
interface RequestBudget {
  /** Throws if the request may not be sent. */
  check(model: Model): Promise<void>;
  /** The server has begun to answer. */
  onSent(): void;
  /** `turns`: 0 for a try that failed, since its request is sent again. */
  spend(model: Pick<Model, 'provider' | 'name' | 'facts'>, usage: Usage, turns?: 0 | 1): Promise<void>;
}

/** Wraps the model, which may change between runs. A fallback that answers is counted at its own prices. */
export function budgetedModel(model: Model, budget: RequestBudget): Model {
  return {
    get provider() {
      return model.provider;
    },
    get name() {
      return model.name;
    },
    get maxOutputTokens() {
      return model.maxOutputTokens;
    },
    get facts() {
      return model.facts ?? {};
    },
    get fallbacks() {
      return model.fallbacks ?? [];
    },
    check: () => model.check?.(),
    release: () => model.release?.(),
    async *stream(request, signal) {
      await budget.check(model);
      let answering: Pick<Model, 'provider' | 'name' | 'facts'> = model;
      const soFar = new UsageSoFar();
      try {
        for await (const event of model.stream(request, signal)) {
          budget.onSent();
          soFar.take(event);
          if (event.type === 'retry') {
            if (event.usage) await budget.spend(answering, event.usage, 0);
            const { provider, model: name } = event;
            const known = [model, ...(model.fallbacks ?? [])];
            answering = known.find((one) => one.provider === provider && one.name === name) ?? { provider, name };
          }
          if (event.type === 'message_end') await budget.spend(answering, event.usage);
          yield event;
        }
      } finally {
        if (soFar.usage) await budget.spend(answering, soFar.usage); // it was interrupted, or it broke off
      }
    },
  };
}
