// Since the revision of 2026-07-28, MCP servers can't send requests: a call that must ask is answered with the
// question, and the client sends the call again with the answer. The call itself waits meanwhile, and runs once.
import { randomId } from '../../platform/crypto.js';
import type { ServedConnection } from './serve-connection.js';
import type { ServedCall, ServedResult } from './serve-port.js';
import type { FormAnswer, QuestionForm } from './serve-questions.js';

const ANSWER_WITHIN_MS = 60 * 60 * 1000; // the user may be away for a while; a client that is gone never answers

/** The end of a round: the call's result, or a question and the key under which its answer is expected. */
export type RoundEnd = { result: ServedResult } | { form: QuestionForm; state: string };

export class CallRounds {
  readonly #connection: ServedConnection;
  readonly #waiting = new Map<string, WaitingCall>();

  constructor(connection: ServedConnection) {
    this.#connection = connection;
  }

  async begin(call: ServedCall, { canAsk }: { canAsk: boolean }): Promise<RoundEnd> {
    const carried = new CarriedCall(call, (own) => this.#connection.run(own, { canAsk }));
    return await this.#next(carried, call);
  }

  /** Undefined if no call waits under that key. The original call continues, whatever the new request contains. */
  async goOn(
    state: string,
    answer: FormAnswer,
    round: Pick<ServedCall, 'signal' | 'onProgress'>,
  ): Promise<RoundEnd | undefined> {
    const waiting = this.#waiting.get(state);
    if (!waiting) return undefined;
    this.#waiting.delete(state);
    clearTimeout(waiting.timer);
    waiting.answer(answer);
    return await this.#next(waiting.call, round);
  }

  async #next(call: CarriedCall, round: Pick<ServedCall, 'signal' | 'onProgress'>): Promise<RoundEnd> {
    const end = await call.round(round);
    if ('result' in end) return end;
    const state = randomId();
    const timer = setTimeout(() => {
      this.#waiting.delete(state);
      call.abort(new Error('The question was not answered.'));
    }, ANSWER_WITHIN_MS);
    timer.unref();
    this.#waiting.set(state, { call, answer: end.answer, timer });
    return { form: end.form, state };
  }
}

interface WaitingCall {
  call: CarriedCall;
  answer(answer: FormAnswer): void;
  timer: NodeJS.Timeout;
}

interface AskedQuestion {
  form: QuestionForm;
  answer(answer: FormAnswer): void;
}

/** One call across several requests: each can cancel it, and receives its progress meanwhile. */
class CarriedCall {
  readonly #controller = new AbortController();
  readonly #result: Promise<{ result: ServedResult }>;
  #asked = Promise.withResolvers<AskedQuestion>();
  #onProgress: ServedCall['onProgress'] = () => {};

  constructor(call: ServedCall, run: (call: Parameters<ServedConnection['run']>[0]) => Promise<ServedResult>) {
    const own = {
      ...call,
      signal: this.#controller.signal,
      onProgress: (text: string) => this.#onProgress(text),
      ask: (form: QuestionForm) => this.#ask(form),
    };
    this.#result = run(own).then((result) => ({ result }));
    this.#result.catch(() => {}); // awaited by the request that carries the call
  }

  async round({
    signal,
    onProgress,
  }: Pick<ServedCall, 'signal' | 'onProgress'>): Promise<{ result: ServedResult } | AskedQuestion> {
    this.#onProgress = onProgress;
    const cancel = () => this.abort(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      return await Promise.race([this.#result, this.#asked.promise]);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#onProgress = () => {};
    }
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  #ask(form: QuestionForm): Promise<FormAnswer> {
    const { promise, resolve } = Promise.withResolvers<FormAnswer>();
    const answer = (given: FormAnswer): void => {
      this.#asked = Promise.withResolvers<AskedQuestion>();
      resolve(given);
    };
    this.#asked.resolve({ form, answer });
    return promise;
  }
}
