import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalText } from './normal-text.js';

test('finds lines whatever ends them', () => {
  const text = normalText('a\r\nb\rc\nd');
  expect([text.normal, text.lineCount, text.line(2), text.lineAt(4)]).toEqual(['a\nb\nc\nd', 4, 'b', 3]);
});

test('counts no line after the last ending, and none in an empty text', () => {
  expect([normalText('a\n').lineCount, normalText('').lineCount, normalText('\n\n').lineCount]).toEqual([1, 0, 2]);
});

test('leads every offset back to the same character', () => {
  const pieces = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', 'π', '👍')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pieces, (raw) => {
      const text = normalText(raw);
      for (let offset = 0; offset < text.normal.length; offset += 1) {
        const original = text.raw.slice(text.toRaw(offset), text.toRaw(offset + 1));
        expect(original.replace(/\r\n?/, '\n')).toBe(text.normal[offset]);
      }
      expect(text.toRaw(text.normal.length)).toBe(raw.length);
    }),
  );
});
