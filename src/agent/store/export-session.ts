// Exports a session as a page to read and to share. Secrets are redacted; texts of the model and of files are escaped and
// never used as markup, so that a page has no active content.
import { grouped } from '../../platform/text/digits.js';
import { visible } from '../../platform/text/visible.js';
import { inputLine, type ViewEntry, type ViewedResult, viewConversation } from './conversation-view.js';
import { redactSecrets } from './redact-secrets.js';
import type { RestoredSession } from './restored-session.js';
import { pageStyle } from './session-page-style.js';
import { titleOf } from './session-title.js';

export const exportFormats = ['md', 'html'] as const;

export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  id: string;
  format: ExportFormat;
  /** Known secret values of any format, such as keys of the environment. */
  secrets?: readonly string[];
}

/** Yields the page in pieces, so that a long session is not in memory twice. Restore the session with `whole`. */
export function* exportSession(session: RestoredSession, options: ExportOptions): Generator<string, void, void> {
  const clean = (text: string): string => visible(redactSecrets(text.replaceAll('\r\n', '\n'), options.secrets));
  const page = options.format === 'md' ? markdown : html;
  const title = cleanTitle(session, clean) || `Session ${options.id}`;
  const facts = factsOf(session, options.id).map(([name, value]): Fact => [name, clean(value)]);
  yield page.beginning(title, facts);
  let before: 'person' | 'model' | undefined;
  for (const entry of viewConversation(session.messages)) {
    const speaker = speakerOf(entry, before);
    if (speaker !== before) yield page.speaker(speaker);
    before = speaker;
    yield page.entry(entry, clean);
  }
  yield page.end;
}

/** A title that was cut from the prompt may end in the middle of a secret, so it is cut again from the redacted prompt. */
function cleanTitle({ title, messages }: RestoredSession, clean: (text: string) => string): string {
  const [first] = messages;
  const prompt = first?.role === 'user' ? first.content : [];
  if (title !== titleOf(prompt)) return clean(title);
  return titleOf(prompt.map((block) => (block.type === 'text' ? { ...block, text: clean(block.text) } : block)));
}

type Fact = readonly [name: string, value: string];

function factsOf({ header, totals, at }: RestoredSession, id: string): Fact[] {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = totals.usage;
  const cached = cache_read_input_tokens + cache_creation_input_tokens;
  return [
    ['Session', id],
    ...(header
      ? ([
          ['Folder', header.root],
          ['Model', header.model],
          ['Begun', header.created],
        ] as const)
      : []),
    ...(at === undefined ? [] : ([['Last change', new Date(at).toISOString()]] as const)),
    ['Turns', grouped(totals.turns)],
    ['Tokens', `${grouped(input_tokens + cached)} in, ${grouped(output_tokens)} out`],
    ['Cost', shownCost(totals.costUsd)],
  ];
}

export const shownCost = (costUsd: number | null): string =>
  costUsd === null ? 'not known' : `$${costUsd.toFixed(costUsd !== 0 && costUsd < 0.1 ? 4 : 2)}`;

/** For a column: all with the same number of digits. */
export function columnCost(costUsd: number | null): string {
  if (costUsd === null) return '?';
  return costUsd > 0 && costUsd < 0.01 ? '<$0.01' : `$${costUsd.toFixed(2)}`;
}

/** An image belongs to the speaker of the entry before it. */
const speakerOf = ({ type }: ViewEntry, before: 'person' | 'model' | undefined): 'person' | 'model' => {
  if (type === 'prompt') return 'person';
  return type === 'image' ? (before ?? 'person') : 'model';
};

interface Page {
  beginning(title: string, facts: readonly Fact[]): string;
  speaker(who: 'person' | 'model'): string;
  entry(entry: ViewEntry, clean: (text: string) => string): string;
  end: string;
}

const names = { person: 'You', model: 'Helve' } as const;

const shownInput = (input: unknown): string => JSON.stringify(input, null, 2) ?? '';

const noResult = 'No result.';

const markdown: Page = {
  beginning: (title, facts) =>
    `# ${plainLine(title)}\n\n${facts.map(([name, value]) => `- ${name}: ${plainLine(value)}`).join('\n')}\n`,
  speaker: (who) => `\n## ${names[who]}\n`,
  entry(entry, clean) {
    switch (entry.type) {
      case 'prompt':
      case 'answer':
        return `\n${clean(entry.text)}\n`;
      case 'thinking':
        return folded('Thinking', fenced(clean(entry.text)));
      case 'image':
        return `\n*An image (${entry.image.source.media_type}).*\n`;
      case 'other':
        return `\n*${clean(entry.text)}*\n`;
      case 'call': {
        const { tool, input, result } = entry;
        const outcome = result?.isError ? ' (failed)' : '';
        const summary = `${clean(tool)} ${inputLine(input, clean)}${outcome}`;
        const parts = [fenced(clean(shownInput(input)), 'json'), fenced(clean(result?.text ?? noResult))];
        const images = (result?.images ?? []).map(({ source }) => `*An image (${source.media_type}).*`);
        return folded(summary, [...parts, ...images].join('\n\n'));
      }
    }
  },
  end: '',
};

/** Escapes Markdown in one line. */
const plainLine = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`*_[\]<>#|]/g, (mark) => `\\${mark}`);

/** The fence is longer than any run of backticks inside. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const folded = (summary: string, body: string): string =>
  `\n<details><summary>${escaped(summary)}</summary>\n\n${body}\n\n</details>\n`;

const html: Page = {
  beginning: (title, facts) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${escaped(title)}</h1>
<dl>
${facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('\n')}
</dl>
</header>
`,
  speaker: (who) => `<h2 class="${who}">${names[who]}</h2>\n`,
  entry(entry, clean) {
    switch (entry.type) {
      case 'prompt':
      case 'answer':
        return `<div class="${entry.type}">${escaped(clean(entry.text))}</div>\n`;
      case 'thinking':
        return `<details class="thinking"><summary>Thinking</summary><pre>${escaped(clean(entry.text))}</pre></details>\n`;
      case 'image':
        return picture(entry.image.source);
      case 'other':
        return `<p class="other">${escaped(clean(entry.text))}</p>\n`;
      case 'call':
        return callDetails(entry.tool, entry.input, entry.result, clean);
    }
  },
  end: '</main>\n</body>\n</html>\n',
};

function callDetails(
  tool: string,
  input: unknown,
  result: ViewedResult | undefined,
  clean: (text: string) => string,
): string {
  const failed = result?.isError ? ' failed' : '';
  const parts = [
    `<summary><b>${escaped(clean(tool))}</b> <code>${escaped(inputLine(input, clean))}</code></summary>`,
    `<h3>Input</h3><pre>${escaped(clean(shownInput(input)))}</pre>`,
    `<h3>${result?.isError ? 'Failure' : 'Result'}</h3><pre>${escaped(clean(result?.text ?? noResult))}</pre>`,
    ...(result?.images ?? []).map(({ source }) => picture(source)),
  ];
  return `<details class="call${failed}">${parts.join('\n')}</details>\n`;
}

/** Embeds an image in the page. Unknown image types are left out. */
function picture({ media_type, data }: { media_type: string; data: string }): string {
  const isPicture = /^image\/(?:png|jpeg|gif|webp)$/.test(media_type) && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  return isPicture
    ? `<img alt="An image of the conversation" src="data:${media_type};base64,${data}">\n`
    : '<p class="other">[an image that can\'t be shown]</p>\n';
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);
