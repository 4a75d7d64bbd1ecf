import { ToolFailure } from '../../contract/failure.js';
import { monotonicMs } from '../clock.js';
import type { Lookup } from './dns.js';
import { sendRequest, type WebAnswer, type WebLimits, webLimits } from './send-request.js';
import { isSameSite, type LocalHosts, MAX_URL_CHARS, shortened, webAddress } from './web-address.js';

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const HEADERS = {
  'user-agent': 'Helve-User/1.0 (a coding agent; fetches pages that its user asks for)',
  accept:
    'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5',
  'accept-language': 'en, *;q=0.5',
};

export interface FetchOptions {
  signal: AbortSignal;
  /** Hosts of this machine or its network that a person has allowed. */
  localHosts?: LocalHosts;
  /** Whether a redirect within the site may be followed. Default: yes. */
  mayFollow?: (url: string) => boolean;
  lookup?: Lookup | undefined;
  limits?: Partial<WebLimits> | undefined;
}

export type Fetched =
  | {
      kind: 'page';
      url: string;
      /** The redirect targets on the way, ending with the final address. */
      followed: readonly string[];
      status: number;
      statusText: string;
      contentType: string;
      bytes: Buffer;
      isCut: boolean;
    }
  /** The redirect target has not been approved. */
  | { kind: 'redirect'; url: string; to: string; status: number; statusText: string };

/**
 * Fetches a page. Redirects are followed within the site, each checked like the first address; a redirect elsewhere
 * is reported. If the content is neither text nor PDF, only its type is used. Throws `ToolFailure`.
 */
export async function fetchPage(written: string, options: FetchOptions): Promise<Fetched> {
  const { localHosts = [], mayFollow = () => true } = options;
  let url = webAddress(written, localHosts);
  const followed: string[] = [];
  const { totalMs } = { ...webLimits, ...options.limits };
  const began = monotonicMs();
  while (followed.length <= MAX_REDIRECTS) {
    // All of them share one timeout, or a server could extend it with each redirect.
    const limits = { ...options.limits, totalMs: Math.max(1, Math.round(totalMs - (monotonicMs() - began))) };
    const answer = await sendRequest(url, { ...options, localHosts, limits, headers: HEADERS });
    try {
      const target = redirectOf(answer, url);
      if (target === undefined) return { ...(await pageOf(answer, url)), followed };
      const { status, statusText } = answer;
      const told: Fetched = { kind: 'redirect', url: url.href, to: target.href, status, statusText };
      if (!isSameSite(url, upgraded(target))) return told;
      const next = webAddress(target.href, localHosts);
      if (!isSameSite(url, next) || !mayFollow(next.href)) return told;
      url = next;
      followed.push(url.href);
    } finally {
      answer.close();
    }
  }
  throw new ToolFailure(
    `${shortened(written)} was not fetched: it redirected more than ${MAX_REDIRECTS} times, last to ${shortened(url.href)}.`,
    { advice: 'It may need a login or cookies; go on without it.' },
  );
}

function redirectOf(answer: WebAnswer, url: URL): URL | undefined {
  const location = answer.header('location');
  if (!REDIRECTS.has(answer.status) || location === undefined) return undefined;
  const target = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  // An address that can't be fetched is not reported either: it could contain any text of the server's choosing.
  if (target && /^https?:$/.test(target.protocol) && target.href.length <= MAX_URL_CHARS) return target;
  throw new ToolFailure(`${shortened(url.href)} redirects to something that is no page of the web.`, {
    advice: 'Go on without it.',
  });
}

/** If only the protocol differs, the default https port is assumed. */
function upgraded(target: URL): URL {
  const url = new URL(target);
  if (url.protocol === 'http:' && url.port === '') url.protocol = 'https:';
  return url;
}

async function pageOf(answer: WebAnswer, url: URL): Promise<Omit<Extract<Fetched, { kind: 'page' }>, 'followed'>> {
  const { status, statusText } = answer;
  if (status < 200 || status > 299) throw badStatus(answer, url);
  const contentType = answer.header('content-type')?.trim() ?? '';
  if (isBinaryType(contentType)) throw binary(url, contentType, answer.header('content-length'));
  const { bytes, isCut } = await answer.read();
  return { kind: 'page', url: url.href, status, statusText, contentType, bytes, isCut };
}

/** Content types that declare non-text. Without a type, the bytes are inspected. */
function isBinaryType(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type.startsWith('text/') || /\+(?:json|xml|yaml)$/.test(type)) return false;
  const [kind, name = ''] = type.split('/');
  return kind !== 'application' || !TEXT_TYPES.has(name.replace(/^x-/, ''));
}

/** Text types among `application/…`, with PDF and with the generic types. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  ...['json', 'jsonl', 'json5', 'ndjson', 'xml', 'yaml', 'toml', 'javascript', 'ecmascript', 'typescript', 'sh', 'sql'],
  ...['graphql', 'tex', 'latex', 'rtf', 'httpd-php', 'www-form-urlencoded', 'pdf', 'octet-stream', 'unknown'],
]);

export function binary(url: URL | string, contentType: string, length: string | undefined): ToolFailure {
  const size = length !== undefined && /^\d+$/.test(length) ? `${length} bytes` : 'a size that it does not say';
  return new ToolFailure(
    `${shortened(String(url))} is no text: its type is ${typeOf(contentType)}, with ${size}. It was not loaded.`,
    { advice: 'Download it with Bash (curl -o FILE URL), then look at it with Read.' },
  );
}

/** The media type alone: the rest of the header is the server's own text. */
const typeOf = (contentType: string): string => /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(contentType)?.[0] ?? 'not said';

function badStatus({ status, statusText, header }: WebAnswer, url: URL): ToolFailure {
  const retry = header('retry-after');
  const next: Readonly<Record<number, string>> = {
    401: 'It needs a login, which is not sent. Use another source, or a tool that has access.',
    403: 'It refuses this program. Use another source.',
    404: 'Check the URL, or search for the page.',
    410: 'It is gone for good. Search for another source.',
    429: `It wants fewer requests${retry === undefined || !/^\d{1,6}$/.test(retry) ? '' : ` (in ${retry} s)`}. Wait, then try again.`,
  };
  const words = `${status} ${statusText}`.trim();
  const serverError = 'The server has a problem: try again later, or use another source.';
  return new ToolFailure(`${shortened(url.href)} answered with ${words}.`, {
    advice: next[status] ?? (status >= 500 ? serverError : 'Check the URL.'),
  });
}
