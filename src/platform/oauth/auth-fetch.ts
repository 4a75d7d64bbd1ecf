// fetch for requests of a sign-in: bounded in time and size, to confirmed hosts only, never redirected to another one.
import { clause } from '../text/clause.js';
import { plainLine } from '../text/plain-text.js';
import { errorCode, networkReason } from '../web/network-reason.js';
import { AuthProblem } from './auth-problem.js';

const MAX_BYTES = 512 * 1024; // metadata have a few KB
const TIMEOUT_MS = 15_000;

export type AuthFetch = (what: string) => (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Throws if no request may go there. */
export type ConfirmHost = (address: URL, what: string) => Promise<void> | void;

/** A fetch for each purpose; `what` names the address in messages, for example "The token endpoint". */
export function authFetch(confirm: ConfirmHost, signal: AbortSignal): AuthFetch {
  return (what) => async (url, init) => {
    const address = new URL(url);
    await confirm(address, what);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    let response: Response;
    try {
      response = await fetch(address, { ...init, redirect: 'manual', signal: limit });
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(what, address, limit.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(error));
    }
    refuseForeignRedirect(what, address, response);
    if (response.status >= 500 || response.status === 429) {
      await response.body?.cancel();
      throw unreachable(what, address, `HTTP ${response.status}`);
    }
    const text = await boundedText(response, what, address, signal);
    const hasBody = response.status >= 200 && ![204, 205, 304].includes(response.status);
    return new Response(hasBody ? text : null, { status: response.status, headers: response.headers });
  };
}

async function boundedText(
  response: Response,
  what: string,
  address: URL,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(what, address, reasonOf(error));
  }
  if (size <= MAX_BYTES) return new Uint8Array(Buffer.concat(chunks));
  throw new AuthProblem(`${what} at ${address.host} sent more than ${MAX_BYTES / 1024} KB, so it was not read.`);
}

function refuseForeignRedirect(what: string, from: URL, { status, headers }: Response): void {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return;
  const to = URL.parse(location, from.href);
  if (to?.origin === from.origin) return;
  const target = plainLine(to?.host ?? location, 200);
  throw new AuthProblem(
    `${what} at ${from.host} redirects to another host, ${target}. That is not followed, so nothing was sent there.`,
  );
}

const unreachable = (what: string, { host }: URL, why: string): AuthProblem =>
  new AuthProblem(`${what} at ${host} can't be reached (${clause(plainLine(why, 300))}).`, { isTransient: true });

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? networkReason(error) : `${code}: ${networkReason(error)}`;
}
