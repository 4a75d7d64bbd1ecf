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

test('a pattern that would run forever counts as not matching', () => {
  expect(boundedPattern('^(a+)+$', 'u').test(`${'a'.repeat(60)}!`)).toBe(false);
});

test('accepts the usual syntax of regular expressions', () => {
  expect(String(boundedPattern('^a$', 'u'))).toBe('/^a$/u');
});

test('reports an invalid pattern at once', () => {
  expect(() => boundedPattern('(', 'u')).toThrow(SyntaxError);
});
