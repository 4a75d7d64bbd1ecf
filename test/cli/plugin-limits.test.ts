// What plugins and the model can't do to the person's machine, and what survives a kill and two commands at once.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { type Files, place } from './plugin-place.js';
import { runHelve } from './run-helve.js';

test('an agent of a plugin can not widen the mode of the session', async () => {
  const { at, write, plugin, helve } = place();
  write({
    'free/.claude-plugin/plugin.json': { name: 'free' },
    'free/agents/any.md': '---\nname: any\ndescription: d\npermissionMode: bypassPermissions\n---\nDo it.',
  });
  expect((await plugin('add', at('free'), '--yes')).code).toBe(0);
  const task = { subagent_type: 'free:any', description: 'd', prompt: 'p' };
  const server = await startFakeModelServer([
    { calls: [{ name: 'Task', input: task }] },
    { calls: [{ name: 'Bash', input: { command: `touch ${at('project/harm')}` } }] },
    { text: 'ended' },
    { text: 'ok' },
  ]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', HELVE_MODEL: 'claude-test' };
  const done = await helve(['-p', '--permission-mode', 'dontAsk', '--allowed-tools', 'Task', '--', 'hi'], env);
  await server.close();
  expect([done.code, existsSync(at('project/harm'))]).toEqual([0, false]);
  expect(server.requests.map(({ text }) => text).join('\n')).toMatch(/"is_error":true/);
  expect(server.requests).toHaveLength(4); // the agent did run
});

test.each([
  ['bypassPermissions', ['plugins.json', 'copies/a-1/x.sh', 'config/a.json', 'pins/a.json']],
  ['acceptEdits', ['plugins.json']], // the rule is the same in all modes
  ['default', ['plugins.json']],
])('no tool can change plugins or approvals in the mode %s', async (mode, names) => {
  const { write, helve, plugins } = place();
  write({ 'home/.helve/plugins/plugins.json': '{}', 'home/.helve/plugins/copies/a-1/x.sh': 'x' });
  const explain = async (tool: string, input: unknown) =>
    await helve(['permissions', 'explain', '--permission-mode', mode, tool, JSON.stringify(input)]);
  for (const name of names) {
    const file = plugins(name);
    const written = await explain('Write', { file_path: file, content: 'x' });
    expect(written.stdout).toMatch(/^Denied: .*Helve's own data/);
    expect((await explain('Bash', { command: `echo x > ${file}` })).stdout).toMatch(/^Denied: .*Helve's own data/);
  }
});

const many = (name: string): Files => ({
  ...Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${name}/docs/${index}.md`, `${name} ${index}`])),
  [`${name}/.claude-plugin/plugin.json`]: { name },
  [`${name}/commands/c.md`]: '---\ndescription: d\n---\nx',
});

test('two commands that add plugins at the same time keep both', async () => {
  const { at, write, plugin } = place();
  const names = ['one', 'two', 'three'];
  for (const name of names) write(many(name));
  const codes = await Promise.all(names.map(async (name) => (await plugin('add', at(name), '--yes')).code));
  expect(codes).toEqual([0, 0, 0]);
  const { plugins } = JSON.parse((await plugin('list', '--json')).stdout);
  expect(plugins.map(({ id, state }: { id: string; state: string }) => [id, state]).sort()).toEqual(
    names.toSorted().map((name) => [name, 'used']),
  );
});

test('a kill while a plugin is added leaves no plugin or a whole one, and the next command works', async () => {
  const { at, write, plugin, plugins } = place();
  write(many('one'));
  for (const milliseconds of process.env['HELVE_SOAK'] ? [50, 100, 150, 200, 250, 300, 350, 400] : [150, 300]) {
    await runHelve(['plugin', 'add', at('one'), '--yes'], {
      cwd: at('project'),
      env: { HOME: at('home') },
      onStart: (kill) => setTimeout(() => kill('SIGKILL'), milliseconds),
    });
    const listed = JSON.parse((await plugin('list', '--json')).stdout).plugins;
    expect(listed.map(({ state }: { state: string }) => state)).toEqual(listed.length === 0 ? [] : ['used']);
    if (listed.length > 0) await plugin('remove', 'one');
  }
  expect((await plugin('add', at('one'), '--yes')).code).toBe(0);
  expect(readdirSync(plugins('copies')).filter((name) => !name.startsWith('.'))).toHaveLength(1);
});

test('a marketplace whose folder was lost is fetched again', async () => {
  const { at, write, plugin, plugins } = place();
  write({
    'market/.claude-plugin/marketplace.json': { name: 'shop', plugins: [{ name: 'a', source: './a' }] },
    'market/a/commands/c.md': 'x',
  });
  const git = (...args: string[]) => execFileSync('git', ['-C', at('market'), ...args]);
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'x');
  await plugin('add', `file://${at('market')}`);
  rmSync(plugins('marketplaces/shop'), { recursive: true }); // as a kill between its two steps leaves it
  const added = await plugin('add', 'a@shop', '--yes');
  expect([added.code, added.stderr]).toEqual([0, '']);
});
