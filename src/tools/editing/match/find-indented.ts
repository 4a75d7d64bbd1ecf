import { normalizeEndings } from '../../../platform/text/line-endings.js';
import { searchPassages } from './search-passages.js';
import type { TextLines } from './text-lines.js';

const MAX_TAB_WIDTH = 8;

/** A passage that equals the sought text except for one uniform change of indentation. */
export interface IndentedPassage {
  start: number;
  end: number;
  change: IndentationChange;
}

export interface IndentationChange {
  /** Completes "in the file the text is indented …". */
  says: string;
  /** Applies the same change to another text; undefined if that is not possible. */
  reindent(text: string): string | undefined;
  /** Whether another text already has the file's indentation, so that it stays unchanged. */
  isIndented(text: string): boolean;
}

/** Matches whole lines. Undefined if there are too many candidates to check. */
export function findIndented(text: TextLines, wanted: string): IndentedPassage[] | undefined {
  const sent = normalizeEndings(wanted).split('\n').map(takeApart);
  const anchor = longestBody(sent);
  const { body } = sent[anchor] ?? { body: '' };
  if (body === '') return [];
  return searchPassages(text, body, (line, compared) =>
    line > anchor ? passageAt(text, line - anchor, sent, compared) : undefined,
  );
}

interface Line {
  indentation: string;
  body: string;
}

const takeApart = (line: string): Line => {
  const [indentation = ''] = /^[ \t]*/.exec(line) ?? [];
  return { indentation, body: line.slice(indentation.length) };
};

const longestBody = (lines: readonly Line[]): number =>
  lines.reduce((best, { body }, index) => (body.length > (lines[best]?.body.length ?? 0) ? index : best), 0);

function passageAt(
  text: TextLines,
  first: number,
  sent: readonly Line[],
  compared: (line: string) => void,
): IndentedPassage | undefined {
  const pairs: IndentationPair[] = [];
  const last = first + sent.length - 1;
  let [start, end] = [text.start(first), text.start(first)];
  for (const [index, { indentation, body }] of sent.entries()) {
    const number = first + index;
    const isEmpty = indentation + body === '';
    // A line break at either end of the sought text matches any line ending, regardless of the rest of that line or the
    // next.
    if (isEmpty && number === last) {
      if (text.ending(number - 1) === '') return undefined;
      end = text.start(number);
    } else if (isEmpty && number === first) {
      if (text.ending(number) === '') return undefined;
      start = text.start(number + 1) - text.ending(number).length;
    } else {
      const line = text.line(number);
      compared(line);
      const there = takeApart(line);
      if (number === last ? !there.body.startsWith(body) : there.body !== body) return undefined;
      if (body !== '') pairs.push({ sent: indentation, there: there.indentation });
      else if (there.indentation !== indentation) return undefined;
      end = text.start(number) + there.indentation.length + body.length;
    }
  }
  const change = changeBetween(pairs);
  return change && { start, end, change: unlessIndented(change, pairs) };
}

export interface IndentationPair {
  sent: string;
  there: string;
}

/** The change, except for lines that already have the file's indentation and not the one that was sent. */
export function unlessIndented(change: Rewriting, pairs: readonly IndentationPair[]): IndentationChange {
  const sent = commonIndentation(pairs.map((pair) => pair.sent));
  const there = commonIndentation(pairs.map((pair) => pair.there));
  const isIndented = (text: string): boolean => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const own = commonIndentation(lines.map((line) => takeApart(line).indentation));
    const [first] = lines;
    if (first === undefined || sent === there || own !== there) return false;
    return takeApart(first).indentation === pairs[0]?.there;
  };
  return { ...change, isIndented, reindent: (text) => (isIndented(text) ? text : change.reindent(text)) };
}

function commonIndentation(all: readonly string[]): string {
  const [first = '', ...others] = all;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

type Rewriting = Omit<IndentationChange, 'isIndented'>;

/** The single change that turns every sent indentation into the file's; undefined if there is none. */
export function changeBetween(pairs: readonly IndentationPair[]): Rewriting | undefined {
  const [head] = pairs;
  if (!head || pairs.every(({ sent, there }) => sent === there)) return undefined;
  const more = head.there.slice(0, Math.max(0, head.there.length - head.sent.length));
  if (more !== '' && pairs.every(({ sent, there }) => there === more + sent)) return deeper(more);
  const less = head.sent.slice(0, Math.max(0, head.sent.length - head.there.length));
  if (less !== '' && pairs.every(({ sent, there }) => sent === less + there)) return shallower(less);
  const toTabs = widthOf(pairs.map(({ sent, there }) => ({ blanks: sent, tabs: there })));
  if (toTabs !== undefined) return tabsForBlanks(toTabs);
  const toBlanks = widthOf(pairs.map(({ sent, there }) => ({ blanks: there, tabs: sent })));
  return toBlanks === undefined ? undefined : blanksForTabs(toBlanks);
}

/** How many spaces equal one tab, if that is the same number in all lines. */
function widthOf(pairs: ReadonlyArray<{ blanks: string; tabs: string }>): number | undefined {
  const indented = pairs.find(({ tabs }) => tabs !== '');
  if (!indented) return undefined;
  const width = indented.blanks.length / indented.tabs.length;
  const fits = pairs.every(
    ({ blanks, tabs }) => /^ *$/.test(blanks) && /^\t*$/.test(tabs) && blanks.length === tabs.length * width,
  );
  return fits && Number.isInteger(width) && width >= 1 && width <= MAX_TAB_WIDTH ? width : undefined;
}

const deeper = (more: string): Rewriting => ({
  says: `deeper by ${nameOf(more)}`,
  reindent: eachLine((line) => more + line),
});

const shallower = (less: string): Rewriting => ({
  says: `less deep by ${nameOf(less)}`,
  reindent: eachLine((line) => (line.startsWith(less) ? line.slice(less.length) : undefined)),
});

const tabsForBlanks = (width: number): Rewriting => ({
  says: `with one tab for ${nameOf(' '.repeat(width))}`,
  reindent: eachLine((line) => {
    const [blanks = ''] = /^ */.exec(line) ?? [];
    const tabs = Math.floor(blanks.length / width);
    return '\t'.repeat(tabs) + line.slice(tabs * width); // the remainder is alignment, and stays spaces
  }),
});

const blanksForTabs = (width: number): Rewriting => ({
  says: `with ${nameOf(' '.repeat(width))} for one tab`,
  reindent: eachLine((line) => {
    const [tabs = ''] = /^\t*/.exec(line) ?? [];
    return ' '.repeat(tabs.length * width) + line.slice(tabs.length);
  }),
});

/** Lines with only whitespace stay unchanged. */
function eachLine(change: (line: string) => string | undefined): (text: string) => string | undefined {
  return (text) => {
    const lines = text.split('\n').map((line) => (line.trim() === '' ? line : change(line)));
    return lines.includes(undefined) ? undefined : lines.join('\n');
  };
}

/** "one tab", "4 blanks". */
function nameOf(blanks: string): string {
  if (/^\t+$/.test(blanks)) return blanks.length === 1 ? 'one tab' : `${blanks.length} tabs`;
  if (/^ +$/.test(blanks)) return blanks.length === 1 ? 'one blank' : `${blanks.length} blanks`;
  return JSON.stringify(blanks);
}
