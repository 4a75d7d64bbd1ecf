// Requests of sign-ins to providers: to the provider's own hosts only, with messages that hold no secret.
import { isObject } from '../../platform/is-object.js';
import { type AuthFetch, authFetch } from '../../platform/oauth/auth-fetch.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { parseJson } from '../../platform/parse-json.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { isLoopbackName } from '../../platform/web/special-addresses.js';
import { shorten } from '../http/failures.js';

type Environment = Readonly<Record<string, string | undefined>>;

const OVERRIDE = 'HELVE_SIGN_IN_SERVER';

/** The origin of a provider's service; in tests, the server of this machine that stands in for all of them. */
export function signInOrigin(usual: string, env: Environment): string {
  const other = env[OVERRIDE]?.trim();
  if (!other) return usual;
  const url = URL.parse(other);
  if (url?.protocol === 'http:' && isLoopbackName(url.hostname)) return url.origin;
  throw new AuthProblem(
    `${OVERRIDE} is for tests, and takes only an address of this machine such as http://127.0.0.1:8080. Leave it out.`,
  );
}

/** A fetch that refuses every other origin. */
export function providerFetch(origins: readonly string[], signal: AbortSignal): AuthFetch {
  return authFetch((address, what) => {
    if (origins.includes(address.origin)) return;
    const host = plainLine(address.host, 200);
    throw new AuthProblem(`${what} is at ${host}, which is not the provider's host. Nothing was sent there.`);
  }, signal);
}

export interface JsonRequest {
  /** Names the address in messages: "The token endpoint". */
  what: string;
  url: string;
  form?: Readonly<Record<string, string>>;
  json?: unknown;
  bearer?: string;
  headers?: Readonly<Record<string, string>>;
  /** Never appear in messages, even if the server repeats them. */
  secrets?: readonly (string | undefined)[];
}

export interface JsonAnswer {
  status: number;
  isOk: boolean;
  value: Record<string, unknown>;
  /** The server's own words about an error, on one line and without secrets. */
  words: string;
  /** The code of an OAuth error, or of OpenAI's. */
  code: string;
}

/** Sends a request, by POST if it has a body. Throws `AuthProblem` if the answer is no JSON object. */
export async function requestJson(fetch: AuthFetch, request: JsonRequest): Promise<JsonAnswer> {
  const { what, url, form, json, bearer, headers = {} } = request;
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
  const response = await fetch(what)(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && {
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const value = parseJson(text);
  const { status, ok: isOk } = response;
  if (!isObject(value)) {
    if (isOk && text.trim() === '') return { status, isOk, value: {}, words: '', code: '' };
    const isPage = /html/i.test(response.headers.get('content-type') ?? '') || /^\s*</.test(text);
    const found = isPage
      ? 'a web page instead of JSON, so a proxy or a login page of the network is in between'
      : 'something other than a JSON object';
    throw new AuthProblem(
      `${what} at ${new URL(url).host} answered with ${found} (HTTP ${status}). Check the network or the proxy, then try again.`,
    );
  }
  const secrets = [...Object.values(form ?? {}), bearer, ...(request.secrets ?? [])].filter((one) => one !== undefined);
  const { code, message } = errorIn(value);
  const words = [...new Set([code, message])].filter((one) => one !== '').join(': ');
  return { status, isOk, value, code, words: shorten(plainLine(words, 300), secrets) };
}

/** `{error: "code", error_description}` of OAuth, `{error: {code, message}}` of OpenAI, `{message}` of GitHub. */
function errorIn(value: Record<string, unknown>): { code: string; message: string } {
  const { error, error_description, error_details, message } = value;
  const inner = [error, error_details].find(isObject) ?? {};
  return {
    code: textIn(typeof error === 'string' ? error : inner['code']),
    message: textIn(error_description ?? inner['message'] ?? message),
  };
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** "HTTP 400, invalid_grant: it was used before", for messages. */
export const refusalWords = ({ status, words }: JsonAnswer): string =>
  `HTTP ${status}${words === '' ? '' : `, ${words}`}`;
