import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Behavior, Decide } from '../../contract/permission.js';
import { narrowed } from './child-environment.js';

const saying =
  (behavior: Behavior): Decide =>
  () => ({ behavior, reason: behavior });
const behavior = fc.constantFrom<Behavior>('allow', 'ask', 'deny');
const rank = { allow: 0, ask: 1, deny: 2 } as const;
const request = { tool: 'T', input: {}, effects: [] };

test('a child at any depth is never allowed more than its parent or its own mode allows', () => {
  fc.assert(
    fc.property(fc.array(behavior, { minLength: 1 }), (chain) => {
      const [root = 'deny', ...below] = chain;
      const decide = below.reduce((outer, own) => narrowed(outer, saying(own)), saying(root));
      expect(rank[decide(request).behavior]).toBe(Math.max(...chain.map((each) => rank[each])));
    }),
  );
});
