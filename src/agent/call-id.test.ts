import fc from 'fast-check';
import { expect, test } from 'vitest';
import { uniqueCallId } from './call-id.js';

test('gives each call a unique id that every provider accepts', () => {
  const id = fc.oneof(fc.constantFrom('', 'a', 'a_2', 'a.b', 'call_2', 'x'.repeat(70)), fc.string());
  fc.assert(
    fc.property(fc.array(id, { maxLength: 30 }), (ids) => {
      const given = claimAll(ids);
      expect(new Set(given).size).toBe(ids.length);
      for (const each of given) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }),
  );
});

test('numbers repeated ids, and skips numbers that are taken', () => {
  expect(claimAll(['a', 'a', 'a_3', 'a', '', ''])).toEqual(['a', 'a_2', 'a_3', 'a_4', 'call_2', 'call_3']);
});

test('checks at most two candidates for each repeated id', () => {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  let looks = 0;
  const isTaken = (id: string) => {
    looks += 1;
    return taken.has(id);
  };
  for (let count = 0; count < 1000; count += 1) taken.add(uniqueCallId('a', isTaken, numbers));
  expect(looks).toBeLessThanOrEqual(2000);
});

function claimAll(ids: readonly string[]): string[] {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return ids.map((id) => {
    const given = uniqueCallId(id, (candidate) => taken.has(candidate), numbers);
    taken.add(given);
    return given;
  });
}
