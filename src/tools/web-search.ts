import { domainToASCII } from 'node:url';
import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';
import { monotonicMs } from '../platform/clock.js';
import { counted } from '../platform/text/counted.js';
import { searchAddress, searchWeb, type WebSearchResult } from '../platform/web/search-web.js';
import { untrustedText } from './web-text.js';

const MAX_SEARCHES = 200; // per session: more is a loop, and each search costs money

const description = `Search the web. Answers with titles, addresses and a few words of each page.
Use WebFetch to read one of them, and name the addresses that you relied on in your answer.`;

const domains = z.array(z.string().min(1)).max(50);

const input = z.strictObject({
  query: z.string().trim().min(2).max(400).describe('What to search for'),
  allowed_domains: domains.optional().describe('Only of these hosts and those below'),
  blocked_domains: domains.optional().describe('None of these'),
});

export interface WebSearchData {
  query: string;
  results: WebSearchResult[];
  durationSeconds: number;
  /** The limit was reached, so this search was not made. */
  isOverLimit: boolean;
}

export const webSearchTool = defineTool({
  name: 'WebSearch',
  title: 'Web search',
  about: 'Searches the web.',
  traits: { family: 'search' },
  description,
  input,
  needsSetting: 'webSearch',

  effects(_, { session }) {
    const endpoint = session.web?.search;
    if (!endpoint) return [{ kind: 'unknown', why: 'the setting webSearch does not say where to search' }];
    return [{ kind: 'network', url: searchAddress(endpoint) }];
  },

  async validate({ allowed_domains: allowed = [], blocked_domains: blocked = [] }) {
    if (allowed.length > 0 && blocked.length > 0) {
      throw new ToolFailure('allowed_domains and blocked_domains were both given, and only one of them can count.', {
        advice: 'Leave one out.',
        kind: 'check_refused',
      });
    }
    for (const domain of [...allowed, ...blocked]) plainDomain(domain);
    return undefined;
  },

  async execute({ query, allowed_domains: allowed = [], blocked_domains: blocked = [] }, { session, signal }) {
    const endpoint = session.web?.search;
    if (!endpoint) {
      throw new ToolFailure('The setting webSearch does not say where to search.', {
        advice: 'Ask the user to set it.',
      });
    }
    const began = monotonicMs();
    const count = session.own(searchCount);
    count.made += 1;
    const isOverLimit = count.made > MAX_SEARCHES;
    const wanted = { query, allowed: allowed.map(plainDomain), blocked: blocked.map(plainDomain) };
    const results = isOverLimit ? [] : await searchWeb(endpoint, wanted, { signal });
    const durationSeconds = Math.round(monotonicMs() - began) / 1_000;
    return { query, results, durationSeconds, isOverLimit } satisfies WebSearchData;
  },

  toModel({ query, results, isOverLimit }) {
    if (isOverLimit) {
      return `The search was not made: this session has made ${MAX_SEARCHES} searches, which is the most. Go on with what was found.`;
    }
    if (results.length === 0) return `Nothing was found for "${query}". Try other words, or fewer, or other domains.`;
    const lines = results.map(({ title, url, snippet }, index) =>
      [`${index + 1}. ${title}`, `   ${url}`, ...(snippet === '' ? [] : [`   ${snippet}`])].join('\n'),
    );
    return untrustedText(`${counted(results.length, 'result')} for "${query}".`, lines.join('\n'));
  },

  displayCall: ({ query = '' }) => ({ title: query, looks: 'search' }),
  displayResult: ({ results, isOverLimit }, { query }) => ({
    title: query,
    facts: [isOverLimit ? `not made: the limit is ${MAX_SEARCHES} searches` : counted(results.length, 'result')],
    looks: 'search',
    body: { type: 'list', items: results.map(({ title, url }) => `${title} (${url})`) },
  }),
});

/** One per session. */
const searchCount = (): { made: number } => ({ made: 0 });

/** A host, normalised for comparison: no protocol, lower case, ASCII. */
function plainDomain(written: string): string {
  const text = written
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^\*\./, '')
    .replace(/(?<![./])[./]+$/, '');
  const domain = /^[\p{L}\p{N}_.-]+$/u.test(text) ? domainToASCII(text) : '';
  if (domain !== '' && !domain.split('.').includes('')) return domain;
  throw new ToolFailure(`"${written.slice(0, 100)}" is not a domain.`, {
    advice: 'Write a host, as in "example.com".',
    kind: 'check_refused',
  });
}
