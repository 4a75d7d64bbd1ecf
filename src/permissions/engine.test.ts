import { expect, test } from 'vitest';
import type { Effect } from '../contract/effect.js';
import type { PermissionMode } from '../contract/permission.js';
import { decideBy } from './engine.js';

const decide = (effects: Effect[], mode: PermissionMode = 'default', checkAsks?: string) =>
  decideBy(() => ({
    mode,
    workspace: ['/work/project', '/added'],
    dataFolders: ['/home/me/.helve', '/linked/helve'],
    resultsFolder: '/home/me/.helve/sessions/1/results',
  }))({ tool: 'Any', input: {}, effects, ...(checkAsks !== undefined && { checkAsks }) });

const file = (access: 'read' | 'write', path: string, real = path): Effect => ({ kind: 'file', access, path, real });
const command = (harmless: boolean): Effect => ({ kind: 'command', text: 'x', harmless });
const cwd: Effect = { kind: 'session', access: 'write', what: 'cwd' };
const unknown: Effect = { kind: 'unknown', why: 'it could touch anything' };

test.each<[string, Effect[], PermissionMode, 'allow' | 'ask' | 'deny']>([
  ['nothing touched', [], 'default', 'allow'],
  ['a read in the project', [file('read', '/work/project/a')], 'default', 'allow'],
  ['a read in an added folder', [file('read', '/added/a')], 'default', 'allow'],
  ['a read beside the project', [file('read', '/work/project-evil/a')], 'default', 'ask'],
  ['a link that leads out of the project', [file('read', '/work/project/a', '/etc/passwd')], 'default', 'ask'],
  ['a name outside that leads in', [file('read', '/tmp/link', '/work/project/a')], 'default', 'ask'],
  ['a write in the project', [file('write', '/work/project/a')], 'default', 'ask'],
  ['a read and a write', [file('read', '/work/project/a'), file('write', '/work/project/a')], 'default', 'ask'],
  ['a harmless command', [command(true), cwd], 'default', 'allow'],
  ['another command', [command(false)], 'default', 'ask'],
  ['the network', [{ kind: 'network', url: 'https://x.test' }], 'default', 'ask'],
  ['an unknown', [unknown], 'default', 'ask'],
  ['an unknown', [unknown], 'bypassPermissions', 'allow'],
  ['a write in the project', [file('write', '/work/project/a')], 'plan', 'deny'],
  ['a read in the project', [file('read', '/work/project/a')], 'plan', 'allow'],
  ['a read elsewhere', [file('read', '/etc/hosts')], 'plan', 'ask'],
  ['a harmless command', [command(true)], 'plan', 'allow'],
  ['another command', [command(false)], 'plan', 'deny'],
  ['an unknown', [unknown], 'plan', 'deny'],
  ['an unknown', [unknown], 'dontAsk', 'deny'],
  ['a read in the project', [file('read', '/work/project/a')], 'dontAsk', 'allow'],
  ['a saved result', [file('read', '/home/me/.helve/sessions/1/results/x.txt')], 'default', 'allow'],
  [
    'a write to a saved result',
    [file('write', '/home/me/.helve/sessions/1/results/x.txt')],
    'bypassPermissions',
    'deny',
  ],
  [
    'the results of another session',
    [file('read', '/home/me/.helve/sessions/2/results/x')],
    'bypassPermissions',
    'deny',
  ],
  ['our own data by its other name', [file('read', '/linked/helve/x')], 'bypassPermissions', 'deny'],
  [
    'a link into our own data',
    [file('read', '/work/project/a', '/home/me/.helve/trust.json')],
    'bypassPermissions',
    'deny',
  ],
])('%s: %j in mode %s gives %s', (_, effects, mode, expected) => {
  expect(decide(effects, mode).behavior).toBe(expected);
  expect(decide(effects.toReversed(), mode).behavior).toBe(expected);
});

test('names both names of a link, so that nobody agrees to the wrong one', () => {
  expect(decide([file('write', '/work/project/notes', '/home/me/.ssh/authorized_keys')]).reason).toBe(
    'it writes /work/project/notes (really /home/me/.ssh/authorized_keys)',
  );
});

test("puts a tool's own question in every mode but where nobody is to be asked", () => {
  expect(decide([], 'bypassPermissions', 'the text holds a key')).toEqual({
    behavior: 'ask',
    reason: 'the text holds a key',
  });
  expect(decide([], 'dontAsk', 'the text holds a key').behavior).toBe('deny');
});
