import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from './text-lines.js';

test('splits lines at any line ending', () => {
  const text = textLines('a\r\nb\rc\nd');
  expect([text.lineCount, text.line(2), text.lineAt(5)]).toEqual([4, 'b', 3]);
  expect([1, 2, 3, 4, 5].map((number) => text.ending(number))).toEqual(['\r\n', '\r', '\n', '', '']);
});

test('counts no line after the last ending, and none in an empty text', () => {
  expect([textLines('a\n').lineCount, textLines('').lineCount, textLines('\n\n').lineCount]).toEqual([1, 0, 2]);
});

test('lines and endings make up the whole text, and every offset is in one line', () => {
  const pieces = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', 'π', '👍')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pieces, (raw) => {
      const text = textLines(raw);
      const numbers = Array.from({ length: text.lineCount }, (_, index) => index + 1);
      expect(numbers.map((number) => text.line(number) + text.ending(number)).join('')).toBe(raw);
      const lines = numbers.flatMap((number) => [...`${text.line(number)}${text.ending(number)}`].map(() => number));
      expect([...raw].map((_, index) => text.lineAt([...raw].slice(0, index).join('').length))).toEqual(lines);
    }),
  );
});
