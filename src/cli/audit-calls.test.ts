import { expect, test } from 'vitest';
import { auditedCallLines } from './audit-calls.js';

test('a call that failed says how, also without a decision', () => {
  const entry = { call: 'a', tool: 'Edit', at: '2026-01-01T00:00:00.000Z', hash: '' };
  const failed = (more: object): string =>
    auditedCallLines([
      { ...entry, n: 1, type: 'call', input: { file_path: 'a.ts' } },
      { ...entry, n: 2, type: 'result', ok: false, ...more },
    ]).join('\n');
  expect(failed({ failure: 'invalid_input' })).toMatch(/✗ Edit {2}a\.ts {2}failed: the input was not valid$/);
  expect(failed({ failure: 'permission_denied' })).toMatch(/⊘ Edit {2}a\.ts {2}denied$/);
});
