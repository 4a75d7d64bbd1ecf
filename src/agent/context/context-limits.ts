import type { ContextOptions } from '../../contract/context.js';
import { type Model, ModelFailure } from '../../contract/model.js';

const UNKNOWN_WINDOW = 128_000; // the size for most models; a smaller window is learned when the provider refuses a request
const MAX_ANSWER_SHARE = 1 / 4; // of the window, the most that is reserved for an answer
const DEFAULT_PERCENT = 92; // estimates are a few percent off, and the next answer is part of the next request
const PLAUSIBLE_SHARE = 1 / 2; // of a known limit: a refusal of less than this is more likely a fault of the server
const LEAST_ROOM_SHARE = 1 / 10; // the least room, even if tools and system prompt fill the window

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the options of the context from the environment. Throws `ModelFailure` for an invalid value. */
export function contextFrom(env: Environment): ContextOptions {
  const windowTokens = numberIn(env, 'HELVE_CONTEXT_TOKENS', { least: 1_000, most: 999_999_999 });
  const compactAtPercent = numberIn(env, 'HELVE_AUTO_COMPACT_PCT', { least: 0, most: 100 });
  return {
    ...(windowTokens !== undefined && { windowTokens }),
    ...(compactAtPercent !== undefined && { compactAtPercent }),
  };
}

function numberIn(
  env: Environment,
  variable: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = env[variable]?.trim();
  if (!text) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new ModelFailure(
    'invalid_request',
    `${variable} is "${text}", which is not a whole number from ${least} to ${most}. Set it to one, or leave it out.`,
  );
}

/** The known limits of a request, in tokens. */
export class ContextLimits {
  /** Tokens that fit into a request and its answer together. */
  readonly window: number;
  readonly #percent: number;
  readonly #isKnown: boolean;
  readonly #assumed: number;
  #limit: number;
  /** The largest request that was answered. */
  #accepted = 0;
  /** A refusal that did not fit the known window, and whether requests were answered after it. */
  #doubted: { isAnsweredSince: boolean } | undefined;

  constructor(
    { facts, maxOutputTokens }: Pick<Model, 'facts' | 'maxOutputTokens'>,
    { windowTokens, compactAtPercent = DEFAULT_PERCENT }: ContextOptions,
  ) {
    this.window = windowTokens ?? facts?.contextTokens ?? UNKNOWN_WINDOW;
    this.#percent = compactAtPercent;
    this.#isKnown = windowTokens !== undefined || facts?.contextTokens !== undefined;
    this.#assumed = Math.floor(this.window - Math.min(maxOutputTokens, this.window * MAX_ANSWER_SHARE));
    this.#limit = this.#assumed;
  }

  /** Tokens that a request may have. */
  get limit(): number {
    return this.#limit;
  }

  /** Tokens above which room is made; undefined if automatic compaction is off. */
  get threshold(): number | undefined {
    return this.#percent === 0 ? undefined : Math.floor((this.#limit * this.#percent) / 100);
  }

  /** Tokens for the conversation, without the fixed part of every request. */
  room(fixed: number): number {
    return Math.max(this.#limit - fixed, this.#limit * LEAST_ROOM_SHARE);
  }

  /** To be called when a request of about this many tokens was answered. */
  answered(tokens: number): void {
    this.#accepted = Math.max(this.#accepted, tokens);
    if (this.#doubted) this.#doubted.isAnsweredSince = true;
  }

  /**
   * To be called when the provider has refused a request of about this many tokens: the window is smaller than assumed. Of
   * these, `fixed` are part of every request, so the limit is reduced by at most half of the others, and never below a
   * request that was answered. A refusal far below a known window counts only if it happens again later. Returns
   * whether it counts.
   */
  refused(tokens: number, fixed: number): boolean {
    const isFirst = this.#limit === this.#assumed;
    const isOdd = this.#isKnown && isFirst && tokens < this.#assumed * PLAUSIBLE_SHARE;
    if (isOdd && !this.#doubted?.isAnsweredSince) {
      this.#doubted = { isAnsweredSince: false };
      return false;
    }
    const smaller = Math.max(tokens * 0.9, fixed + (tokens - fixed) / 2, this.#accepted);
    this.#limit = Math.min(this.#limit, Math.max(1, Math.floor(smaller)));
    return true;
  }

  /** Forgets what refusals have said, so that the next prompt tries again. */
  reset(): void {
    this.#limit = this.#assumed;
    this.#doubted = undefined;
  }
}
