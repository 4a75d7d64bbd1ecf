// Highlights code from one table of languages. It need not understand a language, but must never change a character.
import { type CodeLanguage, languages } from './code-languages.js';
import type { CodeRole, CodeSpan } from './code-span.js';

const MAX_CODE_CHARS = 200_000; // more than a user looks at, and it is redrawn with every delta

/** The lines of the code in pieces. An unknown language is one piece per line. */
export function codeSpans(code: string, name: string | undefined): CodeSpan[][] {
  const wanted =
    name
      ?.trim()
      .split(/[\s,{:]/, 1)[0]
      ?.toLowerCase() ?? '';
  if (wanted === 'diff' || wanted === 'patch') return code.split('\n').map((line) => [diffLine(line)]);
  const language = languages.find(({ names }) => names.split(' ').includes(wanted));
  if (!language || code.length > MAX_CODE_CHARS) return code.split('\n').map((text) => [{ text }]);
  return inLines(spansOf(code, language));
}

const roles = ['comment', 'string', 'type', 'function', 'number'] as const; // of the groups, in order

function spansOf(code: string, language: CodeLanguage): CodeSpan[] {
  const isKeyword = keywordTest(language);
  const spans: CodeSpan[] = [];
  let at = 0;
  for (const match of code.matchAll(patternOf(language))) {
    const [text, ...groups] = match;
    const index = groups.findIndex((group) => group !== undefined);
    const role = roles[index] ?? wordRole(text, code[match.index + text.length], language, isKeyword);
    if (role === undefined) continue;
    if (match.index > at) spans.push({ text: code.slice(at, match.index) });
    spans.push({ text, role });
    at = match.index + text.length;
  }
  spans.push({ text: code.slice(at) });
  return spans;
}

function wordRole(
  word: string,
  next: string | undefined,
  { types, calls }: CodeLanguage,
  isKeyword: (word: string) => boolean,
): CodeRole | undefined {
  if (isKeyword(word)) return 'keyword';
  if (calls && next === '(') return 'function';
  return types && /^[A-Z]\w*[a-z]/.test(word) ? 'type' : undefined;
}

/** A piece ends with its line: lines are drawn one by one. */
function inLines(spans: readonly CodeSpan[]): CodeSpan[][] {
  const lines: CodeSpan[][] = [[]];
  for (const { text, role } of spans) {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push(role === undefined ? { text: piece } : { text: piece, role });
    }
  }
  return lines;
}

function diffLine(text: string): CodeSpan {
  if (text.startsWith('+')) return { text, role: 'added' };
  if (text.startsWith('-')) return { text, role: 'removed' };
  return text.startsWith('@@') ? { text, role: 'type' } : { text };
}

function keywordTest({ keywords, anyCase }: CodeLanguage): (word: string) => boolean {
  const known = new Set(keywords.split(' '));
  return (word) => known.has(anyCase ? word.toLowerCase() : word);
}

/**
 * Each part is linear: no nested quantifiers, so that no text takes long. An unclosed string or comment extends to the
 * end of the code.
 */
function patternOf({
  line = [],
  block = [],
  quotes = '',
  long = [],
  keys = [],
  marks = [],
  hyphens,
}: CodeLanguage): RegExp {
  const blocks = block.map(([open, close]) => `${escaped(open)}[^]*?(?:${escaped(close)}|${endOfInput})`);
  // `#` in the middle of a word (`$#`, `a#b`) starts no comment.
  const lines = line.map(
    (mark) => `${mark === '#' ? '(?<![\\w$&{])' : mark === '//' ? '(?<!:)' : ''}${escaped(mark)}[^\\n]*`,
  );
  const longs = long.map(
    (mark) => `${escaped(mark)}(?:\\\\[^]|(?!${escaped(mark)})[^\\\\])*(?:${escaped(mark)}|\\\\?${endOfInput})`,
  );
  // An apostrophe in the middle of a word (`don't`) starts no string; after one letter (`f'…'`) it may.
  const strings = [...quotes].map((quote) => `(?<!\\w\\w)${quote}(?:\\\\.|[^${quote}\\\\\\n])*(?:${quote}|\\\\?$)`);
  const group = (parts: readonly string[]): string => `(${parts.join('|') || '(?!)'})`;
  // A key in quotes is more than a string, so keys that begin with a quote come first.
  const [quoted, bare] = [keys.filter((key) => key.startsWith('"')), keys.filter((key) => !key.startsWith('"'))];
  const before = quoted.length > 0 ? `(?!${quoted.join('|')})` : '';
  return new RegExp(
    [
      group([...blocks, ...lines]),
      `${before}${group([...longs, ...strings])}`,
      group([...quoted, ...bare]),
      group(marks),
      '((?<![\\w$])(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)\\w{0,3}\\b)',
      hyphens ? '[A-Za-z_$-][\\w$-]*' : '[A-Za-z_$][\\w$]*\\??',
    ].join('|'),
    'gm',
  );
}

const endOfInput = '(?![^])';

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
