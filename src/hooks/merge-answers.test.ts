import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HookReply, mergeAnswers } from './merge-answers.js';

const original = { command: 'ls', timeout: 5 };
const reply = (fields: Partial<HookReply>): HookReply => ({ name: 'hook', reports: [], ...fields });

const replies = fc.array(
  fc
    .record(
      {
        name: fc.constantFrom('a', 'b', 'c'),
        behavior: fc.constantFrom('allow', 'ask', 'deny'),
        reason: fc.string(),
        updatedInput: fc.dictionary(fc.constantFrom('command', 'timeout', 'other', '__proto__'), fc.jsonValue()),
        additionalContext: fc.string(),
        block: fc.record({ reason: fc.string() }),
        stop: fc.record({ reason: fc.string() }),
      },
      { requiredKeys: ['name'] },
    )
    .map((fields) => reply(fields)),
  { maxLength: 6 },
);

test('the strictest answer wins', () => {
  fc.assert(
    fc.property(replies, (given) => {
      const { behavior, answers } = mergeAnswers(given, original);
      const said = answers.map((answer) => answer.behavior);
      expect(behavior).toBe(['deny', 'ask', 'allow'].find((one) => said.some((other) => other === one)));
      const strict = given.filter((one) => one.behavior === 'deny' || one.behavior === 'ask');
      expect(said.filter((one) => one !== 'allow')).toEqual(strict.map((one) => one.behavior));
    }),
  );
});

test('an additional hook never makes the result less strict', () => {
  const rank = { allow: 1, ask: 2, deny: 3 };
  fc.assert(
    fc.property(replies, replies, fc.nat(6), (given, added, place) => {
      const more = given.toSpliced(place, 0, ...added);
      const [before, after] = [mergeAnswers(given, original), mergeAnswers(more, original)];
      if (before.behavior && before.behavior !== 'allow') {
        expect(rank[after.behavior ?? 'allow']).toBeGreaterThanOrEqual(rank[before.behavior]);
      }
      if (before.block) expect(after.block).toBeDefined();
      if (before.stop) expect(after.stop).toBeDefined();
    }),
  );
});

test('the input of a single hook is used exactly as returned', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (updatedInput, before) => {
      expect(mergeAnswers([reply({ updatedInput })], before).updatedInput).toEqual({ ...updatedInput });
    }),
  );
});

test('input changes are applied in configuration order, and for each field the later one wins', () => {
  const { updatedInput } = mergeAnswers(
    [
      reply({ updatedInput: { command: 'ls -a', timeout: 5 } }),
      reply({ updatedInput: { command: 'ls', timeout: 9, description: 'lists' } }),
      reply({ updatedInput: { command: 'ls -l', timeout: 5 } }),
    ],
    original,
  );
  expect(updatedInput).toEqual({ command: 'ls -l', timeout: 9, description: 'lists' });
});

test('a field that one hook leaves out is removed, although another hook kept it', () => {
  const { updatedInput } = mergeAnswers(
    [reply({ updatedInput: { command: 'ls' } }), reply({ updatedInput: { command: 'ls -l', timeout: 5 } })],
    original,
  );
  expect(updatedInput).toEqual({ command: 'ls -l' });
});

test('an allow does not cover changes by another hook', () => {
  const allow = reply({ name: 'gate', behavior: 'allow' });
  const rewrite = reply({ name: 'rewriter', updatedInput: { command: 'rm x', timeout: 5 } });
  expect(mergeAnswers([allow, rewrite], original)).toMatchObject({
    answers: [],
    reports: [expect.stringContaining('"gate" allowed a call that another hook changed')],
  });
  const both = reply({ ...rewrite, behavior: 'allow' });
  expect(mergeAnswers([both], original).behavior).toBe('allow');
  expect(mergeAnswers([allow, reply({ updatedInput: original })], original).behavior).toBe('allow');
});

test('texts are in configuration order, and the first hook that stops gives the reason', () => {
  expect(
    mergeAnswers([
      reply({ additionalContext: 'one', block: { reason: 'x' }, message: 'm', reports: ['r'] }),
      reply({
        additionalContext: 'two',
        block: { reason: 'y' },
        stop: { reason: 'first' },
        updatedOutput: { value: 1 },
      }),
      reply({ stop: { reason: 'second' }, updatedOutput: { value: 2 }, message: 'n', reports: ['s'] }),
    ]),
  ).toEqual({
    answers: [],
    additionalContext: ['one', 'two'],
    block: { reason: 'x\ny' },
    stop: { reason: 'first' },
    updatedOutput: { value: 2 },
    messages: ['m', 'n'],
    reports: ['r', 's'],
  });
});
