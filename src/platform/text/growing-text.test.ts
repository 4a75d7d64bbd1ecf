import { expect, test } from 'vitest';
import { GrowingText } from './growing-text.js';

test('a text of many pieces is whole, and from each position on', () => {
  const text = new GrowingText('begin ');
  let plain = 'begin ';
  for (let index = 0; index < 9_000; index += 1) {
    text.add(`${index} `);
    plain += `${index} `;
  }
  text.add('x'.repeat(50_000));
  plain += 'x'.repeat(50_000);
  expect(text.length).toBe(plain.length);
  expect(text.toString()).toBe(plain);
  for (let from = 0; from <= plain.length; from += 997) expect(text.after(from)).toBe(plain.slice(from));
  expect(text.after(plain.length)).toBe('');
});

test('a text of a million small pieces takes little more memory than its characters', () => {
  const { heapUsed } = process.memoryUsage();
  const text = new GrowingText();
  for (let index = 0; index < 1_000_000; index += 1) text.add('a');
  // As one string that was added to, it takes 32 MB until it is read.
  expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(16_000_000);
  expect(text.length).toBe(1_000_000);
});
