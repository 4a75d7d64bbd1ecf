import { wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { styledLines } from '../../platform/text/safe-styles.js';
import type { Theme } from '../screen/theme.js';
import { cut, expandTabs } from './fit.js';

/**
 * The maximum that is drawn: with a whole log, the screen would no longer respond to keys. The log itself is stored
 * elsewhere.
 */
export const MOST_OUTPUT_LINES = 1_000;

const MAX_LINE_CHARS = 5_000; // per line: minified files and inline images have lines of megabytes

export interface OutputExcerpt {
  /** How many lines of the text to show, each truncated. Default: all, wrapped. */
  lines?: number;
  /** From which end. */
  end?: 'first' | 'last';
}

/** Part of a program's output as lines with its colours, and how many lines are left out. The cost depends on what is shown, not on the length. */
export function outputLines(
  theme: Theme,
  text: string,
  width: number,
  { lines: most, end = 'first' }: OutputExcerpt = {},
): { lines: string[]; hidden: number } {
  const wanted = most ?? MOST_OUTPUT_LINES;
  const { part, hidden } = end === 'first' ? firstLines(text, wanted) : lastLines(text, wanted);
  const clean = part === '' ? [] : styledLines(withoutLongLines(part), { colors: theme.hasColors }).map(expandTabs);
  const lines =
    most === undefined ? clean.flatMap((line) => wrapTextWithAnsi(line, width)) : clean.map((line) => cut(line, width));
  return { lines, hidden };
}

function withoutLongLines(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const shortened = (line: string): string =>
    line.length <= MAX_LINE_CHARS
      ? line
      : `${line.slice(0, MAX_LINE_CHARS)}… (${line.length - MAX_LINE_CHARS} more characters)`;
  return text.split('\n').map(shortened).join('\n');
}

function firstLines(text: string, most: number): { part: string; hidden: number } {
  let end = -1;
  for (let line = 0; line < most; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1 || end === text.length - 1) return { part: text, hidden: 0 };
  }
  return { part: text.slice(0, end), hidden: countLines(text.slice(end + 1)) };
}

function lastLines(text: string, most: number): { part: string; hidden: number } {
  let start = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < most; line += 1) {
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
    if (start === -1) return { part: text, hidden: 0 };
  }
  return { part: text.slice(start + 1), hidden: countLines(text.slice(0, start)) };
}

function countLines(text: string): number {
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
