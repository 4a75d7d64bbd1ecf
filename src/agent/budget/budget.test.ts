import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BudgetOptions } from '../../contract/budget.js';
import type { AgentHappening } from '../../contract/event.js';
import { noUsage } from '../usage.js';
import { Budget } from './budget.js';
import { DaySpending, localDay } from './day-spending.js';
import { SpendingFile } from './spending-file.js';

const model = { provider: 'test', name: 'm', maxOutputTokens: 9, async *stream() {} };
const priced = { ...model, facts: { prices: { input: 1, output: 0 } } };
const tokens = (input_tokens: number) => ({ ...noUsage, input_tokens });
const folder = (): string => mkdtempSync(join(tmpdir(), 'helve-budget-'));

interface Given {
  home?: string;
  now?: () => Date;
}

function budgetOf(limits: BudgetOptions, { home = folder(), now = () => new Date(2026, 2, 4, 12) }: Given = {}) {
  const said: AgentHappening[] = [];
  const budget: Budget = new Budget({
    sessionId: 's',
    limits: (scope) => ({ limits: scope === 'command' ? {} : (limits[scope] ?? {}) }),
    day: new DaySpending(home, { now, notify: (text) => budget.notify(text) }),
  });
  budget.listen((happening) => said.push(happening));
  const notices = () => said.flatMap((one) => (one.type === 'notice' ? [one.text] : []));
  return { budget, home, said, notices };
}

test('a request is refused once a limit is reached, with the limit, what was spent, and how to go on', () => {
  const { budget } = budgetOf({ session: { usd: 2 } });
  budget.spend(priced, tokens(1.9e6));
  budget.check(priced);
  budget.spend(priced, tokens(0.3e6));
  expect(() => budget.check(priced)).toThrow(
    'The budget of $2.00 for this session is used up ($2.20 spent), so the work ends here. What was done stays. Raise budget.session.usd to go on.',
  );
});

test.each([
  ['tokens', { tokens: 100 }, '100 tokens'],
  ['turns', { turns: 1 }, '1 request'],
])('%s are limited too, whether prices are known or not', (_, run, words) => {
  const { budget } = budgetOf({ run });
  budget.beginRun();
  budget.check(model);
  budget.spend(model, tokens(100));
  expect(() => budget.check(model)).toThrow(`The budget of ${words} for this prompt is used up (${words} spent)`);
  budget.beginRun();
  budget.check(model);
});

test('at 80 % the person gets a notice and programs an event, once', () => {
  const { budget, said, notices } = budgetOf({ session: { tokens: 100 } });
  budget.spend(model, tokens(79));
  expect(said).toEqual([]);
  budget.spend(model, tokens(1));
  budget.spend(model, tokens(1));
  expect(notices()).toEqual(['80 % of the budget of 100 tokens for this session is used (80 tokens).']);
  expect(said[0]).toEqual({ type: 'budget', state: 'near', scope: 'session', unit: 'tokens', limit: 100, spent: 80 });
});

test('unknown prices are said once', () => {
  const { budget, notices } = budgetOf({ session: { usd: 1 } });
  budget.check(model);
  budget.check({ ...model });
  expect(notices()).toEqual([
    expect.stringContaining(
      'The prices of test/m are unknown, so its cost does not count towards the budget of $1.00.',
    ),
  ]);
});

test('more can be allowed, but not more than managed settings allow', () => {
  const { budget } = budgetOf({ session: { tokens: 10 } });
  budget.spend(model, tokens(10));
  expect(budget.refusal()).toBeDefined();
  budget.allowMore({ session: { tokens: 10 } });
  expect(budget.refusal()).toBeUndefined();

  const fixed = new Budget({
    sessionId: 's',
    limits: (scope) => (scope === 'session' ? { limits: { tokens: 10 }, fixed: { tokens: 10 } } : { limits: {} }),
  });
  fixed.spend(model, tokens(10));
  fixed.allowMore({ session: { tokens: 10 } });
  expect(fixed.refusal()).toContain('used up');
  expect(fixed.uses().map((use) => fixed.mayRaise(use))).toEqual([false]);
});

test('processes share the budget of a day, and a new day has one of its own', () => {
  let now = new Date(2026, 2, 4, 23, 59);
  const one = budgetOf({ day: { tokens: 100 } }, { now: () => now });
  const other = budgetOf({ day: { tokens: 100 } }, { home: one.home, now: () => now });
  one.budget.spend(model, tokens(60));
  other.budget.spend(model, tokens(50));
  expect(one.budget.refusal()).toContain(
    'The budget of 100 tokens of today, over all sessions, is used up (110 tokens',
  );
  now = new Date(2026, 2, 5, 0, 1);
  expect(one.budget.refusal()).toBeUndefined();
  expect(one.notices()).toContain('The date is now 2026-03-05, so the budget of the day begins again.');
});

test('a clock that is set back frees nothing, and the person learns which file counts', () => {
  let now = new Date(2026, 2, 6);
  const { budget, home } = budgetOf({ day: { tokens: 100 } }, { now: () => now });
  budget.spend(model, tokens(100));
  now = new Date(2026, 2, 5);
  expect(budget.refusal()).toContain('is used up (100 tokens spent)');
  const later = budgetOf({ day: { tokens: 100 } }, { home, now: () => now });
  expect(later.budget.refusal()).toContain('is used up');
  expect(later.notices()).toEqual([
    expect.stringMatching(/2026-03-06\.jsonl is of a later day than today \(2026-03-05\)/),
  ]);
});

test('a new day has a notice at 80 % of its own', () => {
  let now = new Date(2026, 2, 4, 23, 59);
  const { budget, notices } = budgetOf({ day: { tokens: 100 } }, { now: () => now });
  budget.spend(model, tokens(80));
  now = new Date(2026, 2, 5, 0, 1);
  budget.spend(model, tokens(80));
  expect(notices().filter((text) => text.startsWith('80 %'))).toHaveLength(2);
});

test.each([Number.NaN, -100, Number.POSITIVE_INFINITY])('a count of %s tokens changes nothing', (count) => {
  const { budget } = budgetOf({ run: { tokens: 10, usd: 0.00001 } });
  budget.beginRun();
  budget.spend(priced, tokens(count));
  expect(budget.refusal()).toBeUndefined();
  budget.spend(priced, { ...tokens(count), cache_read_input_tokens: 10 });
  expect(budget.uses()).toMatchObject([{ spent: 10 / 1e6 }, { spent: 10 }]);
  expect(budget.refusal()).toContain('is used up');
});

test.skipIf(process.platform === 'win32')('a pipe in place of the file ends the work, and holds nothing up', () => {
  const { budget, home, notices } = budgetOf({ day: { tokens: 10 } });
  mkdirSync(join(home, 'spending'));
  execFileSync('mkfifo', [join(home, 'spending', '2026-03-04.jsonl')]);
  expect(budget.refusal()).toMatch(/2026-03-04\.jsonl can't be read: it is not a file/);
  budget.spend(model, tokens(4));
  expect(notices()).toEqual([expect.stringContaining('could not be written for the budget of the day')]);
});

test('a line of many megabytes is passed over in linear time', () => {
  const file = new SpendingFile(join(folder(), 'day.jsonl'));
  writeFileSync(file.path, `{"tokens":5}\n{"x":"${'y'.repeat(40e6)}","tokens":9}\n{"tokens":1}\n`);
  expect(file.total().tokens).toBe(6);
});

test('a damaged line counts as nothing, and the next line is whole', () => {
  const file = new SpendingFile(join(folder(), 'day.jsonl'));
  writeFileSync(file.path, '{"tokens":5}\n{"tokens":7');
  expect(file.total().tokens).toBe(5);
  file.append({ at: '', session: 's', tokens: 10 });
  appendFileSync(file.path, '\0\0\n{"tokens":-4}\n{"tokens":"many"}\n[]\n');
  expect(file.total().tokens).toBe(15);
  expect(readFileSync(file.path, 'utf8').split('\n')).toContain('{"at":"","session":"s","tokens":10}');
});

test('a file that was removed begins again', () => {
  const { budget, home } = budgetOf({ day: { tokens: 10 } });
  budget.spend(model, tokens(10));
  expect(budget.refusal()).toBeDefined();
  writeFileSync(join(home, 'spending', '2026-03-04.jsonl'), '');
  expect(budget.refusal()).toBeUndefined();
});

test('a total that can not be read ends the work, with the reason', () => {
  const { budget, home } = budgetOf({ day: { tokens: 10 } });
  mkdirSync(join(home, 'spending', '2026-03-04.jsonl'), { recursive: true });
  expect(budget.refusal()).toMatch(/The budget can't be checked.*2026-03-04\.jsonl can't be read: it is not a file/);
  expect(budget.uses()).toEqual([]);
});

test('what can not be written counts in this process, and is written later', () => {
  const { budget, home, notices } = budgetOf({ day: { tokens: 10 } });
  writeFileSync(join(home, 'spending'), 'a file in place of the folder');
  budget.spend(model, tokens(6));
  budget.spend(model, tokens(4));
  expect(budget.refusal()).toContain('used up');
  expect(notices().filter((text) => text.includes('could not be written'))).toHaveLength(1);
  rmSync(join(home, 'spending'));
  budget.spend(model, tokens(1));
  const written = readFileSync(join(home, 'spending', '2026-03-04.jsonl'), 'utf8');
  expect(written.match(/"tokens":\d+/g)).toEqual(['"tokens":6', '"tokens":4', '"tokens":1']);
});

test('a day is one of the calendar of this machine', () => {
  expect(localDay(new Date(2026, 0, 2, 0, 0, 1))).toBe('2026-01-02');
  expect(localDay(new Date(2026, 11, 31, 23, 59, 59))).toBe('2026-12-31');
});
