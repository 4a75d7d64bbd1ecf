import { expect, test } from 'vitest';
import { PageCache } from './page-cache.js';

test('keeps a page for 15 minutes', () => {
  let now = 0;
  const cache = new PageCache<{ text: string }>(() => now);
  cache.set('a', { text: 'x' });
  now = 15 * 60_000 - 1;
  expect(cache.get('a')).toEqual({ text: 'x' });
  now += 1;
  expect(cache.get('a')).toBeUndefined();
});

test('drops the oldest pages if there are too many, or if they are too long', () => {
  const cache = new PageCache<{ text: string }>(() => 0);
  for (let number = 0; number < 201; number += 1) cache.set(`${number}`, { text: '' });
  expect([cache.get('0'), cache.get('1')]).toEqual([undefined, { text: '' }]);
  cache.set('long', { text: 'x'.repeat(15_000_000) });
  cache.set('longer', { text: 'x'.repeat(16_000_000) });
  expect([cache.get('long'), cache.get('longer')?.text.length]).toEqual([undefined, 16_000_000]);
  cache.set('too long', { text: 'x'.repeat(20_000_001) });
  expect(cache.get('too long')).toBeUndefined();
});

test('a page that is stored again counts once', () => {
  const cache = new PageCache<{ text: string }>(() => 0);
  for (let times = 0; times < 5; times += 1) cache.set('a', { text: 'x'.repeat(9_000_000) });
  cache.set('b', { text: 'y' });
  expect(cache.get('a')?.text.length).toBe(9_000_000);
});
