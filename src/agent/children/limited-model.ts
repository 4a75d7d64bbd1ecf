import { type Model, ModelFailure } from '../../contract/model.js';
import { costOf, tokensOf } from '../usage.js';

/** Limits of a child, which are checked before each request. The last answer may exceed them. */
export interface AgentLimits {
  turns: number;
  tokens: number;
  /** US dollars; absent if there is no limit. */
  costUsd?: number | undefined;
}

export const defaultLimits: AgentLimits = { turns: 200, tokens: 30_000_000 };

/** Wraps the model, and fails requests once the limits are reached. Turns are counted by the loop. */
export function limitedModel(model: Model, limits: AgentLimits): Model {
  let tokens = 0;
  let cost = 0;
  const prices = model.facts?.prices;
  return {
    ...model, // a copy: the model does not change within a run
    async *stream(request, signal) {
      if (tokens >= limits.tokens) throw usedUp(`${limits.tokens} tokens`);
      if (limits.costUsd !== undefined && cost >= limits.costUsd) throw usedUp(`$${limits.costUsd}`);
      for await (const event of model.stream(request, signal)) {
        // A try that failed has used tokens, too.
        const usage = event.type === 'message_end' || event.type === 'retry' ? event.usage : undefined;
        if (usage) {
          tokens += tokensOf(usage);
          if (prices) cost += costOf(usage, prices);
        }
        yield event;
      }
    },
  };
}

const usedUp = (limit: string): ModelFailure =>
  new ModelFailure('invalid_request', `The agent has used up its limit of ${limit}.`, { transient: false });
