import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { OutputView } from './output-view.js';

const none = new Theme({ name: 'none', depth: 'many' });
const dark = new Theme({ name: 'dark', depth: 'many' });
const log = Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}`).join('\n');

test('keeps the colours of a program if the theme has colours', () => {
  const text = '\x1b[31mred\x1b[2J\x1b[0m\n\tnext';
  expect(new OutputView(dark, text).render(40)).toEqual(['\x1b[31mred\x1b[0m', '    next']);
  expect(new OutputView(none, text).render(40)).toEqual(['red', '    next']);
});

test.each([40, 80, 120])('shows the ends of a long log at %i columns', (width) => {
  expect(new OutputView(none, log, { lines: 2 }).render(width)).toEqual(['line 1', 'line 2', '… 199998 more lines']);
  expect(new OutputView(none, `${log}\n`, { lines: 2, end: 'last' }).render(width)).toEqual([
    '… 199998 more lines',
    'line 199999',
    'line 200000',
  ]);
});

test('never draws more of a log than fits on a screen', () => {
  const lines = new OutputView(none, log).render(80);
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toBe('… 199000 more lines');
});

test('wraps a long line when expanded, and cuts it when folded', () => {
  const text = 'word '.repeat(10).trim();
  expect(new OutputView(none, text).render(40)).toEqual(['word word word word word word word word', 'word word']);
  expect(new OutputView(none, text, { lines: 3 }).render(40)).toEqual(['word word word word word word word word…']);
});

test('draws nothing for empty output', () => {
  expect(new OutputView(none, '').render(40)).toEqual([]);
});
