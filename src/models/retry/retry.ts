import { setTimeout as delay } from 'node:timers/promises';
import { type Model, type ModelEvent, ModelFailure, type RetryFacts } from '../../contract/model.js';
import type { RetryOptions } from '../../contract/retry-options.js';
import { abortable } from '../../platform/abortable.js';
import { ofProcess } from '../../platform/of-process.js';
import { RequestLimits } from './request-limits.js';
import { RetryPlan } from './retry-plan.js';
import { watchedStream } from './watched-stream.js';

export const MAX_FALLBACKS = 3;
const MAX_REQUESTS = 100; // of one account at once: more than the agents that work at once, with some children each

/**
 * Wraps a model so that transient failures are retried. A request is never retried once a block other than thinking is
 * complete, since a call may have started by then: the failure is then thrown unchanged. `owner` is the session, whose
 * models take turns with those of other sessions when an account is at its limit.
 */
export function withRetries(model: Model, options: RetryOptions = {}, owner: object = {}): Model {
  const {
    fallbacks = [],
    maxRetries = 10,
    baseMs = 500,
    idleMs = 300_000,
    answerMs = 3_600_000,
    answerChars = 16_000_000,
    maxRequests = MAX_REQUESTS,
    wait = pause,
    random = Math.random,
  } = options;
  if (fallbacks.length > MAX_FALLBACKS) {
    throw new TypeError(`At most ${MAX_FALLBACKS} models can stand in for another, but there are ${fallbacks.length}.`);
  }
  let hasAnswered = false;
  const accounts = new Map<Model, string | undefined>();
  const limitsOf = (each: Model) => {
    if (!accounts.has(each)) accounts.set(each, each.account?.());
    const account = accounts.get(each);
    return account === undefined ? undefined : limitsOfProcess().of(account);
  };

  return {
    provider: model.provider,
    name: model.name,
    maxOutputTokens: model.maxOutputTokens,
    ...(model.facts && { facts: model.facts }),
    ...(fallbacks.length > 0 && { fallbacks }),
    check() {
      for (const each of [model, ...fallbacks]) each.check?.();
    },

    release() {
      for (const each of [model, ...fallbacks]) each.release?.();
    },

    async *stream(request, signal) {
      const plan = new RetryPlan({ models: [model, ...fallbacks], maxRetries, baseMs, random });
      let isSomethingShown = false; // by a failed attempt
      for (;;) {
        let progress: Progress = 'nothing';
        let failure: ModelFailure;
        const asked = plan.model;
        const entry = limitsOf(asked)?.enter({
          owner,
          provider: asked.provider,
          model: asked.name,
          most: maxRequests || Number.POSITIVE_INFINITY,
        });
        try {
          if (entry?.waitsFor !== undefined) yield { type: 'notice', text: entry.waitsFor };
          await entry?.started(signal);
          for await (const event of watchedStream(asked, request, { idleMs, answerMs, answerChars, signal })) {
            hasAnswered = true;
            entry?.accepted();
            if (isSomethingShown) yield { type: 'restart' };
            isSomethingShown = false;
            progress = furthest(progress, event);
            yield event;
          }
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (progress === 'complete' || !(error instanceof ModelFailure)) throw error;
          failure = error;
        } finally {
          entry?.leave();
        }
        hasAnswered ||= failure.status !== undefined;
        isSomethingShown ||= progress !== 'nothing';
        const retry = plan.after(failure, { hasThought: progress === 'thought', hasAnswered });
        const hold = asksAllToWait(failure, retry)
          ? limitsOf(asked)?.hold(retry.waitMs, {
              owner,
              model: failure.kind === 'overloaded' ? asked.name : undefined,
            })
          : undefined;
        yield { type: 'retry', ...retry };
        if (retry.waitMs > 0) await abortable(() => wait(retry.waitMs, signal), signal);
        hold?.();
      }
    },
  };
}

const limitsOfProcess = (): RequestLimits => ofProcess('requestLimits', () => new RequestLimits());

/** Whether the server has said when it takes requests again: that holds for all sessions of the account. */
const asksAllToWait = ({ kind, retryAfterMs }: ModelFailure, { waitMs }: RetryFacts): boolean =>
  (kind === 'rate_limited' || kind === 'overloaded') && retryAfterMs !== undefined && waitMs > 0;

/** How far a response has come: something was shown, a thought is complete, or another block is complete. */
type Progress = 'nothing' | 'shown' | 'thought' | 'complete';

function furthest(before: Progress, event: ModelEvent): Progress {
  if (before === 'complete') return before;
  switch (event.type) {
    case 'message_start':
    case 'retry':
    case 'notice':
      return before;
    case 'restart':
      return 'nothing';
    case 'call_end':
    case 'message_end':
      return 'complete';
    case 'block':
      return isThought(event.block) ? 'thought' : 'complete';
    default:
      return before === 'nothing' ? 'shown' : before;
  }
}

/** Includes providers' own thinking blocks, which are kept opaque. */
function isThought(block: Extract<ModelEvent, { type: 'block' }>['block']): boolean {
  if (block.type === 'opaque') return /thinking|reasoning/.test(String(block.value['type']));
  return block.type === 'thinking';
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> => delay(milliseconds, undefined, { signal });
