import { expect, test } from 'vitest';
import { type CommandOutcome, GoalKeeper, type GoalParts } from './goal-keeper.js';
import { GoalState, type StoredGoal } from './goal-state.js';

const { signal } = new AbortController();
const failed = (output: string): CommandOutcome => ({ isAllowed: true, exitCode: 1, output });

function keeperOf(given: Partial<GoalParts> = {}) {
  const stored: Array<StoredGoal | null> = [];
  const changed: string[] = [];
  const state = new GoalState(undefined, (goal) => stored.push(goal));
  const keeper = new GoalKeeper(state, {
    runCheck: async () => failed('1 failed'),
    judge: async () => ({ isMet: false, evidence: '', missing: 'all of it' }),
    changes: async () => changed,
    ...given,
  });
  return { keeper, state, stored, changed };
}

test('three rounds that change nothing end the work, and pause the goal', async () => {
  const { keeper, state, stored } = keeperOf({ runCheck: async () => failed(`1 failed in ${Math.random()} s`) });
  state.set({ text: 'green', until: 'npm test' });
  const rounds = [
    await keeper.check(signal),
    await keeper.check(signal),
    await keeper.check(signal),
    await keeper.check(signal),
  ];
  expect(rounds.map((round) => round?.next)).toEqual(['go on', 'go on', 'go on', 'give up']);
  expect(state.active).toBeUndefined();
  expect(stored.at(-1)).toEqual({ text: 'green', until: 'npm test', isPaused: true });
  state.resume();
  expect(state.active).toEqual({ text: 'green', until: 'npm test' });
});

test('a changed file or another output is progress', async () => {
  const outputs = ['a', 'a', 'a', 'b', 'b', 'b', 'b'];
  const { keeper, state, changed } = keeperOf({ runCheck: async () => failed(outputs.shift() ?? '') });
  state.set({ text: 'green', until: 'npm test' });
  const next = [];
  for (let round = 1; round <= 7; round += 1) {
    if (round === 6) changed.push('a.ts', 'a.ts');
    next.push(await keeper.check(signal));
  }
  expect(next.every((one) => one?.next === 'go on')).toBe(true);
  expect(next[5]?.check.changed).toEqual(['a.ts']);
  expect(next[6]?.check.changed).toEqual([]);
});

test('a goal that is met is over', async () => {
  const { keeper, state, stored } = keeperOf({
    runCheck: async () => ({ isAllowed: true, exitCode: 0, output: 'ok' }),
  });
  state.set({ text: 'green', until: 'npm test' });
  expect(await keeper.check(signal)).toMatchObject({ next: 'end', check: { isMet: true, round: 1 } });
  expect([state.active, await keeper.check(signal)]).toEqual([undefined, undefined]);
  expect(stored.at(-1)).toBeNull();
});

test('a command that goes on in the background has not exited with 0', async () => {
  const { keeper, state } = keeperOf({
    runCheck: async () => ({ isAllowed: true, exitCode: undefined, output: 'moved' }),
  });
  state.set({ text: 'green', until: 'npm test' });
  expect(await keeper.check(signal)).toMatchObject({ next: 'go on' });
});

test.each([
  [{ isAllowed: false, exitCode: undefined, output: 'It was denied.' }, 'may not run'],
  [{ isAllowed: true, exitCode: 127, output: 'npn: command not found' }, "can't work"],
])('the work does not begin with a check like %j', async (outcome, sentence) => {
  const { keeper, state } = keeperOf({ runCheck: async () => outcome });
  state.set({ text: 'green', until: 'npn test' });
  expect(await keeper.start(signal)).toContain(sentence);
});
