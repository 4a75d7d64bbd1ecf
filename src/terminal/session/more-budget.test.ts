import { expect, test } from 'vitest';
import type { BudgetUse } from '../../contract/budget.js';
import type { RunResult } from '../../contract/event.js';
import { askForMore } from './more-budget.js';

const ended = (...budget: BudgetUse[]) => ({ outcome: 'budget', budget }) as unknown as RunResult; // the rest is not read
const session: BudgetUse = { scope: 'session', unit: 'usd', limit: 1, spent: 1.25 };

async function answer(result: RunResult, given: string | undefined, mayRaise = true) {
  const asked: string[] = [];
  const allowed: unknown[] = [];
  const goesOn = await askForMore(
    result,
    { mayRaise: () => mayRaise, allowMore: (more) => void allowed.push(more) },
    async (title, [first]) => {
      asked.push(title, first?.label ?? '');
      return given;
    },
  );
  return { goesOn, asked, allowed };
}

test('a yes allows as much again, in addition to what was spent over the limit', async () => {
  expect(await answer(ended(session), 'more')).toEqual({
    goesOn: true,
    asked: ['The budget of $1.00 for this session is used up. Go on?', 'Go on with $1.00 more'],
    allowed: [{ session: { usd: 1.25 } }],
  });
});

test('the next prompt has a budget of its own, so nothing needs to be allowed', async () => {
  expect(await answer(ended({ ...session, scope: 'run' }), 'more')).toMatchObject({ goesOn: true, allowed: [] });
});

test('stops without an answer, and does not ask what the person may not decide', async () => {
  expect(await answer(ended(session), undefined)).toMatchObject({ goesOn: false, allowed: [] });
  expect(await answer(ended(session), 'more', false)).toEqual({ goesOn: false, asked: [], allowed: [] });
  expect((await answer({ ...ended(session), outcome: 'completed' }, 'more')).asked).toEqual([]);
});
