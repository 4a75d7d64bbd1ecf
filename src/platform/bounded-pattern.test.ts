import { expect, test } from 'vitest';
import { boundedPattern } from './bounded-pattern.js';

test.each([
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+$', 'ABC', false],
  ['^"\\\\`\\$\u2028$', '"\\`$\u2028', true],
  ['^\\p{L}$', 'é', true],
])('%s against %s is %s', (pattern, text, matches) => {
  expect(boundedPattern(pattern, 'u').test(text)).toBe(matches);
});

test('a pattern that would take for ever counts as one that does not match', () => {
  expect(boundedPattern('^(a+)+$', 'u').test(`${'a'.repeat(60)}!`)).toBe(false);
});

test('is written like any regular expression', () => {
  expect(String(boundedPattern('^a$', 'u'))).toBe('/^a$/u');
});

test('says at once that a pattern is none', () => {
  expect(() => boundedPattern('(', 'u')).toThrow(SyntaxError);
});
