import { expect, test } from 'vitest';
import { visible } from './visible.js';

test('shows escapes, carriage returns and bidirectional controls as what they are', () => {
  expect(visible('a\u001b[31mb\rc\u202ed')).toBe('a\\u001b[31mb\\u000dc\\u202ed');
});

test('leaves ordinary text, line breaks and tabs alone', () => {
  expect(visible('grüße\n\t👍 日本')).toBe('grüße\n\t👍 日本');
});
