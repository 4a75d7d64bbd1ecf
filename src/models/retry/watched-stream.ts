import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from '../../contract/model.js';
import { charsOf } from './event-chars.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1; // setTimeout fires at once for longer delays

/** A response that stopped arriving although the connection is still open. */
export class SilentStream extends ModelFailure {
  constructor(model: string, idleMs: number) {
    const sentence = `Nothing came from ${model} for ${idleMs / 1000} s, so the request was broken off. If it needs longer, set HELVE_STREAM_IDLE_MS to more milliseconds.`;
    super('broken_stream', sentence);
  }
}

/** A response that exceeds the limit of time or length. Not retried: the next one would be the same. */
export class EndlessAnswer extends ModelFailure {
  constructor(model: string, limit: string, variable: string) {
    const sentence = `The answer of ${model} was broken off after ${limit}, the most that one answer may have. If it needs more, set ${variable} to a higher number.`;
    super('broken_stream', sentence, { transient: false });
  }
}

export interface Watch {
  /** How long one response may take, in milliseconds; 0 for no limit. */
  answerMs: number;
  /** How many characters one response may have; 0 for no limit. */
  answerChars: number;
  /** How long the model may be silent; 0 for no limit. */
  idleMs: number;
  signal: AbortSignal;
}

/**
 * One request to the model that fails at once when it is silent for too long or the signal aborts, even if the model
 * ignores the signal. Only time spent waiting for the model counts, not what the consumer does between two events.
 */
export async function* watchedStream(
  model: Model,
  request: ModelRequest,
  { idleMs, answerMs, answerChars, signal }: Watch,
): AsyncGenerator<ModelEvent, void, void> {
  signal.throwIfAborted();
  const attempt = new AbortController();
  let awaited: PromiseWithResolvers<IteratorResult<ModelEvent>> | undefined;
  attempt.signal.addEventListener('abort', () => awaited?.reject(attempt.signal.reason), { once: true });
  const onAbort = () => attempt.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = idleMs > 0 ? setTimeout(onSilence, Math.min(idleMs, LONGEST_TIMER_MS)) : undefined;

  const onTimeUp = (): void =>
    attempt.abort(new EndlessAnswer(model.name, `${answerMs / 1000} s`, 'HELVE_ANSWER_MAX_MS'));
  const limit = answerMs > 0 ? setTimeout(onTimeUp, Math.min(answerMs, LONGEST_TIMER_MS)) : undefined;
  let chars = 0;

  function onSilence(): void {
    const silent = awaited;
    // If this process was busy, data may be waiting in the socket: it is read before an immediate runs.
    setImmediate(() => {
      if (silent && awaited === silent) attempt.abort(new SilentStream(model.name, idleMs));
    });
  }

  let events: AsyncIterator<ModelEvent> | undefined;
  try {
    events = model.stream(request, attempt.signal)[Symbol.asyncIterator]();
    for (;;) {
      attempt.signal.throwIfAborted();
      awaited = Promise.withResolvers();
      timer?.refresh();
      events.next().then(awaited.resolve, awaited.reject);
      const { done, value } = await awaited.promise;
      awaited = undefined;
      if (done) return;
      chars += charsOf(value);
      if (answerChars > 0 && chars > answerChars) {
        attempt.abort(new EndlessAnswer(model.name, `${answerChars} characters`, 'HELVE_ANSWER_MAX_CHARS'));
        continue;
      }
      yield value;
    }
  } finally {
    awaited = undefined;
    clearTimeout(timer);
    clearTimeout(limit);
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a model may ignore the abort, and errors from closing it don't matter.
    const closing = events?.return?.()?.catch(() => undefined);
    if (!attempt.signal.aborted) await closing;
  }
}
