import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLines, forEachEnding, normalizeEndings } from './line-endings.js';

test('finds every line ending once, of any kind', () => {
  const pieces = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', '👍')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pieces, (text) => {
      const found: Array<[number, string]> = [];
      forEachEnding(text, (start, end) => found.push([start, text.slice(start, end)]));
      expect(found).toEqual([...text.matchAll(/\r\n|\r|\n/g)].map((match) => [match.index, match[0]]));
    }),
  );
});

test('counts no line after the last ending, and none in an empty text', () => {
  expect(['', 'a', 'a\n', 'a\r', '\r\n\r\n', 'a\rb\nc'].map(countLines)).toEqual([0, 1, 1, 1, 2, 3]);
});

test('converts every ending to a line feed', () => {
  expect(normalizeEndings('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
});
