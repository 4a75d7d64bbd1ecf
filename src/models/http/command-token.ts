import { ModelFailure } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import { programOutput } from '../../platform/shell/program-output.js';
import type { Authorization } from './authorization.js';
import { keptUntilExpiry } from './kept-until-expiry.js';

const TIMEOUT_MS = 30_000; // a vault may have to be unlocked
const KEPT_MS = 5 * 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Authorises requests with what a command prints, as a bearer token. It runs again after some minutes, and if the token was refused. */
export function commandToken(
  [program = '', ...args]: readonly string[],
  place: string,
  env: Environment,
  now: () => number = Date.now,
): Authorization {
  const failed = (why: string, cause?: unknown): ModelFailure =>
    new ModelFailure('auth', `The command in ${place} gave no key: ${why}.`, {
      advice: 'Run it in a shell to see what it prints.',
      about: 'key',
      cause,
    });
  const token = keptUntilExpiry(async () => {
    const output = await programOutput(program, args, { env, timeoutMs: TIMEOUT_MS }).catch((error: unknown) => {
      throw failed(messageOf(error), error);
    });
    const value = output.trim();
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw failed(
        value === '' ? 'it printed nothing' : 'it printed more than one word, or characters that no key has',
      );
    }
    return { value, expiresAt: now() + KEPT_MS };
  }, now);
  return {
    async headersFor(_, signal) {
      const value = await token.get();
      signal.throwIfAborted();
      return { authorization: `Bearer ${value}` };
    },
    mayRetry({ status }) {
      if (status === 401) token.forget();
      return status === 401;
    },
  };
}
