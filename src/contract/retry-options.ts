import type { Model } from './model.js';

/** How failed requests are retried. */
export interface RetryOptions {
  /** At most three models, each used while the one before is overloaded or unavailable. */
  fallbacks?: readonly Model[];
  /** How often one request is retried. Default 10. */
  maxRetries?: number;
  /** The first wait, in milliseconds; it doubles up to 30 seconds. Default 500. */
  baseMs?: number;
  /** How long the model may be silent, in milliseconds; 0 for no limit. Default 300,000. */
  idleMs?: number;
  /** How long one response may take, in milliseconds; 0 for no limit. Default 3,600,000. */
  answerMs?: number;
  /** How many characters one response may have; 0 for no limit. Default 16,000,000. */
  answerChars?: number;
  /** How many requests with the same key all sessions of the process may have on their way at once. 0 for no limit. Default 100. */
  maxRequests?: number;
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to 1, used as jitter for the waits. */
  random?: () => number;
}
