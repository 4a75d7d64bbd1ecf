import { type Model, ModelFailure, type RetryFacts } from '../../contract/model.js';
import { errorCode } from '../../platform/web/network-reason.js';
import { SilentStream } from './watched-stream.js';

const LONGEST_BACKOFF_MS = 30_000;
const LONGEST_ASKED_WAIT_MS = 5 * 60_000; // for longer waits, failing at once is better than leaving the user waiting
const MAX_RETRIES_WITHOUT_SERVER = 2; // a server that never answered is probably not running, rather than restarting
const MAX_SILENCES = 1; // not counted as retries, and limited to this: each has already cost the user minutes
const MAX_UNAVAILABLE = 3; // in a row, before a fallback model is used

export interface RetryPlanOptions {
  /** The model, followed by its fallbacks. */
  models: readonly [Model, ...Model[]];
  maxRetries: number;
  baseMs: number;
  random(): number;
}

interface NextAttempt {
  waitMs: number;
  reason: string;
  /** How many retries are left after this one if each fails in the same way. */
  left: number;
}

/**
 * Decides what to do after each failure of one request, and of those that continue its broken answer. The caller waits
 * and sends.
 */
export class RetryPlan {
  readonly #options: RetryPlanOptions;
  #model = 0;
  #retries = 0;
  #silences = 0;
  /** Consecutive failures that were the model's fault. */
  #unavailable = 0;
  /** How often the wait has doubled. */
  #doublings = 0;

  constructor(options: RetryPlanOptions) {
    this.#options = options;
  }

  get model(): Model {
    return this.#options.models[this.#model] ?? this.#options.models[0];
  }

  /** The next attempt; throws the failure if there is none. `hasAnswered`: any server, ever in this conversation. */
  after(failure: ModelFailure, { hasAnswered }: { hasAnswered: boolean }): RetryFacts {
    if (!isTransient(failure)) throw failure;
    if (failure instanceof SilentStream) return this.#afterSilence(failure);

    this.#unavailable = isUnavailable(failure) ? this.#unavailable + 1 : 0;
    if (this.#retries >= this.#options.maxRetries) throw this.#givenUp(failure);
    const patience = Math.min(MAX_UNAVAILABLE, this.#options.maxRetries);
    const asksTooMuch = (failure.retryAfterMs ?? 0) > LONGEST_ASKED_WAIT_MS;
    if (this.#unavailable >= patience || (this.#unavailable > 0 && asksTooMuch)) {
      const retry = this.#askAnother(failure);
      if (retry) return retry;
    }
    if (asksTooMuch) {
      throw this.#givenUp(failure, `That is more than the ${LONGEST_ASKED_WAIT_MS / 60_000} min that a run waits.`);
    }
    const left = this.#retriesLeft(failure, hasAnswered);
    if (left <= 0) throw this.#givenUp(failure);
    const waitMs = Math.round(Math.max(this.#backoff(), failure.retryAfterMs ?? 0));
    this.#retries += 1;
    this.#doublings += 1;
    return this.#retry(failure, { waitMs, reason: failure.problem, left: left - 1 });
  }

  /** How many retries are left if each fails like this one. */
  #retriesLeft({ cause }: ModelFailure, hasAnswered: boolean): number {
    const isWithoutServer = !hasAnswered && (isOnLoopback(cause) || errorCode(cause) === 'ENOTFOUND');
    return Math.min(
      this.#options.maxRetries - this.#retries,
      isWithoutServer ? MAX_RETRIES_WITHOUT_SERVER - this.#retries : Number.POSITIVE_INFINITY,
    );
  }

  #afterSilence(failure: SilentStream): RetryFacts {
    if (this.#silences >= MAX_SILENCES || this.#options.maxRetries === 0) throw this.#givenUp(failure);
    this.#silences += 1;
    this.#unavailable = 0;
    return this.#retry(failure, { waitMs: 0, reason: failure.problem, left: MAX_SILENCES - this.#silences });
  }

  #askAnother(failure: ModelFailure): RetryFacts | undefined {
    if (this.#model + 1 >= this.#options.models.length) return undefined;
    const before = this.model;
    this.#model += 1;
    this.#retries += 1;
    this.#unavailable = 0;
    this.#doublings = 0;
    const [next, last] = distinctNames(this.model, before);
    const reason = `${failure.problem} Using ${next} instead of ${last} for now.`;
    return this.#retry(failure, { waitMs: 0, reason, left: this.#options.maxRetries - this.#retries });
  }

  #retry({ status }: ModelFailure, { waitMs, reason, left }: NextAttempt): RetryFacts {
    const attempt = this.#retries + this.#silences;
    const maxRetries = attempt + left;
    const { provider, name: model } = this.model;
    return { attempt, maxRetries, waitMs, reason, ...(status !== undefined && { status }), provider, model };
  }

  #backoff(): number {
    const { baseMs, random } = this.#options;
    const jitter = 0.75 + random() / 2; // spreads out clients that were refused at the same moment
    return Math.min(baseMs * 2 ** this.#doublings, LONGEST_BACKOFF_MS) * jitter;
  }

  #givenUp(failure: ModelFailure, advice = ''): ModelFailure {
    const tries = this.#retries + this.#silences + 1;
    const tried = tries > 1 ? `It was tried ${tries} times.` : '';
    const { kind, about, status, retryAfterMs, problem, message } = failure;
    const given = message.slice(problem.length).trim();
    const rest = [tried, given, advice].filter(Boolean).join(' ');
    return new ModelFailure(kind, problem, {
      advice: rest,
      about,
      status,
      retryAfterMs,
      transient: false,
      cause: failure,
    });
  }
}

/** Names that distinguish two models. */
function distinctNames(...models: [Model, Model]): string[] {
  const isOneName = models[0].name === models[1].name;
  return models.map(({ provider, name }) => (isOneName ? `${provider}/${name}` : name));
}

function isTransient({ transient, kind, status, cause }: ModelFailure): boolean {
  if (transient !== undefined) return transient;
  if (kind === 'unreachable') return status === undefined && TRANSIENT_CODES.has(errorCode(cause) ?? '');
  return kind === 'rate_limited' || kind === 'overloaded' || kind === 'server_error' || kind === 'broken_stream';
}

/** Transient network errors. A wrong certificate, address or page stays wrong. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Whether a fallback model may help. It would not for a rate limit, a timeout or a conflict. */
function isUnavailable({ kind, status }: ModelFailure): boolean {
  return kind === 'overloaded' || (kind === 'server_error' && status !== 408 && status !== 409);
}

/** Whether the address that could not be reached is on this machine. */
function isOnLoopback(error: unknown): boolean {
  return errorsBehind(error).some(
    (inner) =>
      'address' in inner && typeof inner.address === 'string' && /^(127\.|::1$|::ffff:127\.)/.test(inner.address),
  );
}

/** The error, its causes, and the errors of each address that was tried. */
function* errorsBehind(error: unknown): Generator<Error, void, void> {
  if (!(error instanceof Error)) return;
  yield error;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* errorsBehind(inner);
  yield* errorsBehind(error.cause);
}
