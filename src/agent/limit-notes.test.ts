import { expect, test } from 'vitest';
import { LimitNotes } from './limit-notes.js';
import { runTimeLimit } from './time-up.js';

test('at 80 % of the requests the model is told once, and not with the last answer', () => {
  const notes = new LimitNotes({ maxTurns: 10 });
  expect([1, 7].flatMap((turns) => notes.due(turns))).toEqual([]);
  expect(notes.due(8)).toEqual([expect.stringMatching(/^8 of the 10 requests .* say what is left to do\.$/)]);
  expect([9, 10].flatMap((turns) => notes.due(turns))).toEqual([]);
  expect(new LimitNotes({ maxTurns: 1 }).due(1)).toEqual([]);
  expect(new LimitNotes({ maxTurns: Number.POSITIVE_INFINITY }).due(1_000)).toEqual([]);
});

test('at 80 % of the time the model is told once; the time of a budget is told by the budget', () => {
  let now = 0;
  const budget = { ms: 1_000, outcome: 'budget', text: '' } as const;
  const limits = { maxTurns: 100, timeLimits: [budget, runTimeLimit(600_000)] };
  const notes = new LimitNotes(limits, () => now);
  now = 479_000;
  expect(notes.due(1)).toEqual([]);
  now = 480_000;
  expect(notes.due(2)).toEqual([expect.stringMatching(/^8m 0s of the 10m 0s that this run may take are over/)]);
  expect(notes.due(3)).toEqual([]);
});
