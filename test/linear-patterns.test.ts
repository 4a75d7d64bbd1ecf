import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isObject } from '../src/platform/is-object.js';
import { patternsOf, patternsOfSource, type SourcePattern } from './patterns-of-source.js';

// A pattern that backtracks takes quadratic time or more on a long run of one character: 100 KB of blanks then hold the
// event loop for a minute. So each pattern of the source is run on such texts. One that is slow on a short text is run
// again on a long one, within a limit of time that only a pattern of more than linear time can reach.

const SHORT = 5_000;
const LONG = 300_000;
const SUSPICIOUS_MS = 5; // decides only what is run again; linear time is far less, quadratic time more
const MAX_RUN_AGAIN = 2;
const LIMIT_MS = 5_000; // of what takes milliseconds if it is linear, and a minute if it is not

// Patterns that get no long text.
const exceptions: Readonly<Record<string, string>> = {
  [String.raw`/<(style|script)\b.*?<\/\1>|<[^>]*>/gis`]:
    'models/http/failures.ts cuts the text to 4,096 characters before',
  [String.raw`/\B(?=(\d{3})+$)/g`]: 'platform/text/digits.ts runs it on a number',
  [String.raw`/\\.|\[[^\]]*\]|[\s\S]/gu`]: 'permissions/match-path.ts cuts the text behind the last "]" before',
  [String.raw`/\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/gu`]: 'platform/shell/find-links.ts does the same',
  [String.raw`/\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:))?|[^\\]/gisy`]:
    'permissions/risks/partial-match.ts runs it on the patterns of the tables',
  [String.raw`/%output\{([^}]*)\}/g`]: 'platform/shell/programs/transfers.ts cuts the text behind the last "}" before',
  '/([?&][^=&#]+=)([^&#]*)/g': 'cli/mcp/show-server.ts runs it on the address of a server, to show it',
  [String.raw`/, so (?:the rule was ignored|helve will not start|what it refuses could get by|it is left out|it counts as)[^.]*(?=\. )/`]:
    'settings/edit-file.ts runs it on a sentence about a value that a person sets',
};

const UNITS = [
  ...['x', 'A', '0', '1', 'é', ' ', '\n', '\t', '\r', '\u00a0', '\u001b', '"', "'", '`', '{', '}', '[', ']', '(', ')'],
  ...['<', '>', '/', '\\', '-', '_', '.', ',', ':', ';', '=', '*', '#', '$', '@', '|', '!', 'a b ', ' \n', '\r\n'],
];
const END = '\u0001';
const MAX_PARTS = 10;

/** Short texts that parts of the pattern match, in their order: its words, and one or two characters of each set. */
function partsOf(pattern: RegExp): string[] {
  const token =
    /\\u\{([0-9a-f]+)\}|\\[ux]([0-9a-f]{2,4})|\\[pP]\{[^}]*\}|\\(.)|(\[(?:\\.|[^\]\\])*\])|\(\?(?:<\w+>|<?[=!]|:)|\{\d+,?\d*\}|(.)/gis;
  const words: string[] = [];
  let word = '';
  const end = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const [whole, code, shortCode, escaped, set, plain] of pattern.source.matchAll(token)) {
    if (code ?? shortCode) word += String.fromCodePoint(Number.parseInt(code ?? shortCode ?? '', 16));
    else if (escaped) {
      const character = ESCAPES[escaped] ?? (/\w/.test(escaped) ? '' : escaped);
      if (/[sSdDwW]/.test(escaped)) end();
      word += character;
      if (/[sSdDwW]/.test(escaped)) end();
    } else if (set) {
      end();
      words.push(...membersOf(set));
    } else if (plain && !'()|*+?^$.'.includes(plain)) word += plain;
    else if (whole !== '') end();
  }
  end();
  return [...new Set(words)];
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  s: ' ',
  S: 'x',
  d: '0',
  D: 'x',
  w: 'x',
  W: ' ',
};

/** Of a negated set, they end what it matches. */
function membersOf(set: string): string[] {
  const inside = set
    .slice(1, -1)
    .replace(/^\^/, '')
    .replaceAll(/\\([nrtfsdw])/g, (_, letter) => ESCAPES[letter] ?? '');
  return [...inside.replaceAll(/\\(?=.)/gs, '')].slice(0, 2);
}

type Pumped = readonly [start: string, unit: string, end: string];

function textsFor(pattern: RegExp): Pumped[] {
  const parts = partsOf(pattern);
  const words = [...new Set([...parts.slice(0, MAX_PARTS), parts.slice(0, 3).join('')])].filter((word) => word !== '');
  return [
    ...UNITS.map((unit): Pumped => ['', unit, END]),
    ...words.map((word): Pumped => ['', word, END]),
    ...words.flatMap((word) =>
      UNITS.flatMap((unit): Pumped[] => [
        [word, unit, END],
        ['', word + unit, END],
      ]),
    ),
    ...words
      .filter(({ length }) => length === 1)
      .flatMap((word) => UNITS.map((unit): Pumped => ['', unit, word + END])),
  ];
}

/** A text on which the pattern takes more than linear time, as words. */
function slowText(pattern: RegExp): string | undefined {
  const suspicious: Array<{ text: Pumped; ms: number }> = [];
  let running: Pumped = ['', '', ''];
  const inTime = within(() => {
    for (running of textsFor(pattern)) {
      const before = performance.now();
      search(pattern, written(running, SHORT));
      const ms = performance.now() - before;
      if (ms > SUSPICIOUS_MS) suspicious.push({ text: running, ms });
    }
  });
  if (!inTime) return described(running);
  const slowest = suspicious.toSorted((one, other) => other.ms - one.ms).slice(0, MAX_RUN_AGAIN);
  const slow = slowest.find(({ text }) => !within(() => search(pattern, written(text, LONG))));
  return slow && described(slow.text);
}

function within(run: () => void): boolean {
  try {
    runInContext('run()', createContext({ run }), { timeout: LIMIT_MS });
    return true;
  } catch (error) {
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false; // no Error of this context
    throw error;
  }
}

const written = ([start, unit, end]: Pumped, length: number): string =>
  start + unit.repeat(Math.ceil(length / unit.length)) + end;

const described = ([start, unit, end]: Pumped): string =>
  `${JSON.stringify(start)}, then ${JSON.stringify(unit)} many times, then ${JSON.stringify(end)}`;

function search(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) text.replace(pattern, '');
  else pattern.test(text);
}

const mayBeSlow = ({ pattern }: SourcePattern): boolean => /[*+{]/.test(pattern.source);

test('no regular expression of the source takes more than linear time', { timeout: 120_000 }, () => {
  const patterns = patternsOfSource().filter(mayBeSlow);
  expect(patterns.length).toBeGreaterThan(500); // else the reading of patterns is broken, and the test shows nothing
  const unique = new Map(patterns.map((each) => [String(each.pattern), each]));
  const slow = [...unique].flatMap(([written, { file, pattern }]) => {
    const text = written in exceptions ? undefined : slowText(pattern);
    return text === undefined ? [] : [`${file}: ${written} on ${text}`];
  });
  expect(slow).toEqual([]);
  expect(Object.keys(exceptions).filter((written) => !unique.has(written))).toEqual([]);
});

test('a regular expression that takes quadratic time is reported, with a text that shows it', () => {
  const [pattern = /never/] = patternsOf(
    `const NAME = 'x-y'; const tag = new RegExp(String.raw\`<(?=\\s*/?\\s*\${NAME})\`, 'g');`,
  );
  expect(pattern).toEqual(/<(?=\s*\/?\s*x-y)/g);
  expect(slowText(pattern)).toMatch(/many times/);
  expect(slowText(/<(?=\s*(?:\/\s*)?x-y)/g)).toBeUndefined();
});
