import { expect, test } from 'vitest';
import { barsOf, ticks, timeScale } from './time-scale.js';

const call = (queuedAt: number, startedAt: number | null, endedAt: number | null) => ({
  callId: `${queuedAt}`,
  tool: 'Run',
  title: '',
  queuedAt,
  waits: [{ reason: 'question' as const, from: queuedAt, to: startedAt }],
  startedAt,
  endedAt,
  outcome: endedAt === null ? ('running' as const) : ('completed' as const),
});

test('a call that waits or runs goes on to now, and one that has ended to its end', () => {
  expect(barsOf(call(1_000, 2_000, 5_000), 9_000)).toEqual([
    { kind: 'question', from: 1_000, to: 2_000 },
    { kind: 'run', from: 2_000, to: 5_000 },
  ]);
  expect(barsOf(call(1_000, 2_000, null), 9_000).at(-1)).toEqual({ kind: 'run', from: 2_000, to: 9_000 });
  expect(barsOf(call(1_000, null, null), 9_000)).toEqual([{ kind: 'question', from: 1_000, to: 9_000 }]);
});

test('the scale has a few marks with round distances, for a moment and for a day', () => {
  const labels = (ms: number): string[] => ticks(timeScale([call(0, 0, ms)], ms)).map(({ label }) => label);
  expect(labels(900)).toEqual(['0s', '0.2s', '0.4s', '0.6s', '0.8s']);
  expect(labels(20_000)).toEqual(['0s', '5s', '10s', '15s', '20s']);
  expect(labels(86_400_000)).toEqual(['0s', '4h', '8h', '12h', '16h', '20h', '24h']);
});
