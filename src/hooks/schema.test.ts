import { expect, test } from 'vitest';
import { hooksSchema, readHooks } from './schema.js';

const origin = { source: 'settings.json', trusted: true };
const command = { type: 'command', command: 'check' };
const inGroup = (hook: object) => ({ PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] });

test('reads hooks in the order of the file', () => {
  const settings = {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          { ...command, timeout: 5 },
          { type: 'http', url: 'http://127.0.0.1:1/x' },
        ],
      },
      { hooks: [{ ...command, onFailure: 'block', if: 'Bash(git *)' }] },
    ],
    Stop: [{ hooks: [{ type: 'command', command: 'node', args: ['stop.js'], async: true }] }],
  };
  expect(hooksSchema.parse(settings)).toEqual(settings);
  expect(readHooks(settings, origin)).toEqual({
    configured: [
      { event: 'PreToolUse', matcher: 'Bash', hook: { ...command, timeout: 5 }, ...origin },
      { event: 'PreToolUse', matcher: 'Bash', hook: { type: 'http', url: 'http://127.0.0.1:1/x' }, ...origin },
      { event: 'PreToolUse', matcher: '', hook: { ...command, onFailure: 'block', if: 'Bash(git *)' }, ...origin },
      {
        event: 'Stop',
        matcher: '',
        hook: { type: 'command', command: 'node', args: ['stop.js'], async: true },
        ...origin,
      },
    ],
    problems: [],
  });
});

test.each([
  [{ PreToolUse: [{ matchr: 'Bash', hooks: [command] }] }, 'hooks.PreToolUse[0].matchr', 1],
  [inGroup({ ...command, timout: 3 }), 'hooks.PreToolUse[0].hooks[0].timout', 1],
  [inGroup({ ...command, timeout: '3' }), 'hooks.PreToolUse[0].hooks[0].timeout', 1],
  [inGroup({ ...command, timeout: -1 }), 'hooks.PreToolUse[0].hooks[0].timeout', 1],
  [inGroup({ ...command, if: 5 }), 'hooks.PreToolUse[0].hooks[0].if', 0],
  [inGroup({ type: 'command' }), 'hooks.PreToolUse[0].hooks[0].command', 0],
  [inGroup({ type: 'prompt', prompt: 'Is it good?' }), 'hooks.PreToolUse[0].hooks[0].type', 0],
  [inGroup({ ...command, shell: 'powershell' }), 'hooks.PreToolUse[0].hooks[0].shell', 0],
  [inGroup({ type: 'http', url: 'file:///etc/passwd' }), 'hooks.PreToolUse[0].hooks[0].url', 0],
  [inGroup({ type: 'http', url: 'http://user:word@host/' }), 'hooks.PreToolUse[0].hooks[0].url', 0],
  [{ PreToolUse: [{ matcher: '*Edit', hooks: [command] }] }, 'hooks.PreToolUse[0].matcher', 0],
  [{ PreToolUse: [{ matcher: 5, hooks: [command] }] }, 'hooks.PreToolUse[0].matcher', 0],
  [{ PreToolUse: [command] }, 'hooks.PreToolUse[0]', 0],
  [{ PreToolUse: [{ hooks: ['check'] }] }, 'hooks.PreToolUse[0].hooks[0]', 0],
  [{ PreToolUse: command }, 'hooks.PreToolUse', 0],
  [{ preToolUse: [{ hooks: [command] }] }, 'hooks.preToolUse', 0],
  [[command], 'hooks', 0],
  [null, 'hooks', 0],
])('%j is reported at %s, and %i of its hooks runs', (value, path, count) => {
  const { configured, problems } = readHooks(value, origin);
  expect(problems.map((problem) => problem.path)).toEqual([path]);
  expect(configured).toHaveLength(count);
});

test('an invalid hook does not affect the others', () => {
  const settings = {
    PreToolUse: [{ hooks: [{ type: 'agent' }, command] }, 'x'],
    Other: [],
    Stop: [{ hooks: [command] }],
  };
  const { configured, problems } = readHooks(settings, origin);
  expect(configured.map(({ event }) => event)).toEqual(['PreToolUse', 'Stop']);
  expect(problems).toHaveLength(3);
});

test('reports the problem and its consequence', () => {
  expect(readHooks(inGroup({ ...command, timeout: '3' }), origin).problems).toEqual([
    {
      path: 'hooks.PreToolUse[0].hooks[0].timeout',
      message: 'must be a number of seconds above 0, but was "3"; the default is used',
      fatal: false,
    },
  ]);
});

test('dropping a hook whose failures block is fatal', () => {
  const { problems } = readHooks(inGroup({ type: 'prompt', onFailure: 'block' }), origin);
  expect(problems).toMatchObject([{ fatal: true }]);
  expect(readHooks({ Nothing: [{ hooks: [{ onFailure: 'block' }] }] }, origin).problems).toMatchObject([
    { fatal: true },
  ]);
});

test('any other value of onFailure counts as "block"', () => {
  const { configured } = readHooks(inGroup({ ...command, onFailure: 'deny' }), origin);
  expect(configured).toMatchObject([{ hook: { onFailure: 'block' } }]);
});

test.each([
  [inGroup({ ...command, onfailure: 'block' }), 'Did you mean onFailure?'],
  [inGroup({ ...command, on_failure: 'block' }), 'Did you mean onFailure?'],
  [inGroup({ ...command, timout: 3 }), 'Did you mean timeout?'],
  [{ PreToolUse: [{ matchr: 'Bash', hooks: [command] }] }, 'Did you mean matcher?'],
])('a misspelt field is reported with the nearest name: %j', (value, hint) => {
  expect(readHooks(value, origin).problems).toMatchObject([{ message: expect.stringContaining(hint) }]);
});

test('a misspelt event is reported with the nearest name', () => {
  const { problems } = readHooks({ PretoolUse: [] }, { source: 'f', trusted: true });
  expect(problems).toEqual([
    {
      path: 'hooks.PretoolUse',
      message: 'is not an event of Helve, so its hooks never run. Did you mean PreToolUse?',
      fatal: false,
    },
  ]);
});
