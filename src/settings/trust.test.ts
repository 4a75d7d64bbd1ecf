import { chmodSync, statSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { local, machine, project } from '../testing/temporary-machine.js';
import { type CoveredItem, describeItem } from './covered-item.js';
import { loadSettings } from './load.js';
import { trustNotice } from './settings-problem.js';
import { approveItem, followInstructions, forgetTrust, trustFolder, trustState } from './trust.js';

const hook = (command: string) => ({ Stop: [{ hooks: [{ type: 'command', command }] }] });

test('a trusted folder stays trusted, and no other folder is', async () => {
  const here = machine({
    [project]: { model: 'x', hooks: hook('./a') },
    'project/below/.helve/settings.json': { model: 'y' },
  });
  const { trust } = await loadSettings(here);
  await trustFolder(trust.folder, trust.covered, here);
  const after = await loadSettings(here);
  expect([after.trust.state, after.trust.by, after.model?.value, after.hooks[0]?.trusted]).toEqual([
    'trusted',
    'approval',
    'x',
    true,
  ]);
  const below = await loadSettings({ ...here, root: here.path('project/below') });
  expect([below.trust.state, below.model]).toEqual(['untrusted', undefined]);
});

test('a changed hook and a new server need approval again, while the rest still applies', async () => {
  const here = machine({ [project]: { model: 'x', hooks: hook('./a') } });
  const { trust } = await loadSettings(here);
  await trustFolder(trust.folder, trust.covered, here);
  here.write(project, { model: 'x', hooks: hook('./b'), mcpServers: { s: { command: 's' } } });
  const after = await loadSettings(here);
  expect(after.trust.state).toBe('changed');
  expect(after.trust.pending.map(({ key, name, change }) => [key, name, change])).toEqual([
    ['hooks', 'Stop', 'changed'],
    ['mcpServers', 's', 'new'],
  ]);
  expect([after.model?.value, after.hooks.map(({ trusted }) => trusted), after.mcpServers.size]).toEqual([
    'x',
    [false],
    0,
  ]);
  expect(trustNotice(after.trust)).toBe(
    'Settings of this folder do not count, because they are new or changed since you trusted it: hooks.Stop, mcpServers.s. To look at them and trust the folder: helve config trust; for one run: --trust.',
  );
});

test.each<[string, CoveredItem, CoveredItem]>([
  [
    'an argument of a server',
    { key: 'mcpServers', name: 's', value: { command: 'a', args: ['b'] } },
    { key: 'mcpServers', name: 's', value: { command: 'a', args: ['b', 'c'] } },
  ],
  [
    'a variable of a server',
    { key: 'mcpServers', name: 's', value: { env: { A: '1' } } },
    { key: 'mcpServers', name: 's', value: { env: { A: '2' } } },
  ],
  ['the value of a variable', { key: 'env', name: 'A', value: '1' }, { key: 'env', name: 'A', value: '2' }],
  ['the name of a variable', { key: 'env', name: 'A', value: '1' }, { key: 'env', name: 'B', value: '1' }],
  ['the kind of a value', { key: 'x', value: { a: 1 } }, { key: 'x', value: [['a', 1]] }],
  [
    'a matcher',
    { key: 'hooks', name: 'Stop', value: { matcher: 'a', hook: {} } },
    { key: 'hooks', name: 'Stop', value: { matcher: 'b', hook: {} } },
  ],
])('%s that changes needs approval again', async (_, before, after) => {
  const here = machine();
  await trustFolder(here.root, [before], here);
  expect([trustState(here.root, [before], here).state, trustState(here.root, [after], here).state]).toEqual([
    'trusted',
    'changed',
  ]);
});

test('another order of keys, or a removed item, needs no new approval', async () => {
  const here = machine();
  const item = { key: 'mcpServers', name: 's', value: { command: 'a', args: ['b'] } };
  await trustFolder(here.root, [item, { key: 'env', name: 'A', value: '1' }], here);
  const turned = { ...item, value: { args: ['b'], command: 'a' } };
  expect(trustState(here.root, [turned], here)).toMatchObject({ state: 'trusted', pending: [] });
});

test('one approved item applies although the folder is not trusted', async () => {
  const here = machine({ [local]: { permissions: { allow: ['Bash(ls)', 'Bash(rm *)'] } } });
  await approveItem(here.root, { key: 'permissions.allow', value: 'Bash(ls)' }, here);
  const { rules, trust } = await loadSettings(here);
  expect([trust.state, rules.map(({ trusted }) => trusted)]).toEqual(['untrusted', [true, false]]);
});

test('trust can be revoked', async () => {
  const here = machine();
  await trustFolder(here.root, [], here);
  expect(await forgetTrust(here.root, here)).toBe(true);
  expect([trustState(here.root, [], here).state, await forgetTrust(here.root, here)]).toEqual(['untrusted', false]);
});

test('concurrent decisions to trust are all kept', async () => {
  const here = machine();
  const folders = Array.from({ length: 12 }, (_, index) => here.path(`folder-${index}`));
  await Promise.all(folders.map((folder) => trustFolder(folder, [], here)));
  expect(folders.map((folder) => trustState(folder, [], here).state)).toEqual(folders.map(() => 'trusted'));
});

test('only the user can read the record of trusted folders', async () => {
  const here = machine();
  await trustFolder(here.root, [], here);
  expect(statSync(here.path('home/.helve/trust.json')).mode & 0o777).toBe(0o600);
});

test('a stale lock does not block', async () => {
  const here = machine({
    'home/.helve/trust.json.lock': { pid: 2 ** 22 + 1, started: 1, boot: 'long ago', space: '', host: 'here' },
  });
  const { thisProcess } = await import('../platform/journal/process-identity.js');
  here.write('home/.helve/trust.json.lock', { ...(await thisProcess()), boot: 'an earlier one' });
  await trustFolder(here.root, [], here);
  expect(trustState(here.root, [], here).state).toBe('trusted');
});

test('a record that others may write, that is a symlink or that is broken makes nothing trusted', async () => {
  const here = machine();
  const file = here.path('home/.helve/trust.json');
  await trustFolder(here.root, [], here);
  const good = here.text('home/.helve/trust.json');
  chmodSync(file, 0o666);
  expect(trustState(here.root, [], here)).toMatchObject({
    state: 'untrusted',
    problem: expect.stringContaining('other users may write it'),
  });
  chmodSync(file, 0o600);
  here.write('home/.helve/trust.json', good.slice(0, -5));
  expect(trustState(here.root, [], here)).toMatchObject({
    state: 'untrusted',
    problem: expect.stringContaining('it is not valid JSON'),
  });
  await expect(trustFolder(here.root, [], here)).rejects.toThrow('Correct or delete it.');
  const linked = machine({ 'elsewhere.json': good });
  linked.write('home/.helve/x', '');
  symlinkSync(linked.path('elsewhere.json'), linked.path('home/.helve/trust.json'));
  expect(trustState(here.root, [], linked)).toMatchObject({
    state: 'untrusted',
    problem: expect.stringContaining('it is a link'),
  });
  expect((await loadSettings({ ...linked, root: here.root })).problems[0]?.message).toContain('it is a link');
});

test('everything to be trusted is shown in full, with invisible characters made visible', () => {
  const item = { key: 'env', name: 'A', value: 'a\u202e\u200b\n\u001b[2Jb' };
  expect(describeItem(item)).toBe('env.A: a\\u202e\\u{200b}\\u{a}\\u001b[2Jb');
});

const item: CoveredItem = { key: 'env', name: 'A', value: 'b' };

test('following the instructions of a folder trusts nothing else in it, and survives changes', async () => {
  const here = machine({});
  await followInstructions(here.root, here);
  expect(trustState(here.root, [item], here)).toMatchObject({
    state: 'untrusted',
    followsInstructions: true,
    pending: [{ key: 'env' }],
  });
  await approveItem(here.root, item, here);
  expect(trustState(here.root, [item], here)).toMatchObject({ state: 'untrusted', followsInstructions: true });
  await forgetTrust(here.root, here);
  expect(trustState(here.root, [], here)).toMatchObject({ state: 'untrusted', followsInstructions: false });
});

test('a trusted folder keeps its instructions while a changed item waits', async () => {
  const here = machine({});
  await trustFolder(here.root, [], here);
  expect(trustState(here.root, [item], here)).toMatchObject({ state: 'changed', followsInstructions: true });
});

test('the report says where each item is written', async () => {
  const { trust } = await loadSettings(machine({ [project]: { model: 'x', hooks: hook('./a') } }));
  expect(trust.pending.map(({ key, file }) => [key, file])).toEqual([
    ['model', '.helve/settings.json'],
    ['hooks', '.helve/settings.json'],
  ]);
});
