import { expect, test } from 'vitest';
import { type Model, ModelFailure } from '../../contract/model.js';
import { noUsage } from '../usage.js';
import { Budget } from './budget.js';
import { LateBudget } from './late-budget.js';

const model: Model = {
  provider: 'test',
  name: 'm',
  maxOutputTokens: 9,
  async *stream() {
    yield { type: 'text_delta', index: 0, text: 'a' };
    yield { type: 'message_end', stopReason: 'end_turn', usage: { ...noUsage, input_tokens: 70 } };
  },
};

function lateBudget({ tokens }: { tokens?: number } = {}) {
  const limits = tokens === undefined ? {} : { tokens };
  const seen = { opened: 0, failures: 0 };
  const budget: LateBudget = new LateBudget({
    hasLimits: () => tokens !== undefined,
    async open() {
      seen.opened += 1;
      if (seen.failures-- > 0) throw new Error('too many files are open');
      return new Budget({ sessionId: 's', limits: (scope) => ({ limits: scope === 'session' ? limits : {} }) });
    },
  });
  const request = async (): Promise<number[]> => {
    const opened: number[] = [];
    for await (const _ of budget
      .of(model)
      .stream({ system: [], messages: [], tools: [] }, new AbortController().signal))
      opened.push(seen.opened);
    return opened;
  };
  return { budget, seen, request };
}

test('without a limit, the first event of an answer opens the budget, and nothing before it does', async () => {
  const { budget, seen, request } = lateBudget();
  await budget.beginRun();
  budget.listen(() => {});
  await budget.boundTurns(undefined);
  expect(budget.uses()).toEqual([]);
  expect(seen.opened).toBe(0);
  expect(await request()).toEqual([1, 1]);
  await budget.endRun();
  expect(seen.opened).toBe(1);
});

test('what happened before the budget was open is counted, in order', async () => {
  const { budget, request } = lateBudget();
  await budget.beginRun();
  await request();
  await budget.boundTurns(5);
  expect(budget.uses()).toEqual([{ scope: 'run', unit: 'turns', limit: 5, spent: 1 }]);
});

test('a limit is known before the first request, and refuses the next one', async () => {
  const { budget, request } = lateBudget({ tokens: 60 });
  budget.allowMore({ session: { tokens: 10 } });
  await budget.beginRun();
  expect(budget.uses()).toEqual([{ scope: 'session', unit: 'tokens', limit: 70, spent: 0 }]);
  await request();
  await expect(request()).rejects.toThrow(ModelFailure);
  expect(budget.refusal()).toContain('is used up (70 tokens spent)');
});

test('with a limit, no request is sent while the budget can not be opened', async () => {
  const { seen, request } = lateBudget({ tokens: 60 });
  seen.failures = 1;
  await expect(request()).rejects.toThrow('too many files are open');
  expect(await request()).toHaveLength(2);
});

test('without a limit, an answer arrives although it can not be counted yet, and the next one counts both', async () => {
  const { budget, seen, request } = lateBudget();
  seen.failures = 2;
  await budget.beginRun();
  expect(await request()).toHaveLength(2);
  await request();
  await budget.boundTurns(5);
  expect(budget.uses()).toEqual([{ scope: 'run', unit: 'turns', limit: 5, spent: 2 }]);
});
