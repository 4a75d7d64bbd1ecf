// Waits for the end of a sign-in: the browser that comes back to this machine, or an address that the user pasted.
import { timingSafeEqual } from 'node:crypto';
import { AuthProblem } from './auth-problem.js';
import { type CallbackPort, listenForCallback } from './callback-server.js';

const SIGN_IN_MS = 10 * 60_000;

export interface CallbackOptions<Result> {
  port: CallbackPort;
  path: string;
  /** What the authorization server must send back. Undefined for one that sends none: then the path has to be secret. */
  state: string | undefined;
  /** Whether the user may paste the code alone, without the address. */
  takesCode: boolean;
  signal: AbortSignal;
  /** Takes what is needed from the parameters, or throws why the sign-in can't go on. */
  read(parameters: URLSearchParams): Result;
}

export interface PendingCallback<Result> {
  redirectUri: string;
  /** Resolves once the browser is back. Rejects after ten minutes, and with the signal's reason. */
  result(): Promise<Result>;
  /** Takes what the user pasted. Throws if that does not belong to this sign-in. */
  paste(text: string): void;
  close(): void;
}

export async function receiveCallback<Result>(options: CallbackOptions<Result>): Promise<PendingCallback<Result>> {
  const { port, path, state, takesCode, signal, read } = options;
  const received = Promise.withResolvers<Result>();
  received.promise.catch(() => {}); // it may be refused before it is awaited
  let isOpen = true;
  const take = (parameters: URLSearchParams, isComplete: boolean): 'accepted' | 'refused' => {
    // A callback counts once, so a code that is sent again goes nowhere.
    if (!isOpen) return 'refused';
    if (isComplete && state !== undefined && !isSame(parameters.get('state') ?? '', state)) return 'refused';
    isOpen = false;
    try {
      received.resolve(read(parameters));
    } catch (error) {
      received.reject(error);
    }
    return 'accepted';
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SIGN_IN_MS)]);
  const server = await listenForCallback(port, path, (parameters) => take(parameters, true));
  const aborted = (): void => received.reject(limit.reason);
  limit.addEventListener('abort', aborted);
  if (limit.aborted) aborted();
  return {
    redirectUri: server.redirectUri,
    async result() {
      try {
        return await received.promise;
      } catch (error) {
        signal.throwIfAborted();
        if (!limit.aborted) throw error;
        throw new AuthProblem(
          `The sign-in was not completed within ${SIGN_IN_MS / 60_000} minutes, so Helve stopped waiting.`,
        );
      }
    },
    paste(text) {
      const problem = pasted(text.trim());
      if (problem !== undefined) throw new AuthProblem(`${problem} Helve still waits for the right one.`);
    },
    close() {
      isOpen = false;
      limit.removeEventListener('abort', aborted);
      server.close();
    },
  };

  /** Takes the address that the browser ended at, or the code in it. Returns what is wrong with it. */
  function pasted(text: string): string | undefined {
    const address = URL.parse(text);
    if (address) {
      if (state === undefined && address.pathname !== path) return 'The pasted address belongs to another sign-in.';
      if (take(address.searchParams, true) === 'accepted') return undefined;
      return 'The pasted address belongs to another sign-in: its state is not the one that Helve sent.';
    }
    if (!takesCode) return 'What was pasted is not an address. Paste the whole address of the page.';
    if (!/^[\x21-\x7e]+$/.test(text)) return 'What was pasted is neither an address nor a code.';
    take(new URLSearchParams({ code: text }), false);
    return undefined;
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
