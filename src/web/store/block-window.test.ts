import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { lastWindow, windowAbove, windowBelow } from './block-window.js';
import type { Block } from './session-store.js';

const blocks = Array.from(
  { length: 10_000 },
  (_, index): Block => ({ kind: 'entry', id: `${index}`, entry: signal({ kind: 'notice', id: `${index}`, text: '' }) }),
);

test('a conversation of ten thousand entries has a few hundred in the page, and all of them can be reached', () => {
  let shown = lastWindow(blocks);
  expect(shown.end).toBe(10_000);
  const seen = new Set<number>();
  let most = 0;
  const look = (): void => {
    most = Math.max(most, shown.end - shown.start);
    for (let index = shown.start; index < shown.end; index += 1) seen.add(index);
  };
  for (look(); shown.start > 0; look()) shown = windowAbove(blocks, shown);
  expect(seen.size).toBe(10_000);
  for (look(); shown.end < 10_000; look()) shown = windowBelow(blocks, shown);
  expect(most).toBeLessThanOrEqual(300);
});
