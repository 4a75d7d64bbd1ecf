// The setting apiKeyHelper: a command that prints the key for Anthropic's API, for keys that expire or are kept in a vault.
import { type Model, ModelFailure } from '../contract/model.js';
import { monotonicMs } from '../platform/clock.js';
import { messageOf } from '../platform/message-of.js';
import { programOutput } from '../platform/shell/program-output.js';

const TIMEOUT_MS = 30_000; // a vault may have to be unlocked
const KEPT_MS = 5 * 60_000; // as other agents keep it; CLAUDE_CODE_API_KEY_HELPER_TTL_MS changes it

type Environment = Readonly<Record<string, string | undefined>>;

/** The only provider that the helper's key is sent to: a key must not reach another company's server. */
export const HELPER_PROVIDER = 'anthropic';
export const HELPER_VARIABLE = 'ANTHROPIC_API_KEY';

export class KeyHelper {
  readonly #command: string;
  readonly #env: Environment;
  #kept: { key: string; until: number } | undefined;
  #running: Promise<string> | undefined;

  constructor(command: string, env: Environment) {
    this.#command = command;
    this.#env = env;
  }

  /** The key, from the last run if that is recent. Throws `ModelFailure`; what the command prints is in no message. */
  async key(signal: AbortSignal): Promise<string> {
    if (this.#kept && monotonicMs() < this.#kept.until) return this.#kept.key;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    const key = await this.#running;
    signal.throwIfAborted();
    return key;
  }

  /** The server has refused the key. */
  forget(key: string): void {
    if (this.#kept?.key === key) this.#kept = undefined;
  }

  async #run(): Promise<string> {
    const key = (await outputOf(this.#command, this.#env)).trim();
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw failed(key === '' ? 'it printed nothing' : 'it printed more than one word, or characters that no key has');
    }
    const kept = Number(this.#env['CLAUDE_CODE_API_KEY_HELPER_TTL_MS'] ?? KEPT_MS);
    this.#kept = { key, until: monotonicMs() + (kept >= 0 ? kept : KEPT_MS) };
    return key;
  }
}

/** The model with a key from the helper. After a refused key, the helper runs once more and the request is sent again. */
export function modelWithHelper(described: Model, helper: KeyHelper, build: (key: string) => Promise<Model>): Model {
  let current: { key: string; model: Model } | undefined;
  const modelFor = async (signal: AbortSignal): Promise<{ key: string; model: Model }> => {
    const key = await helper.key(signal);
    if (current?.key !== key) current = { key, model: await build(key) };
    return current;
  };
  const { provider, name, maxOutputTokens, facts } = described;
  return {
    ...{ provider, name, maxOutputTokens },
    ...(facts && { facts }),
    release: () => current?.model.release?.(),
    async *stream(request, signal) {
      const { key, model } = await modelFor(signal);
      let hasBegun = false;
      try {
        for await (const event of model.stream(request, signal)) {
          hasBegun = true;
          yield event;
        }
        return;
      } catch (error) {
        const isRefused = error instanceof ModelFailure && error.kind === 'auth' && !hasBegun;
        if (!isRefused) throw error;
        helper.forget(key);
      }
      const { model: fresh } = await modelFor(signal);
      yield* fresh.stream(request, signal);
    },
  };
}

async function outputOf(command: string, env: Environment): Promise<string> {
  try {
    // The text is the user's own, as it is written in settings; nothing is inserted into it.
    return await programOutput('bash', ['-c', command], { env, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw failed(messageOf(error), error);
  }
}

const failed = (why: string, cause?: unknown): ModelFailure =>
  new ModelFailure('auth', `The command of "apiKeyHelper" gave no key: ${why}.`, {
    advice: 'Run it in a shell to see what it prints, and correct the setting.',
    cause,
  });
