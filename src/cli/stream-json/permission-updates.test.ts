import { expect, test } from 'vitest';
import { suggestedUpdates, wantedUpdates } from './permission-updates.js';

const offered = ['Bash(npm run test:*)', 'Edit(//project/a (1).txt)', 'WebSearch'];

test('suggests rules about files for the session, and other rules for the project', () => {
  expect(suggestedUpdates(offered)).toEqual([
    {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'npm run test:*' }, { toolName: 'WebSearch' }],
      behavior: 'allow',
      destination: 'localSettings',
    },
    {
      type: 'addRules',
      rules: [{ toolName: 'Edit', ruleContent: '//project/a (1).txt' }],
      behavior: 'allow',
      destination: 'session',
    },
  ]);
  expect(suggestedUpdates([])).toEqual([]);
});

test('accepts its own suggestions', () => {
  expect(wantedUpdates(suggestedUpdates(offered), offered)).toEqual({
    rules: new Map([
      ['Bash(npm run test:*)', 'local'],
      ['WebSearch', 'local'],
      ['Edit(//project/a (1).txt)', 'session'],
    ]),
    problems: [],
  });
});

const rule = (toolName: unknown, ruleContent?: string, more: object = {}) => [
  { type: 'addRules', rules: [{ toolName, ruleContent }], behavior: 'allow', destination: 'session', ...more },
];

test.each([
  ['a wider rule', rule('Bash')],
  ['another rule', rule('Bash', 'npm:*')],
  ['a rule without a tool', rule(5)],
  ['a rule for nowhere', rule('WebSearch', undefined, { destination: 'cliArg' })],
  ['a rule for a place that every object has', rule('WebSearch', undefined, { destination: 'constructor' })],
  ['a rule that denies', rule('WebSearch', undefined, { behavior: 'deny' })],
  ['a folder', [{ type: 'addDirectories', directories: ['/'], destination: 'session' }]],
  ['a mode that there is not', [{ type: 'setMode', mode: 'yolo', destination: 'session' }]],
  ['no object', ['WebSearch']],
])('ignores %s, and says so', (_, updates) => {
  const { rules, mode, problems } = wantedUpdates(updates, offered);
  expect([rules.size, mode, problems.length]).toEqual([0, undefined, 1]);
});

test('accepts a change of the mode, and an empty list', () => {
  expect(wantedUpdates([{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }], [])).toMatchObject({
    mode: 'acceptEdits',
    problems: [],
  });
  for (const nothing of [undefined, null, [], {}, 'all']) {
    expect(wantedUpdates(nothing, offered)).toEqual({ rules: new Map(), problems: [] });
  }
});
