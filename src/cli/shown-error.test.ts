import { expect, test } from 'vitest';
import { UserFacingError } from '../contract/user-facing-error.js';
import { DatabaseProblem } from '../fleet/postgres.js';
import { AuthProblem } from '../platform/oauth/auth-problem.js';
import { WorktreeProblem } from '../platform/worktrees/worktree-problem.js';
import { PluginProblem } from '../plugins/plugin-problem.js';
import { shownError } from './shown-error.js';

class NewProblem extends UserFacingError {}

test.each([NewProblem, DatabaseProblem, AuthProblem, WorktreeProblem, PluginProblem])(
  'the message of an error for people is printed as it is: %o',
  async (Problem) => {
    expect(await shownError(new Problem('It is full. Free some space.'))).toBe('It is full. Free some space.');
  },
);

test('any other error is unexpected, and where it comes from can be seen with HELVE_DEBUG', async () => {
  expect(await shownError(new TypeError('x is not a function'))).toBe(
    'Unexpected error: x is not a function. Run again with HELVE_DEBUG=1 to see where.',
  );
});
