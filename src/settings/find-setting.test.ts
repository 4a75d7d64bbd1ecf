import { expect, test } from 'vitest';
import { findSetting } from './find-setting.js';

test.each([
  ['permisions.allow', 'permissions.allow'],
  ['permisions.alow', 'permissions.allow'],
  ['permissions.alow', 'permissions.allow'],
])('%s is told to mean %s', (typed, meant) => {
  expect(findSetting(typed)).toEqual({ problem: `There is no setting "${typed}". Did you mean "${meant}"?` });
});

test('a name that resembles no setting names the command that lists them', () => {
  const problem = 'There is no setting "zzz.allow". helve config keys lists all of them.';
  expect(findSetting('zzz.allow')).toEqual({ problem });
});
