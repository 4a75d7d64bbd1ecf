// Prepares Markdown for the parser: streaming text is cut where nothing above can change any more, and its last lines
// are completed, so that no line on the screen jumps when the missing characters arrive.

/** A formula as text; undefined if it is none. */
export type DrawFormula = (latex: string, options?: { display: boolean }) => string | undefined;

const MAX_FORMULA = 2_000; // a longer one is no formula, and could be nested too deeply
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Fenced code at the left margin, or anything else. */
export type MarkdownBlock = { type: 'text'; text: string } | { type: 'code'; language: string; code: string };

export interface CutMarkdown {
  /** The part that further text can't change, in blocks that can be drawn independently. */
  settled: MarkdownBlock[];
  /** Its length in characters; the rest is the last block. */
  length: number;
}

/**
 * Cuts streaming text: after a closed fence, and at blank lines that are followed by something new. The last line is
 * left out, because it may be incomplete. With `atLetter`, the text is also cut before a last line that begins with a
 * letter: whatever follows, that is a new paragraph.
 */
export function cutMarkdown(text: string, { atLetter = false } = {}): CutMarkdown {
  const cut: CutMarkdown = { settled: [], length: 0 };
  const settle = (end: number): void => {
    const block = blockOf(text.slice(cut.length, end));
    if (block.type === 'code' || block.text.trim() !== '') cut.settled.push(block);
    cut.length = end;
  };
  let fence: string | undefined;
  let offset = 0;
  let blankBefore = false;
  const lines = text.split('\n');
  for (const line of atLetter && /^\p{L}/u.test(lines.at(-1) ?? '') ? lines : lines.slice(0, -1)) {
    const open = fence;
    fence = fenceAfter(line, open);
    const end = offset + line.length + 1;
    if (open === undefined && (isOuterFence(line) || (blankBefore && startsNewBlock(line)))) settle(offset);
    if (open !== undefined && fence === undefined && isOuterFence(text.slice(cut.length))) settle(end);
    blankBefore = line.trim() === '';
    offset = end;
  }
  return cut;
}

export const isOuterFence = (text: string): boolean => /^(?:`{3,}[^`\n]*|~{3,}[^\n]*)(?:\n|$)/.test(text);

/** Classifies a block by its start. An open fence is code to the end. */
export function blockOf(text: string): MarkdownBlock {
  if (!isOuterFence(text)) return { type: 'text', text };
  const [first = '', ...lines] = text.replace(/\n$/, '').split('\n');
  const marks = FENCE.exec(first)?.[1] ?? '';
  const last = lines.at(-1) ?? '';
  // Also the first characters of the closing fence, which are not code.
  const isClosing =
    last !== '' && (fenceAfter(last, marks) === undefined || (marks.startsWith(last) && !text.endsWith('\n')));
  const code = (isClosing ? lines.slice(0, -1) : lines).join('\n');
  return { type: 'code', language: first.slice(marks.length).trim(), code };
}

/** Not a continuation of a list, a quote, a table or a formula, and not a link definition that is used above. */
export const startsNewBlock = (line: string): boolean =>
  /^[^\s>|[$\\<:=-]/.test(line) && !/^(?:[-*+]|\d+[.)])(?:\s|$)/.test(line);

/** The fence that is open after the line. */
export function fenceAfter(line: string, open: string | undefined): string | undefined {
  const marks = FENCE.exec(line)?.[1];
  if (marks === undefined) return open;
  if (open === undefined) return marks;
  const closes = marks.startsWith(open) && line.trim() === marks;
  return closes ? undefined : open;
}

/** The end of a streaming text, completed as it will most likely continue. */
export function completed(text: string): string {
  const lines = text.replace(/[\ud800-\udbff]$/, '').split('\n');
  const fence = lines.slice(0, -1).reduce<string | undefined>((open, line) => fenceAfter(line, open), undefined);
  if (fence !== undefined) return lines.join('\n');
  // The first characters of a fence, a rule or a list: they will become something else in a moment.
  if (/^ {0,3}(?:`{1,2}|~{1,2}|[-*_]{1,2}|#{1,6})$/.test(lines.at(-1) ?? '')) return lines.slice(0, -1).join('\n');
  return withTable(lines) ?? withClosedMarks(lines);
}

/**
 * A table whose header or separator is incomplete, with a complete separator. Undefined if the last lines are not such
 * a table.
 */
function withTable(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => !line.trimStart().startsWith('|')) + 1;
  const [head, rule, ...rows] = lines.slice(start);
  if (head === undefined || rows.length > 0 || (lines[start - 1] ?? '').trim() !== '') return undefined;
  if (rule !== undefined && !/^[\s|:-]*$/.test(rule)) return undefined;
  const cells = head
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/);
  if (cells.every((cell) => cell.trim() === '')) return lines.slice(0, start).join('\n');
  return [...lines.slice(0, start), `|${cells.join('|')}|`, `|${cells.map(() => '---|').join('')}`].join('\n');
}

/** Closes bold text and code in the last paragraph, so that they are styled from the start. */
function withClosedMarks(lines: readonly string[]): string {
  const text = lines.join('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.trim() === '') + 1).join('\n');
  const withoutCode = last.replaceAll(/(`{1,100})[^`]+\1(?!`)/g, '');
  if (/`[^`]+$/.test(withoutCode)) return `${text}\``;
  if (withoutCode.endsWith('`')) return text.replace(/(?<!`)`+$/, '');
  if ((withoutCode.match(/\*\*/g)?.length ?? 0) % 2 === 0) return text;
  const open = text.replace(/\*{1,2}$/, (marks) => (marks.length === 2 ? '' : marks)); // no bold text has arrived yet
  return open === text && /\S$/.test(text) ? `${text}${text.endsWith('*') ? '*' : '**'}` : open;
}

/**
 * Rewrites what the parser would misinterpret: a dollar sign is money or a shell variable unless it delimits something
 * like a formula, and a path such as `$HOME/bin` must not swallow the rest of its paragraph; formulas become Unicode;
 * HTML entities are decoded; an image is shown by its address.
 */
export function escaped(text: string, draw: DrawFormula): string {
  if (!/[$&!\\]/.test(text)) return text;
  let fence: string | undefined;
  return text
    .replaceAll(
      /^ {0,3}(?:\$\$[ \t]*\n([^$]*?)\n?\$\$|\\\[[ \t]*\n((?:(?!\\\[)[^\]])*?)\n?\\\])[ \t]*$/gm,
      (whole, dollars, brackets) => formula(dollars ?? brackets, draw, { display: true }) ?? whole,
    )
    .split('\n')
    .map((line) => {
      const before = fence;
      fence = fenceAfter(line, fence);
      if (before !== undefined || fence !== undefined || /^(?: {4}|\t)/.test(line)) return line;
      return escapedLine(line, draw);
    })
    .join('\n');
}

/** A formula as text, which starts no markup. */
function formula(latex: string, draw: DrawFormula, options?: { display: boolean }): string | undefined {
  if (latex.length > MAX_FORMULA) return undefined;
  return draw(latex.trim(), options)?.replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&');
}

function escapedLine(line: string, draw: DrawFormula): string {
  // Alternately text and code.
  return line
    .split(/(`+[^`]*`+)/)
    .map((piece, index) => (index % 2 === 1 ? piece : escapedProse(piece, draw)))
    .join('');
}

const escapedProse = (text: string, draw: DrawFormula): string =>
  imagesAsLinks(
    text
      .replaceAll(
        /\$\$?([^$\n\\^]*[\\^][^$\n]*)\$\$?|\\\(((?:(?!\\\()[^\n])+?)\\\)|\\\[((?:(?!\\\[)[^\n])+?)\\\]|\\\$|\$/g,
        (found, dollars, round, square) => {
          const latex = dollars ?? round ?? square;
          if (latex !== undefined) return formula(latex, draw) ?? found;
          return found === '$' ? '\\$' : found;
        },
      )
      .replaceAll(/&(lt|gt|amp|quot|#39|nbsp);/g, (_, name: string) => characters[name] ?? ''),
  );

/** `![words](address)` as `[image: words](address)`. */
function imagesAsLinks(text: string): string {
  const parts = text.split(']');
  return parts
    .map((part, index) => (parts[index + 1]?.startsWith('(') ? part.replace('![', '[image: ') : part))
    .join(']');
}

/** Escaped with a backslash, so that they start no markup. */
const characters: Readonly<Record<string, string>> = {
  lt: '\\<',
  gt: '\\>',
  amp: '\\&',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};
