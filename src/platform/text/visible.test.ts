import { expect, test } from 'vitest';
import { fullyVisible, visible } from './visible.js';

test('shows escapes, carriage returns and bidirectional controls as escape sequences', () => {
  expect(visible('a\u001b[31mb\rc\u202ed')).toBe('a\\u001b[31mb\\u000dc\\u202ed');
});

test('keeps ordinary text, line breaks and tabs unchanged', () => {
  expect(visible('grüße\n\t👍 日本')).toBe('grüße\n\t👍 日本');
});

test('fullyVisible also shows zero-width characters', () => {
  expect(fullyVisible('rm\u200b -rf\u2060 \u{e0041}x\ufeff\u200e\u00ad')).toBe(
    'rm\\u{200b} -rf\\u{2060} \\u{e0041}x\\u{feff}\\u{200e}\\u{ad}',
  );
  expect(fullyVisible('a\u200db\ud800\u2028\u3164')).toBe('a\\u{200d}b\\u{d800}\\u{2028}\\u{3164}');
  expect(fullyVisible('é\ufe01\ufe02')).toBe('é\ufe01\\u{fe02}');
  expect(fullyVisible('é\u200c\u200dé')).toBe('é\\u{200c}\\u{200d}é');
});

test('keeps joiners and selectors that emoji and scripts need', () => {
  const needed = '👩‍💻 ❤️‍🔥 ❤️ 1️⃣ می‌خواهم שלום';
  expect(fullyVisible(needed)).toBe(needed);
});
