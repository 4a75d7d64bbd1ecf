import { setTimeout as delay } from 'node:timers/promises';
import { type Model, type ModelEvent, ModelFailure, type RetryFacts, type Usage } from '../../contract/model.js';
import type { RetryOptions } from '../../contract/retry-options.js';
import { abortable } from '../../platform/abortable.js';
import { ofProcess } from '../../platform/of-process.js';
import { RequestLimits } from './request-limits.js';
import { RetryPlan } from './retry-plan.js';
import { UsageSoFar } from './usage-so-far.js';
import { watchedStream } from './watched-stream.js';

export const MAX_FALLBACKS = 3;
const MAX_REQUESTS = 100; // of one account at once: more than the agents that work at once, with some children each

/**
 * Wraps a model so that transient failures are retried, wherever in the answer they come. Only after a complete call the
 * failure is thrown unchanged, since the call may have started: the caller sends its result in a request that `continues`
 * the failure, and that request is the next retry, with the wait and the number that it would have had here. `owner` is
 * the session, whose models take turns with those of other sessions when an account is at its limit.
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
  /** Of broken answers that a request may continue. */
  const broken = new WeakMap<ModelFailure, NextTry>();
  const accounts = new Map<Model, string | undefined>();
  const limitsOf = (each: Model) => {
    if (!accounts.has(each)) accounts.set(each, each.account?.());
    const account = accounts.get(each);
    return account === undefined ? undefined : limitsOfProcess().of(account);
  };
  /** Throws the failure if there is no other try. */
  const nextTry = (failure: ModelFailure, plan: RetryPlan): NextTry => {
    const failed = plan.model;
    const retry = plan.after(failure, { hasAnswered });
    if (!asksAllToWait(failure, retry)) return { plan, retry };
    const hold = { owner, model: failure.kind === 'overloaded' ? failed.name : undefined };
    return { plan, retry, endHold: limitsOf(failed)?.hold(retry.waitMs, hold) };
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
      const { continues } = request;
      let next = continues && broken.get(continues);
      const plan = next?.plan ?? new RetryPlan({ models: [model, ...fallbacks], maxRetries, baseMs, random });
      if (continues) next ??= nextTry(continues, plan);
      let isSomethingShown = false; // by a failed attempt
      let used: Usage | undefined; // by the last attempt
      for (;;) {
        if (next) {
          const { retry, endHold } = next;
          yield { type: 'retry', ...retry, ...(used && { usage: used }) };
          if (retry.waitMs > 0) await abortable(() => wait(retry.waitMs, signal), signal);
          endHold?.();
        }
        const usage = new UsageSoFar();
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
            usage.take(event);
            progress = furthest(progress, event);
            yield event;
          }
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ModelFailure)) throw error;
          failure = error;
        } finally {
          entry?.leave();
        }
        hasAnswered ||= failure.status !== undefined;
        isSomethingShown ||= progress !== 'nothing';
        used = usage.usage;
        next = nextTry(failure, plan);
        if (progress !== 'called') continue;
        broken.set(failure, next); // the request that continues the answer is the next try
        throw failure;
      }
    },
  };
}

interface NextTry {
  plan: RetryPlan;
  retry: RetryFacts;
  /** Lets other sessions go on. */
  endHold?: (() => void) | undefined;
}

const limitsOfProcess = (): RequestLimits => ofProcess('requestLimits', () => new RequestLimits());

/** Whether the server has said when it takes requests again: that holds for all sessions of the account. */
const asksAllToWait = ({ kind, retryAfterMs }: ModelFailure, { waitMs }: RetryFacts): boolean =>
  (kind === 'rate_limited' || kind === 'overloaded') && retryAfterMs !== undefined && waitMs > 0;

/** How far a response has come: something was shown, or a call was complete, or all of it. */
type Progress = 'nothing' | 'shown' | 'called';

function furthest(before: Progress, event: ModelEvent): Progress {
  if (before === 'called') return before;
  switch (event.type) {
    case 'message_start':
    case 'retry':
    case 'notice':
      return before;
    case 'restart':
      return 'nothing';
    case 'call_end':
    case 'message_end':
      return 'called';
    default:
      return 'shown';
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> => delay(milliseconds, undefined, { signal });
