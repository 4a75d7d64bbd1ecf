import { expect, onTestFinished, test } from 'vitest';
import { BackgroundWork } from './background-work.js';
import type { OpenedSession } from './opened-session.js';

test('the time of a command that moved to the background counts from its start', () => {
  let now = 100_000;
  const moved = { id: 'b1', command: 'npm test', outputFile: '/nowhere/b1.txt', ranBeforeMs: 6_000 };
  // Of the whole session, only what runs in the background is read here.
  const opened = { engine: { session: { background: [moved] } } } as unknown as OpenedSession;
  const work = new BackgroundWork({ session: () => opened, now: () => now, onEnd: () => {}, onChange: () => {} });
  onTestFinished(() => work.end());
  work.refresh();
  now += 1_000;
  expect(work.items.map(({ milliseconds }) => milliseconds)).toEqual([7_000]);
});
