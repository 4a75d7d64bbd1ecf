import { expect, test } from 'vitest';
import { resultPreview } from './result-preview.js';

const tap = `TAP version 13
# Subtest: a few items cost their price
ok 1 - a few items cost their price
# Subtest: ten or more items are cheaper
not ok 2 - ten or more items are cheaper
  ---
  error: 'Expected values to be strictly equal'
  expected: 900
  actual: 1000
  ...
1..2`;

test('of failing tests, the preview names the test and why it failed', () => {
  expect(resultPreview(`Exit code 1\n${tap}`, true)).toEqual([
    'Exit code 1',
    'not ok 2 - ten or more items are cheaper',
    "error: 'Expected values to be strictly equal'",
  ]);
});

test('the preview of a success begins at the first line with content, not with a banner', () => {
  expect(resultPreview('\n> shop@1.0.0 test\n> node --test\n\nTAP version 13\nok 1 - adds up\n', false)).toEqual([
    'ok 1 - adds up',
  ]);
  expect(resultPreview('TAP version 13', false)).toEqual(['TAP version 13']);
  expect(resultPreview('x'.repeat(200), false)[0]).toHaveLength(100);
});
