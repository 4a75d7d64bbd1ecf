import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wellFormedJson } from './well-formed-json.js';

test('replaces lone surrogates in texts and in names, and leaves everything else unchanged', () => {
  const value = { 'k\udc00': ['a\ud83d', '😀', '\\ud83d', '\\\ud83d', '\u2028\n"'] };
  expect(JSON.parse(wellFormedJson(value))).toEqual({
    'k\ufffd': ['a\ufffd', '😀', '\\ud83d', '\\\ufffd', '\u2028\n"'],
  });
});

test('writes every text as its toWellFormed() form', () => {
  const unit = fc.oneof(fc.constantFrom('\\', 'u', 'd', '8', '"', '\ud83d', '\ude00'), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(wellFormedJson(text)).toBe(JSON.stringify(text.toWellFormed()));
    }),
  );
});
