import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholePatch } from './whole-patch.js';

const lines = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}\n`).join('');

test('shows all of a large new file', () => {
  const text = lines('a line of a large file ', 20_000);
  const { patch, isPartial } = wholePatch('a.txt', '', text);
  expect(isPartial).toBeUndefined();
  expect(patch).toContain('\n@@ -0,0 +1,20000 @@\n+a line of a large file 0\n');
  expect(patch.endsWith('\n+a line of a large file 19999')).toBe(true);
});

test('shows all of a large change, even of texts that take long to compare', () => {
  const [before, after] = [`same\n${lines('old ', 12_000)}end\n`, `same\n${lines('new ', 12_000)}end\n`];
  const { patch, isPartial } = wholePatch('a.txt', before, after);
  expect(isPartial).toBeUndefined();
  expect(applyPatch(before, `${patch}\n`)).toBe(after);
});

test('says that a change beyond two million characters is not shown', () => {
  expect(wholePatch('a.txt', '', 'x'.repeat(2_000_001))).toEqual({
    patch: '(the difference is too large to show: 0 lines before, 1 after)',
    isPartial: true,
  });
});

test('the patch turns one text into the other, for any change', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    .chain((some) => fc.boolean().map((ends) => some.join('\n') + (ends ? '\n' : '')));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { patch } = wholePatch('a.txt', before, after);
      expect(patch === '' ? before : applyPatch(before, `${patch}\n`)).toBe(after);
    }),
    { numRuns: 1_000 },
  );
});
