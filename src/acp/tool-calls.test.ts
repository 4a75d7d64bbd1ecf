import { expect, test } from 'vitest';
import { titleOf } from './tool-calls.js';

test.each([
  ['Agent', { title: 'Agent' }, 'Agent'],
  ['ExitPlanMode', { action: 'Plan', title: 'plan' }, 'Plan'],
  [
    'ExitPlanMode',
    { action: 'Plan', title: 'approved', facts: ['with your changes'] },
    'Plan approved (with your changes)',
  ],
  ['Read', { title: 'read.ts' }, 'Read read.ts'],
  ['Think', { title: '' }, 'Think'],
])('the title of a call says the name of its action once: %s %o', (tool, display, title) => {
  expect(titleOf(tool, display)).toBe(title);
});
