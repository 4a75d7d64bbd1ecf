import { ModelFailure } from '../../contract/model.js';
import type { RetryOptions } from '../../contract/retry-options.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The retry options in the environment. Throws `ModelFailure` for a value that is not a number. */
export function retriesFrom(env: Environment): RetryOptions {
  return {
    ...numberIn(env, 'HELVE_MAX_RETRIES', 'maxRetries'),
    ...numberIn(env, 'HELVE_RETRY_BASE_MS', 'baseMs'),
    ...numberIn(env, 'HELVE_STREAM_IDLE_MS', 'idleMs'),
    ...numberIn(env, 'HELVE_ANSWER_MAX_MS', 'answerMs'),
    ...numberIn(env, 'HELVE_ANSWER_MAX_CHARS', 'answerChars'),
    ...numberIn(env, 'HELVE_MAX_REQUESTS', 'maxRequests'),
  };
}

type NumberOption = 'maxRetries' | 'baseMs' | 'idleMs' | 'answerMs' | 'answerChars' | 'maxRequests';

function numberIn(env: Environment, variable: string, option: NumberOption): RetryOptions {
  const text = env[variable]?.trim();
  if (!text) return {};
  if (/^\d{1,9}$/.test(text)) return { [option]: Number(text) };
  throw new ModelFailure(
    'invalid_request',
    `${variable} is "${text}", which is not a whole number from 0 to 999999999. Set it to one, or leave it out.`,
  );
}
