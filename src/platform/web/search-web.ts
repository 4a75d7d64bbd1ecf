// Web search through a configured service. Each has its own format; the result is uniform.
import { ToolFailure } from '../../contract/failure.js';
import type { SearchEndpoint, SearchProvider } from '../../contract/web.js';
import { isObject } from '../is-object.js';
import { parseJson } from '../parse-json.js';
import type { Lookup } from './dns.js';
import { sendRequest } from './send-request.js';
import { shortened } from './web-address.js';

const MAX_RESULTS = 20;
const MAX_TITLE_CHARS = 300;
const MAX_SNIPPET_CHARS = 600;
const LIMITS = { maxBytes: 2_000_000, totalMs: 30_000 };

export interface WebSearchResult {
  title: string;
  url: string;
  snippet: string;
}

export interface SearchQuery {
  query: string;
  /** Hosts, by their labels; subdomains count too. */
  allowed: readonly string[];
  blocked: readonly string[];
}

interface Format {
  /** The service's address; absent if every user has their own. */
  url?: string;
  request(
    base: URL,
    query: SearchQuery,
    key: string | undefined,
  ): { url: URL; headers: Record<string, string>; body?: string };
  /** The list of results within a response. */
  results(answer: Record<string, unknown>): unknown;
  /** The field of a result that holds its text. */
  snippet: string;
}

const formats: Readonly<Record<SearchProvider, Format>> = {
  searxng: {
    request(base, query, key) {
      const url = new URL(base);
      if (!url.pathname.endsWith('/search')) url.pathname = `${url.pathname.replace(/\/$/, '')}/search`;
      url.searchParams.set('q', withSites(query));
      url.searchParams.set('format', 'json');
      const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return { url, headers };
    },
    results: ({ results }) => results,
    snippet: 'content',
  },
  brave: {
    url: 'https://api.search.brave.com/res/v1/web/search',
    request(base, query, key) {
      const url = new URL(base);
      url.searchParams.set('q', withSites(query));
      url.searchParams.set('count', String(MAX_RESULTS));
      url.searchParams.set('text_decorations', 'false');
      return { url, headers: { 'x-subscription-token': key ?? '' } };
    },
    results: ({ web }) => (isObject(web) ? web['results'] : []),
    snippet: 'description',
  },
  tavily: {
    url: 'https://api.tavily.com/search',
    request(base, { query, allowed, blocked }, key) {
      const body = {
        query,
        max_results: MAX_RESULTS,
        ...(allowed.length > 0 && { include_domains: allowed }),
        ...(blocked.length > 0 && { exclude_domains: blocked }),
      };
      const headers = { authorization: `Bearer ${key ?? ''}`, 'content-type': 'application/json' };
      return { url: new URL(base), headers, body: JSON.stringify(body) };
    },
    results: ({ results }) => results,
    snippet: 'content',
  },
};

/** The address of the request: the network effect of a search. */
export const searchAddress = ({ provider, url }: SearchEndpoint): string =>
  new URL(url ?? formats[provider].url ?? '').href;

/** Search operators that most engines understand, in addition to filtering the results. */
function withSites({ query, allowed }: SearchQuery): string {
  if (allowed.length === 0) return query;
  const sites = allowed.map((domain) => `site:${domain}`);
  return `${query} ${sites.length === 1 ? sites[0] : `(${sites.join(' OR ')})`}`;
}

/** Searches. Results of unwanted domains are dropped, even if the service sends them. Throws `ToolFailure`. */
export async function searchWeb(
  endpoint: SearchEndpoint,
  query: SearchQuery,
  { signal, lookup }: { signal: AbortSignal; lookup?: Lookup },
): Promise<WebSearchResult[]> {
  const { provider, key, keyVariable } = endpoint;
  if (keyVariable !== undefined && !key) {
    throw new ToolFailure(
      `The search was not made: the variable ${keyVariable}, which the setting webSearch names for the key, is not set.`,
      { advice: 'Ask the user to set it.' },
    );
  }
  const format = formats[provider];
  const base = new URL(searchAddress(endpoint));
  const { url, headers, body } = format.request(base, query, key);
  const answer = await sendRequest(url, {
    signal,
    lookup,
    // A person has configured this address, so it may be on their own machine or network.
    localHosts: [base.host],
    limits: LIMITS,
    headers: { accept: 'application/json', 'user-agent': 'Helve-User/1.0 (a coding agent)', ...headers },
    ...(body !== undefined && { method: 'POST', body }),
  });
  try {
    if (answer.status !== 200) throw refused(answer.status, answer.statusText, endpoint);
    const { bytes, isCut } = await answer.read();
    const parsed = isCut ? undefined : parseJson(bytes.toString('utf8'));
    const list = isObject(parsed) ? format.results(parsed) : undefined;
    if (!Array.isArray(list)) {
      throw new ToolFailure(`The search service at ${base.host} answered, but not in the format of ${provider}.`, {
        advice: `The user should check the setting webSearch${provider === 'searxng' ? ', and that "json" is among the formats in the settings of SearXNG' : ''}.`,
      });
    }
    return list
      .map((result) => resultOf(result, format.snippet))
      .filter((result) => result !== undefined)
      .filter(({ url: found }) => isWanted(found, query))
      .slice(0, MAX_RESULTS);
  } finally {
    answer.close();
  }
}

function refused(status: number, statusText: string, { provider, url, keyVariable }: SearchEndpoint): ToolFailure {
  const next =
    status === 401 || status === 403
      ? `The key${keyVariable === undefined ? '' : ` in ${keyVariable}`} does not count there, or the service is closed to programs: the user should check the setting webSearch.`
      : status === 429
        ? 'Too many searches: wait a while, then try again.'
        : 'Try again later, or go on without it.';
  const where = url === undefined ? provider : shortened(new URL(url).host);
  return new ToolFailure(`The search service ${where} answered with ${`${status} ${statusText}`.trim()}.`, {
    advice: next,
  });
}

function resultOf(result: unknown, snippet: string): WebSearchResult | undefined {
  if (!isObject(result) || typeof result['url'] !== 'string' || !URL.canParse(result['url'])) return undefined;
  const url = new URL(result['url']);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.href.length > 2_000) return undefined;
  return {
    title: words(result['title'], MAX_TITLE_CHARS) || url.hostname,
    url: url.href,
    snippet: words(result[snippet], MAX_SNIPPET_CHARS),
  };
}

/** Plain text on one line: services mark matches with tags. */
const words = (value: unknown, max: number): string =>
  (typeof value === 'string' ? value.slice(0, max * 4) : '')
    .replaceAll(/<\/?[a-z]{1,10}>/gi, '')
    .replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, max);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

function isWanted(url: string, { allowed, blocked }: SearchQuery): boolean {
  const host = new URL(url).hostname.replace(/\.$/, '');
  const isOf = (domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
  return (allowed.length === 0 || allowed.some(isOf)) && !blocked.some(isOf);
}
