// Since the revision of 2026-07-28, MCP servers can't send requests: a request that must ask the client is answered with
// the question, and the client sends it again with the answer. The work itself waits meanwhile, and runs once.
import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { abortable } from '../../platform/abortable.js';
import { randomId } from '../../platform/crypto.js';
import { answersTo, type InputRequests, type InputResponses, missingCapabilities } from './client-requests.js';
import type { AskClient, RequestingClient, ServedConnection } from './serve-connection.js';

const ANSWER_WITHIN_MS = 60 * 60 * 1000; // the user may be away for a while; a client that is gone never answers
const MAX_WAITING = 64; // each is work that has begun, and holds its input

/** What a request needs; it may ask the client on the way. */
export type Work<Result> = (round: Pick<Round, 'signal' | 'onProgress'>) => Promise<Result>;

/** One request of the client, the first for some work or a later one with answers. */
export interface Round {
  capabilities: unknown;
  signal: AbortSignal;
  onProgress(text: string): void;
  responses: InputResponses | undefined;
}

/** The end of a round: the result, or requests to the client and the key under which their answers are expected. */
export type RoundEnd = { result: unknown } | { requests: InputRequests; state: string };

export class CallRounds {
  readonly #connection: ServedConnection;
  readonly #maxWaiting: number;
  /** The longest waiting first. */
  readonly #waiting = new Map<string, WaitingCall>();

  constructor(connection: ServedConnection, { maxWaiting = MAX_WAITING } = {}) {
    this.#connection = connection;
    this.#maxWaiting = maxWaiting;
  }

  /** `subject` names the request. Answers can continue only work that was begun for the same subject. */
  async begin(subject: string, work: Work<unknown>, round: Round): Promise<RoundEnd> {
    return await this.#next(new CarriedCall(subject, work, this.#connection, round.responses), round);
  }

  /** The original work continues, whatever the new request contains. Without all answers, it asks again. */
  async goOn(subject: string, state: string, round: Round): Promise<RoundEnd> {
    const waiting = this.#waiting.get(state);
    if (!waiting || waiting.call.subject !== subject) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'No call waits for this answer: it was answered, cancelled or abandoned before. Send the call again.',
      );
    }
    const { requests } = waiting.question;
    const answers = answersTo(requests, round.responses);
    if (!answers) return { requests, state };
    this.#waiting.delete(state);
    clearTimeout(waiting.timer);
    waiting.question.answer(answers);
    return await this.#next(waiting.call, round);
  }

  async #next(call: CarriedCall, round: Round): Promise<RoundEnd> {
    const end = await call.round(round);
    if ('result' in end) return end;
    const state = randomId();
    const timer = setTimeout(() => this.#abandon(state, 'The question was not answered.'), ANSWER_WITHIN_MS);
    timer.unref();
    this.#waiting.set(state, { call, question: end, timer });
    const [longest] = this.#waiting.keys();
    if (this.#waiting.size > this.#maxWaiting && longest !== undefined) {
      this.#abandon(longest, `More than ${this.#maxWaiting} calls wait for answers, and this one had waited longest.`);
    }
    return { requests: end.requests, state };
  }

  #abandon(state: string, why: string): void {
    const waiting = this.#waiting.get(state);
    this.#waiting.delete(state);
    clearTimeout(waiting?.timer);
    waiting?.call.abort(new Error(why));
  }
}

interface WaitingCall {
  call: CarriedCall;
  question: AskedQuestion;
  timer: NodeJS.Timeout;
}

interface AskedQuestion {
  requests: InputRequests;
  answer(answers: InputResponses): void;
}

/** Work across several requests: each can cancel it, and receives its progress meanwhile. */
class CarriedCall {
  readonly subject: string;
  readonly #controller = new AbortController();
  readonly #result: Promise<{ result: unknown }>;
  #asked = Promise.withResolvers<AskedQuestion>();
  #onProgress: Round['onProgress'] = () => {};
  #capabilities: unknown;
  /** Answers that came with the first request, for the first question. */
  #early: InputResponses | undefined;
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(subject: string, work: Work<unknown>, connection: ServedConnection, early: InputResponses | undefined) {
    this.subject = subject;
    this.#early = early;
    const own = this;
    const client: RequestingClient = {
      get capabilities() {
        return own.#capabilities;
      },
      ask: (requests, asking, options) => this.#ask(requests, asking, options),
    };
    const { signal } = this.#controller;
    // Starts with the first round, whose capabilities it needs.
    this.#result = Promise.resolve()
      .then(() =>
        connection.run((either) => work({ signal: either, onProgress: (text) => this.#onProgress(text) }), {
          client,
          signal,
        }),
      )
      .then((result) => ({ result }));
    this.#result.catch(() => {}); // awaited by the request that carries the call
  }

  async round({ capabilities, signal, onProgress }: Round): Promise<{ result: unknown } | AskedQuestion> {
    this.#capabilities = capabilities;
    this.#onProgress = onProgress;
    const cancel = () => this.abort(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const end = await Promise.race([this.#result, this.#asked.promise]);
      if ('requests' in end) this.#requireSupport(end.requests);
      return end;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#onProgress = () => {};
    }
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  #requireSupport(requests: InputRequests): void {
    const requiredCapabilities = missingCapabilities(requests, this.#capabilities);
    if (!requiredCapabilities) return;
    const error = new MissingRequiredClientCapabilityError(
      { requiredCapabilities },
      'This request needs something of the client that it has not declared among its capabilities.',
    );
    this.abort(error);
    throw error;
  }

  /** Questions that are asked at the same time are sent one after another. */
  #ask(...question: Parameters<AskClient>): Promise<InputResponses> {
    const answered = this.#lastQuestion.then(() => this.#askNow(...question));
    this.#lastQuestion = answered.catch(() => {});
    return answered;
  }

  async #askNow(...[requests, signal, options]: Parameters<AskClient>): Promise<InputResponses> {
    const early = options?.mayBeAnswered ? answersTo(requests, this.#early) : undefined;
    this.#early = undefined;
    if (early) return early;
    const { promise, resolve } = Promise.withResolvers<InputResponses>();
    const asked = this.#asked;
    const withdraw = (): void => {
      if (this.#asked === asked) this.#asked = Promise.withResolvers<AskedQuestion>();
    };
    const answer = (answers: InputResponses): void => {
      withdraw(); // at once, since the next round waits for the next question
      resolve(answers);
    };
    asked.resolve({ requests, answer });
    try {
      return await abortable(() => promise, signal);
    } finally {
      withdraw();
    }
  }
}
