// Asks the client. A client that has never answered and lets one question pass its limit is not waited for again: a
// program without a person would otherwise hold up every call for as long.

import { RpcError } from './json-rpc.js';
import { fieldsOf } from './read-params.js';

/** Why there was no answer; for the model and the person. */
export class NoClientAnswer extends Error {
  override readonly name = 'NoClientAnswer';
}

export interface ClientQuestionsOptions {
  /** How long the client may take for an answer; undefined for any time. */
  limitMs: number | undefined;
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}

export class ClientQuestions {
  readonly #options: ClientQuestionsOptions;
  #hasAnswered = false;
  #isSilent = false;

  constructor(options: ClientQuestionsOptions) {
    this.#options = options;
  }

  /** An answer came after its question was given up: the client answers after all. */
  lateAnswer(result: unknown): void {
    if (fieldsOf(fieldsOf(result)['outcome'])['outcome'] === 'selected') this.#hasAnswered = true;
  }

  /** Rejects with `NoClientAnswer` if there is none, and with the signal's reason if it aborts. */
  async ask(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const { limitMs, request } = this.#options;
    if (this.#isSilent && !this.#hasAnswered) throw new NoClientAnswer(NEVER_ANSWERS);
    const limit = new AbortController();
    const timer = limitMs === undefined ? undefined : setTimeout(() => limit.abort(), limitMs);
    try {
      const answer = await request(method, params, AbortSignal.any([signal, limit.signal]));
      this.#hasAnswered = true;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (limit.signal.aborted) {
        this.#isSilent = true;
        throw new NoClientAnswer(unanswered(limitMs ?? 0));
      }
      if (error instanceof RpcError) {
        throw new NoClientAnswer(`the client refused the question (${method}: ${error.message})`, { cause: error });
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

const HOW = 'Allow such calls by rules in settings, choose another mode, or raise --answer-timeout';

const NEVER_ANSWERS = `the client has answered no question so far and let one pass its time limit, so it is not asked again. ${HOW}`;

const unanswered = (limitMs: number): string => `the client did not answer within ${limitMs / 1_000} s. ${HOW}`;
