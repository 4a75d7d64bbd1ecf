import { visibleWidth } from '@earendil-works/pi-tui';
import type { Token, Tokens } from 'marked';
import { markdownTokens } from '../../display/markdown-tokens.js';
import type { Role, Theme } from '../screen/theme.js';
import { codeLines } from './code-view.js';
import { wrap } from './fit.js';
import { inlineText } from './markdown-inline.js';
import { tableLines } from './table-lines.js';

/** Longer lines are hard to read; tables may be wider. */
export const PROSE_COLUMNS = 110;

const MIN_COLUMNS = 12; // of nested content: below that, indentation is dropped rather than breaking each word

/**
 * The lines of Markdown that needs no further text. The text must be clean: it is drawn as is. What is nested too
 * deeply for the parser, or would take it long, is drawn as plain text.
 */
export function markdownLines(theme: Theme, text: string, width: number): string[] {
  const plain = (): string[] => proseLines(text, Math.min(width, PROSE_COLUMNS));
  const tokens = markdownTokens(text);
  if (!tokens) return plain();
  try {
    return blockLines(theme, tokens, width, []);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is full
    return plain();
  }
}

function blockLines(theme: Theme, tokens: readonly Token[], width: number, roles: readonly Role[]): string[] {
  const lines: string[] = [];
  let hasGap = false;
  let last: string | undefined;
  for (const token of tokens) {
    if (token.type === 'space') {
      hasGap = true;
      continue;
    }
    const drawn = drawnBlock(theme, token, width, roles);
    if (drawn.length === 0) continue;
    if (last !== undefined && (hasGap || isSetOff(token.type) || isSetOff(last))) lines.push('');
    lines.push(...drawn);
    hasGap = /\n[ \t]*\n$/.test(token.raw); // some blocks include the blank line that follows them
    last = token.type;
  }
  return lines;
}

/** Always with an empty line above and below. */
const isSetOff = (type: string): boolean => type === 'code' || type === 'table' || type === 'hr' || type === 'heading';

function drawnBlock(theme: Theme, token: Token, width: number, roles: readonly Role[]): string[] {
  const prose = Math.min(width, PROSE_COLUMNS);
  switch (token.type) {
    // The library gives each type its own shape; the casts name it.
    case 'heading':
      return headingLines(theme, token as Tokens.Heading, prose);
    case 'list':
      return listLines(theme, token as Tokens.List, width, roles);
    case 'blockquote':
      return quoteLines(theme, token as Tokens.Blockquote, width);
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return codeLines(theme, { language: lang, code: text }, prose);
    }
    case 'table':
      return tableLines(theme, token as Tokens.Table, width);
    case 'hr':
      return [theme.paint.border('─'.repeat(prose))];
    case 'html':
      return proseLines(token.raw.trimEnd(), prose);
    case 'def':
      return [];
    default: {
      const inner = 'tokens' in token && token.tokens ? token.tokens : [token];
      return proseLines(inlineText(theme, inner, roles), prose);
    }
  }
}

const proseLines = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrap(line.trimEnd(), width));

const headingRoles: readonly (readonly Role[])[] = [
  ['heading', 'underline'],
  ['heading'],
  ['strong'],
  ['strong', 'italic'],
];

function headingLines(theme: Theme, { depth, tokens }: Tokens.Heading, width: number): string[] {
  const roles = headingRoles[depth - 1] ?? ['italic'];
  return proseLines(inlineText(theme, tokens, roles), width);
}

function listLines(theme: Theme, list: Tokens.List, width: number, roles: readonly Role[]): string[] {
  const start = list.start === '' ? 1 : list.start;
  const digits = list.ordered ? String(start + list.items.length - 1).length : 0;
  return list.items.flatMap((item, index) => {
    const sign = list.ordered ? `${String(start + index).padStart(digits)}. ` : item.task ? '' : '• ';
    const box = item.task ? (item.checked ? theme.paint.success('☑ ') : theme.paint.muted('☐ ')) : '';
    const marker = `${theme.paint.accent(sign)}${box}`;
    const columns = visibleWidth(marker);
    const content = item.tokens.filter(({ type }) => type !== 'checkbox');
    const lines = blockLines(theme, content, Math.max(MIN_COLUMNS, width - columns), roles);
    const drawn = (lines.length === 0 ? [''] : lines).map((line, row) =>
      `${row === 0 ? marker : ' '.repeat(columns)}${line}`.trimEnd(),
    );
    return list.loose && index > 0 ? ['', ...drawn] : drawn;
  });
}

function quoteLines(theme: Theme, { tokens }: Tokens.Blockquote, width: number): string[] {
  const lines = blockLines(theme, tokens, Math.max(MIN_COLUMNS, width - 2), ['quote']);
  return lines.map((line) => `${theme.paint.border('▎')} ${line}`.trimEnd());
}
