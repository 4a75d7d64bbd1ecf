import { expect, test } from 'vitest';
import type { StoredGoal } from '../../agent/goals/goal-state.js';
import type { GoalPort } from '../contract.js';
import { runCommand } from './index.js';
import { testSession } from './test-session.js';

async function typed(name: string, args: string, stored?: StoredGoal) {
  const set: unknown[] = [];
  const goals: GoalPort = { stored, last: undefined, set: (goal) => set.push(goal), resume: () => set.push('resumed') };
  const session = await testSession({ goals });
  return { answer: await runCommand({ name, args }, session), set, done: session.done };
}

test.each([
  ['All tests pass.', { text: 'All tests pass.' }],
  ['fix it --until npm test -- --run', { text: 'fix it', until: 'npm test -- --run' }],
  ['--until npm test', { text: 'Make this command succeed: npm test', until: 'npm test' }],
])('/goal %s sets a goal and begins', async (args, goal) => {
  const { answer, set } = await typed('goal', args);
  expect(set).toEqual([goal]);
  expect(answer).toMatchObject({ type: 'prompt', text: goal.text });
});

test('/goal shows, resumes and drops it', async () => {
  const stored: StoredGoal = { text: 'green', until: 'npm test', isPaused: true };
  expect((await typed('goal', '')).answer).toMatchObject({ text: expect.stringContaining('There is no goal.') });
  expect((await typed('goal', '', stored)).answer).toMatchObject({
    text: expect.stringContaining('Goal: green, until npm test exits with 0 (paused: /goal resume goes on)'),
  });
  expect(await typed('goal', 'resume', stored)).toMatchObject({ set: ['resumed'], answer: { type: 'prompt' } });
  expect((await typed('goal', 'clear', stored)).set).toEqual([undefined]);
  expect((await typed('goal', 'x --until ')).answer).toMatchObject({ type: 'problem' });
});

test.each([
  ['10m check the deploy', ['loop 600000 check the deploy'], 'prompt'],
  ['30 s look', ['loop 30000 look'], 'prompt'],
  ['1s look', [], 'problem'],
  ['48h look', [], 'problem'],
  ['look', [], 'problem'],
  ['10m', [], 'problem'],
  ['stop', [], 'text'],
  ['', [], 'text'],
])('/loop %s', async (args, done, type) => {
  const run = await typed('loop', args);
  expect([run.done, run.answer.type]).toEqual([done, type]);
});
