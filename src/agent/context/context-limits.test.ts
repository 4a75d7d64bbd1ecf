import { expect, test } from 'vitest';
import { ContextLimits, contextFrom } from './context-limits.js';

const model = { maxOutputTokens: 32_000, facts: { contextTokens: 200_000 } };

test('reserves room for the answer, and compacts a little before the limit', () => {
  const limits = new ContextLimits(model, {});
  expect(limits).toMatchObject({ window: 200_000, limit: 168_000, threshold: 154_560 });
});

test('reserves at most a quarter of a small window for the answer', () => {
  expect(new ContextLimits({ ...model, facts: { contextTokens: 8_000 } }, {}).limit).toBe(6_000);
});

test('assumes the usual window size for an unknown model', () => {
  expect(new ContextLimits({ maxOutputTokens: 4_000 }, {})).toMatchObject({ window: 128_000, limit: 124_000 });
});

test('lowers the limit when a provider refuses a request, and a larger refused request does not raise it', () => {
  const limits = new ContextLimits(model, {});
  expect(limits.refused(100_000, 5_000)).toBe(true);
  expect(limits.limit).toBe(90_000);
  limits.refused(160_000, 5_000);
  expect(limits.limit).toBe(90_000);
});

test('learns a small window of an unknown model at once', () => {
  const limits = new ContextLimits({ maxOutputTokens: 4_000 }, {});
  expect(limits.refused(5_000, 1_000)).toBe(true);
  expect(limits.limit).toBe(4_500);
});

test('one refusal far below the known window does not count, a second one after an answer does', () => {
  const limits = new ContextLimits(model, {});
  expect(limits.refused(4_000, 1_000)).toBe(false);
  expect(limits.refused(3_000, 1_000)).toBe(false);
  expect(limits.limit).toBe(168_000);
  limits.answered(30_000);
  expect(limits.refused(35_000, 1_000)).toBe(true);
  expect(limits.limit).toBe(31_500);
});

test('never lowers the limit below a request that was answered', () => {
  const limits = new ContextLimits(model, {});
  limits.answered(120_000);
  expect(limits.refused(100_000, 5_000)).toBe(true);
  expect(limits.limit).toBe(120_000);
  limits.reset();
  expect(limits.limit).toBe(168_000);
});

test('keeps at least half of the conversation when tools are most of a refused request', () => {
  const limits = new ContextLimits({ maxOutputTokens: 4_000 }, {});
  limits.refused(10_000, 9_600);
  expect(limits.limit).toBe(9_800);
});

test('leaves some room even if tools fill the window', () => {
  expect(new ContextLimits(model, { windowTokens: 4_000 }).room(10_000)).toBe(300);
});

test.each([
  [{}, {}],
  [
    { HELVE_CONTEXT_TOKENS: '32768', HELVE_AUTO_COMPACT_PCT: ' 80 ' },
    { windowTokens: 32_768, compactAtPercent: 80 },
  ],
  [{ HELVE_AUTO_COMPACT_PCT: '0' }, { compactAtPercent: 0 }],
  [{ HELVE_CONTEXT_TOKENS: '' }, {}],
])('reads %j', (env, options) => {
  expect(contextFrom(env)).toEqual(options);
});

test.each([
  [{ HELVE_AUTO_COMPACT_PCT: '101' }, 'HELVE_AUTO_COMPACT_PCT is "101", which is not a whole number from 0 to 100.'],
  [{ HELVE_AUTO_COMPACT_PCT: '80%' }, 'HELVE_AUTO_COMPACT_PCT is "80%"'],
  [{ HELVE_CONTEXT_TOKENS: '8k' }, 'HELVE_CONTEXT_TOKENS is "8k", which is not a whole number from 1000'],
  [{ HELVE_CONTEXT_TOKENS: '10' }, 'HELVE_CONTEXT_TOKENS is "10"'],
])('rejects %j with a message', (env, message) => {
  expect(() => contextFrom(env)).toThrow(message);
});

test('0 percent turns compaction off', () => {
  expect(new ContextLimits(model, { compactAtPercent: 0 }).threshold).toBeUndefined();
});
