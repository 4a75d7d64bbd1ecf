import fc from 'fast-check';
import { expect, test } from 'vitest';
import { containsText } from './contains-text.js';

test('agrees with String.prototype.includes', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 12 });
  const agrees = fc.property(few, few, (text, part) => {
    expect(containsText(text, part)).toBe(text.includes(part));
  });
  fc.assert(agrees, { numRuns: 2_000 });
});
