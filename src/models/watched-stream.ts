import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from '../contract/model.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1; // a timer that is set for longer fires at once

/** A request whose answer stopped coming although nobody broke it off. */
export class SilentStream extends ModelFailure {
  constructor(model: string, idleMs: number) {
    const sentence = `Nothing came from ${model} for ${idleMs / 1000} s, so the request was broken off. If it needs longer, set HELVE_STREAM_IDLE_MS to more milliseconds.`;
    super('broken_stream', sentence);
  }
}

export interface Watch {
  /** How long the model may be silent; 0 for as long as it likes. */
  idleMs: number;
  signal: AbortSignal;
}

/**
 * One request to the model that ends when it is silent for too long or the signal aborts, at once and whether or not
 * the model takes notice. Only the time that we wait for it counts, not what the reader does between two events.
 */
export async function* watchedStream(
  model: Model,
  request: ModelRequest,
  { idleMs, signal }: Watch,
): AsyncGenerator<ModelEvent, void, void> {
  signal.throwIfAborted();
  const attempt = new AbortController();
  let awaited: PromiseWithResolvers<IteratorResult<ModelEvent>> | undefined;
  attempt.signal.addEventListener('abort', () => awaited?.reject(attempt.signal.reason), { once: true });
  const onAbort = () => attempt.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = idleMs > 0 ? setTimeout(onSilence, Math.min(idleMs, LONGEST_TIMER_MS)) : undefined;

  function onSilence(): void {
    const silent = awaited;
    // Where our own process was busy, the answer may lie in the socket: it is read before an immediate runs.
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
      yield value;
    }
  } finally {
    awaited = undefined;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // A model that does not take notice of the abort is not waited for, and what it says about its end is of no interest.
    const closing = events?.return?.()?.catch(() => undefined);
    if (!attempt.signal.aborted) await closing;
  }
}
