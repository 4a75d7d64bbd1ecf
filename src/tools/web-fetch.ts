import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { monotonicMs } from '../platform/clock.js';
import { messageOf } from '../platform/message-of.js';
import { grouped } from '../platform/text/digits.js';
import { safeCut } from '../platform/text/truncate.js';
import { PageCache } from '../platform/web/page-cache.js';
import { addressProblem, webAddress } from '../platform/web/web-address.js';
import { untrustedText } from './web-text.js';

const MAX_SHOWN_CHARS = 25_000; // of a page that no small model reads first
const MAX_ASKED_CHARS = 100_000; // of a page that a small model is given

const description = `Fetch a page and get its text: HTML as Markdown, PDF and plain text too.
Where a small model is set, it answers the prompt from the page; else you get the text.
http becomes https; a redirect to another host is reported, not followed. No logins, no private addresses: use gh or the like there.`;

const input = z.strictObject({
  url: z
    .string()
    .check(({ value, issues }) => {
      const problem = addressProblem(value);
      if (problem !== undefined) issues.push({ code: 'custom', message: problem, input: value });
    })
    .describe('Full URL'),
  prompt: z.string().min(1).describe('What you want to know'),
  offset: z.int().nonnegative().optional().describe('Character to go on from'),
});

type Input = z.infer<typeof input>;

interface Page {
  url: string;
  /** The redirects that were followed. */
  followed: readonly string[];
  code: number;
  codeText: string;
  bytes: number;
  title: string | undefined;
  text: string;
  notes: readonly string[];
}

export type WebFetchData =
  | {
      kind: 'page';
      url: string;
      code: number;
      codeText: string;
      bytes: number;
      durationMs: number;
      /** For the model: the small model's answer, or the text. */
      result: string;
      /** The same for the person. */
      shown: string;
    }
  | { kind: 'redirect'; url: string; to: string; code: number; codeText: string; durationMs: number };

export const webFetchTool = defineTool({
  name: 'WebFetch',
  title: 'Fetch',
  about: 'Fetches a web page or a PDF as text.',
  traits: { family: 'domain', subject: ['url', 'domain'] },
  description,
  input,
  maxResultChars: 40_000,

  effects: ({ url }, { session }) => [{ kind: 'network', url: webAddress(url, session.web?.localHosts ?? []).href }],

  async *execute(given, context) {
    const { url: written, offset = 0 } = given;
    const began = monotonicMs();
    const url = webAddress(written, context.session.web?.localHosts ?? []).href;
    if (context.approved && !context.approved.some((effect) => effect.kind === 'network' && effect.url === url)) {
      throw new ToolFailure(`${url} was not fetched: settings changed since the call was approved.`, {
        advice: 'Send it again.',
      });
    }
    const cache = context.session.own(pageCache);
    let page = cache.get(url);
    // A redirect that was allowed when the page was fetched may be denied now.
    if (!page?.followed.every((hop) => mayFollow(hop, given, context))) {
      yield { text: `fetching ${url}` };
      const fetched = await load(url, given, context);
      if ('to' in fetched) return { ...fetched, durationMs: sinceMs(began) };
      page = fetched;
      cache.set(url, page);
    }
    if (offset > 0 && offset >= page.text.length) {
      throw new ToolFailure(
        `${page.url} has ${grouped(page.text.length)} characters of text, so there is nothing from ${grouped(offset)} on.`,
        { advice: 'Use a smaller offset, or none.' },
      );
    }
    const { sideModel } = context.session;
    if (sideModel && page.text !== '') yield { text: 'reading the page' };
    const answer = await answerFrom(page, given, context);
    const { code, codeText, bytes } = page;
    return { kind: 'page' as const, url: page.url, code, codeText, bytes, durationMs: sinceMs(began), ...answer };
  },

  toModel(data: WebFetchData) {
    if (data.kind === 'page') return data.result;
    const { url, to, code, codeText } = data;
    return `${url} redirects (${code} ${codeText}) to an address that was not followed, since it is of another host or not permitted: ${to}\nThe address comes from that server and was not checked. If it is what you want, call WebFetch with it.`;
  },

  displayCall: ({ url = '' }) => ({ title: url, looks: 'read' }),
  displayResult: (data, { url }) =>
    data.kind === 'page'
      ? {
          title: url,
          facts: [`${data.code} ${data.codeText}`.trim(), `${grouped(data.bytes)} bytes`],
          looks: 'read',
          body: { type: 'text', text: data.shown },
        }
      : { title: url, facts: [`${data.code} ${data.codeText}`.trim(), `redirects to ${data.to}`], looks: 'read' },
});

const sinceMs = (began: number): number => Math.round(monotonicMs() - began);

/** One per session. */
const pageCache = (): PageCache<Page> => new PageCache();

async function load(url: string, given: Input, context: ToolContext) {
  const [{ fetchPage }, { pageContent }] = await Promise.all([
    import('../platform/web/fetch-page.js'),
    import('../platform/web/page-content.js'),
  ]);
  const { signal, session } = context;
  const fetched = await fetchPage(url, {
    signal,
    localHosts: session.web?.localHosts ?? [],
    mayFollow: (hop) => mayFollow(hop, given, context),
  });
  const { status: code, statusText: codeText } = fetched;
  if (fetched.kind === 'redirect') return { kind: fetched.kind, url: fetched.url, to: fetched.to, code, codeText };
  const content = await pageContent(fetched, { signal });
  const { url: finalUrl, followed, bytes } = fetched;
  return { ...content, url: finalUrl, followed, code, codeText, bytes: bytes.length } satisfies Page;
}

const mayFollow = (hop: string, given: Input, context: ToolContext): boolean =>
  context.mayFollow?.({
    tool: 'WebFetch',
    input: { ...given, url: hop },
    effects: [{ kind: 'network', url: hop }],
  }) ?? false;

async function answerFrom(
  page: Page,
  { prompt, offset = 0 }: Input,
  context: ToolContext,
): Promise<{ result: string; shown: string }> {
  const { sideModel } = context.session;
  const notes = page.notes.map((note) => `\n${note}`).join('');
  if (sideModel && page.text !== '') {
    const part = partOf(page.text, offset, MAX_ASKED_CHARS);
    try {
      const answer = await sideModel.answer(prompt, part.text, context.signal);
      const result = `${untrustedText(`A small model answers from the text of ${page.url}.`, answer)}${notes}${part.more}`;
      return { result, shown: answer };
    } catch (error) {
      context.signal.throwIfAborted();
      const why = messageOf(error);
      const { result, shown } = textOf(page, prompt, offset);
      return {
        result: `${result}${notes}\nThe small model could not answer (${why}), so this is the text itself.`,
        shown,
      };
    }
  }
  const { result, shown } = textOf(page, prompt, offset);
  return { result: `${result}${notes}`, shown };
}

function textOf(page: Page, prompt: string, offset: number): { result: string; shown: string } {
  const part = partOf(page.text, offset, MAX_SHOWN_CHARS);
  const title = page.title === undefined || offset > 0 ? '' : `Title: ${page.title}\n\n`;
  const text = untrustedText(`The text of ${page.url}.`, `${title}${part.text}`);
  return { result: `${text}${part.more}\nYou wanted to know: ${prompt}`, shown: `${title}${part.text}` };
}

/** As much as fits, and how to get the rest. */
function partOf(text: string, offset: number, max: number): { text: string; more: string } {
  const start = safeCut(text, offset);
  const end = Math.min(text.length, start + max);
  const line = text.lastIndexOf('\n', end);
  const stop = end < text.length ? (line > start + max / 2 ? line + 1 : safeCut(text, end)) : end;
  const isPart = start > 0 || stop < text.length;
  const where = `Characters ${grouped(start)} to ${grouped(stop)} of ${grouped(text.length)}`;
  const more = stop < text.length ? `${where}. To go on, call WebFetch with offset ${stop}.` : `${where}, the end.`;
  return { text: text.slice(start, stop), more: isPart ? `\n${more}` : '' };
}
