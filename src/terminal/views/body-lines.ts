import type { DisplayBody } from '../../contract/tool.js';
import { bannerLines, summaryLines } from '../../platform/text/summary-lines.js';
import { tellingLines } from '../../platform/text/telling-lines.js';
import type { Theme } from '../screen/theme.js';
import { type DiffBody, DiffView } from './diff-view.js';
import { cleanLine, cut, wrap } from './fit.js';
import { MarkdownView } from './markdown-view.js';
import { MOST_OUTPUT_LINES, outputLines } from './output-lines.js';
import { todoLines } from './todo-view.js';

const COLLAPSED_LINES = { text: 4, markdown: 8, output: 4, list: 4, diff: 14, todos: 20 } as const;
const LEAST_FOLDED = 5; // a line that says that a few more are hidden takes nearly as much space as they do
const FAILED_LINES = 8;
const OWN_LINES = 40;

export interface BodyShape {
  isExpanded: boolean;
  /** The call failed: of a program's output, the lines that say why are shown, or its last ones. */
  isFailed?: boolean;
  /** The user's own command, whose output is what they wanted to see. */
  isOwn?: boolean;
}

/** The content of a display as lines, and how many are hidden. */
export function bodyLines(
  theme: Theme,
  body: DisplayBody,
  width: number,
  shape: BodyShape,
): { lines: string[]; hidden: number } {
  const { isExpanded, isOwn = false } = shape;
  const most = isExpanded ? MOST_OUTPUT_LINES : isOwn ? OWN_LINES : COLLAPSED_LINES[body.type];
  const folded = atMost(theme, body, width, { ...shape, most });
  if (folded.hidden === 0 || folded.hidden >= LEAST_FOLDED || isExpanded) return folded;
  return atMost(theme, body, width, { ...shape, most: most + folded.hidden });
}

function atMost(
  theme: Theme,
  body: DisplayBody,
  width: number,
  { isExpanded, isFailed = false, isOwn = false, most }: BodyShape & { most: number },
): { lines: string[]; hidden: number } {
  const end = isFailed ? 'last' : 'first';
  switch (body.type) {
    case 'text':
      return outputLines(theme, body.text, width, isExpanded ? { end } : { lines: most, end });
    case 'markdown':
      return capped(new MarkdownView(theme, body.text).render(width), most);
    case 'output':
      if (isFailed && !isExpanded && !isOwn) return failureLines(theme, body, width);
      if (!isExpanded && !isOwn) return successLines(theme, body, width, most);
      return outputLines(theme, body.styled ?? body.text, width, isExpanded ? { end } : { lines: most, end });
    case 'diff':
      return diffLines(theme, body, width, most);
    case 'todos':
      return capped(todoLines(theme, body.items, width), most);
    case 'list': {
      const items = body.items.slice(0, most).map((item) => `- ${cleanLine(item)}`);
      const lines = isExpanded
        ? items.flatMap((item) => wrap(item, width, '  '))
        : items.map((item) => cut(item, width));
      return { lines, hidden: body.items.length - items.length };
    }
  }
}

/** The lines that say what failed, or the last ones if none is known to. */
function failureLines(
  theme: Theme,
  { text, styled = text }: Extract<DisplayBody, { type: 'output' }>,
  width: number,
): { lines: string[]; hidden: number } {
  const telling = tellingLines(text, FAILED_LINES);
  const all = text.trimEnd().split('\n');
  const isShort = all.length < FAILED_LINES + LEAST_FOLDED;
  if (isShort || telling.length === 0) {
    return outputLines(theme, styled, width, { lines: isShort ? all.length : FAILED_LINES, end: 'last' });
  }
  const { lines } = outputLines(theme, linesAt(telling, all, styled), width, { lines: FAILED_LINES });
  return { lines, hidden: all.length - telling.length };
}

/** The lines that sum up a run of tests, or the first ones, without those that a package manager prints before. */
function successLines(
  theme: Theme,
  { text, styled = text }: Extract<DisplayBody, { type: 'output' }>,
  width: number,
  most: number,
): { lines: string[]; hidden: number } {
  const banner = bannerLines(text);
  const rest = banner === 0 ? styled : styled.split('\n').slice(banner).join('\n');
  const first = outputLines(theme, rest, width, { lines: most, end: 'first' });
  if (first.hidden === 0) return first;
  const sums = first.hidden < LEAST_FOLDED ? [] : summaryLines(text, most);
  if (sums.length === 0) return { lines: first.lines, hidden: first.hidden + banner };
  const all = text.trimEnd().split('\n');
  const { lines } = outputLines(theme, linesAt(sums, all, styled), width, { lines: most });
  return { lines, hidden: all.length - sums.length };
}

/** The lines in their colours. */
function linesAt(indices: readonly number[], all: readonly string[], styled: string): string {
  const source = styled.split('\n');
  const isSame = source.length >= all.length; // colours add no lines
  return indices.map((index) => (isSame ? source[index] : all[index]) ?? '').join('\n');
}

/** Draws no more of a patch than is shown; a line may take several rows. */
function diffLines(theme: Theme, body: DiffBody, width: number, most: number): { lines: string[]; hidden: number } {
  const view = new DiffView(theme, body, { maxRows: most });
  const { lines, hidden } = capped(view.render(width), most);
  return { lines, hidden: hidden + view.hidden };
}

function capped(lines: string[], most: number): { lines: string[]; hidden: number } {
  if (lines.length <= most) return { lines, hidden: 0 };
  return { lines: lines.slice(0, most), hidden: lines.length - most };
}
