import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortCount, shortTime } from '../../platform/text/short-amounts.js';
import { chop, chopCode, cleanLine, cleanLines, cut, expandTabs, fitHints, fitMiddle, spread, wrap } from './fit.js';

test('makes control characters visible, and keeps line feeds', () => {
  expect(cleanLines('a\u001b[2Jb\r\nc\u202ed\n')).toEqual(['a\\u001b[2Jb', 'c\\u202ed']);
  expect(cleanLine('one\ntwo')).toBe('one⏎two');
});

test('expands a tab to the next stop', () => {
  expect(expandTabs('a\tb\t\tc')).toBe('a   b       c');
});

test('fits any text into any width', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, width) => {
      const line = cleanLine(text);
      for (const each of [cut(line, width), fitMiddle(line, width)]) {
        expect(visibleWidth(each)).toBeLessThanOrEqual(width);
      }
      if (width > 4) for (const each of wrap(line, width, '  ')) expect(visibleWidth(each)).toBeLessThanOrEqual(width);
    }),
  );
});

test('cuts code into pieces without losing a character', () => {
  expect(chop('  if (a)  b', 4)).toEqual(['  if', ' (a)', '  b']);
  expect(chop('日本語', 4)).toEqual(['日本', '語']);
  expect(chop('x'.repeat(100), 10, 3)).toEqual(['x'.repeat(10), 'x'.repeat(10), `${'x'.repeat(9)}…`]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, width) => {
      const line = cleanLine(text);
      const pieces = chop(line, width);
      expect(pieces.join('')).toBe(line);
      for (const piece of pieces) expect(visibleWidth(piece)).toBeLessThanOrEqual(width);
    }),
  );
});

test('keeps both ends of a path', () => {
  expect(fitMiddle('/home/somewhere/projects/helve/src/terminal', 20)).toBe('/home/som…c/terminal');
});

test('shortens the left side first', () => {
  expect(spread('a long sentence', '12s', 14)).toBe('a long se… 12s');
});

test('abbreviates large counts and long times', () => {
  expect([0, 999, 1000, 1234, 12_345, 999_999, 1_250_000].map(shortCount)).toEqual([
    '0',
    '999',
    '1k',
    '1.2k',
    '12k',
    '1M',
    '1.3M',
  ]);
  expect([0, 59_999, 75_000, 3_700_000].map(shortTime)).toEqual(['0s', '59s', '1m 15s', '1h 1m']);
});

test('splits code between words, keeps all of it, and marks what is beyond the last piece', () => {
  expect(chopCode('git log -3 && git push origin', 12)).toEqual(['git log -3 ', '&& git push ', 'origin']);
  const long = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(' ');
  expect(chopCode(long, 20, 0, 20_000).join('')).toBe(long);
  expect(chopCode(long, 20).at(-1)).toMatch(/…$/);
});

test('leaves out whole hints that do not fit, and how to leave last', () => {
  const hints = ['↑↓ enter to choose', 'm for more', 'esc to stop', 'ctrl+o details'];
  expect(fitHints(hints, 80)).toBe('↑↓ enter to choose · m for more · esc to stop · ctrl+o details');
  expect(fitHints(hints, 60)).toBe('↑↓ enter to choose · m for more · esc to stop');
  expect(fitHints(hints, 40)).toBe('↑↓ enter to choose · esc to stop');
  expect(fitHints(hints, 20)).toBe('↑↓ enter to choose');
  expect(fitHints(hints, 10)).toBe('↑↓ enter …');
});
