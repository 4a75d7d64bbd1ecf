import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { outputLines } from './output-lines.js';

const none = new Theme({ name: 'none', depth: 'many' });
const dark = new Theme({ name: 'dark', depth: 'many' });
const log = Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}`).join('\n');

test('keeps the colours of a program if the theme has colours', () => {
  const text = '\x1b[31mred\x1b[2J\x1b[0m\n\tnext';
  expect(outputLines(dark, text, 40).lines).toEqual(['\x1b[31mred\x1b[0m', '    next']);
  expect(outputLines(none, text, 40).lines).toEqual(['red', '    next']);
});

test.each([40, 80, 120])('shows the ends of a long log at %i columns', (width) => {
  expect(outputLines(none, log, width, { lines: 2 })).toEqual({ lines: ['line 1', 'line 2'], hidden: 199_998 });
  expect(outputLines(none, `${log}\n`, width, { lines: 2, end: 'last' })).toEqual({
    lines: ['line 199999', 'line 200000'],
    hidden: 199_998,
  });
});

test('never draws more of a log than fits on a screen', () => {
  const { lines, hidden } = outputLines(none, log, 80);
  expect(lines).toHaveLength(1000);
  expect(hidden).toBe(199_000);
});

test('wraps a long line when expanded, and cuts it when folded', () => {
  const text = 'word '.repeat(10).trim();
  expect(outputLines(none, text, 40).lines).toEqual(['word word word word word word word word', 'word word']);
  expect(outputLines(none, text, 40, { lines: 3 }).lines).toEqual(['word word word word word word word word…']);
});

test('draws nothing for empty output', () => {
  expect(outputLines(none, '', 40).lines).toEqual([]);
});
