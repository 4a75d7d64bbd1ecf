import { expect, test } from 'vitest';
import { dataFolderOf } from '../platform/files/paths.js';
import { readSettings } from '../settings/load.js';
import { machine, managed } from '../testing/temporary-machine.js';
import { commitPlugin, type InstallOptions, loadStaged, preparePlugin } from './install.js';
import { type SessionPluginsOptions, sessionPlugins } from './session-plugins.js';
import { storeValues } from './user-options.js';

async function withPlugins(files: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const place = machine(files);
  const settings = await readSettings(place);
  const options: InstallOptions = {
    dataFolder: dataFolderOf(place),
    settings,
    workspace: place.root,
    env: process.env,
  };
  for (const name of names) {
    const prepared = await preparePlugin({ source: 'path', path: place.path(name) }, options);
    await commitPlugin(prepared, options, { isApproved: true });
  }
  const session = async (more: Pick<SessionPluginsOptions, 'folders' | 'trust'> = {}) =>
    await sessionPlugins({ ...options, ...more, settings: await readSettings(place) });
  return { place, session, options };
}

const variable = (name: string): string => `\${${name}}`;

const plugin = (name: string, dependencies: readonly string[] = []) => ({
  [`${name}/.claude-plugin/plugin.json`]: { name, dependencies },
});

test('plugins whose dependencies lead back to themselves are held back, and so are those that need them', async () => {
  const files = {
    ...plugin('a', ['b']),
    ...plugin('b', ['a']),
    ...plugin('c', ['a']),
    ...plugin('d'),
    ...plugin('e', ['x']),
  };
  const { session } = await withPlugins(files, ['a', 'b', 'c', 'd', 'e']);
  const { plugins, held } = await session();
  expect(plugins.map(({ name }) => name)).toEqual(['d']);
  expect(held.map(({ id, notice }) => [id, notice.split(':')[1]])).toEqual([
    ['a', ' its dependencies lead back to it (a → b → a).'],
    ['b', ' its dependencies lead back to it (a → b → a).'],
    ['c', ' it needs the plugin a, which is not in use. Add or enable it'],
    ['e', ' it needs the plugin x, which is not in use. Add or enable it'],
  ]);
});

test('what an administrator does not permit is not used, even if it was added before', async () => {
  const { place, session } = await withPlugins(plugin('a'), ['a']);
  expect((await session()).plugins).toHaveLength(1);
  place.write(managed, { strictKnownMarketplaces: [] });
  const { plugins, held } = await session();
  expect(plugins).toEqual([]);
  expect(held[0]?.notice).toContain('"strictKnownMarketplaces"');
});

test('a registry that is broken or writable by others is not relied on', async () => {
  const { place, session } = await withPlugins(plugin('a'), ['a']);
  place.write('home/.helve/plugins/plugins.json', '{');
  const { plugins, notices } = await session();
  expect(plugins).toEqual([]);
  expect(notices[0]).toContain("plugins.json can't be relied on (it is not valid JSON), so no plugin is used.");
});

test('files that Python compiles in a copy are no change', async () => {
  const { place, session } = await withPlugins({ ...plugin('a'), 'a/hooks/x.py': 'print(1)' }, ['a']);
  const [root = ''] = (await session()).plugins.map((one) => one.root);
  place.write(`${root.slice(place.path('').length)}/hooks/__pycache__/x.pyc`, 'compiled');
  expect((await session()).plugins).toHaveLength(1);
  place.write(`${root.slice(place.path('').length)}/hooks/y.py`, 'print(2)');
  expect((await session()).plugins).toHaveLength(0);
});

test('a Gemini extension is reduced to commands, texts, denied tools and servers', async () => {
  const files = {
    'g/gemini-extension.json': {
      name: 'g',
      version: '1.0.0',
      contextFileName: 'CONTEXT.md',
      excludeTools: ['run_shell_command(rm -rf)', 'replace', 'nonsense'],
      settings: [{ name: 'Key', description: 'A key', envVar: 'G_KEY', sensitive: true }],
      mcpServers: { s: { command: 'node', args: [`${variable('extensionPath')}${variable('/')}s.js`], trust: true } },
    },
    'g/CONTEXT.md': 'Context.',
    'g/commands/git/commit.toml': 'prompt = "Commit {{args}}"',
    'g/commands/bad.toml': 'prompt = ',
    'g/hooks/hooks.json': {
      hooks: { BeforeTool: [], SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    },
  };
  const { session } = await withPlugins(files, ['g']);
  const [loaded] = (await session()).plugins;
  expect(loaded?.commands.map(({ name }) => name)).toEqual(['git:commit']);
  expect(loaded?.deny).toEqual(['Bash(rm -rf:*)', 'Edit']);
  expect(loaded?.contextFiles).toEqual([`${loaded?.root}/CONTEXT.md`]);
  expect(loaded?.servers['plugin_g_s']).toMatchObject({ command: 'node', args: [`${loaded?.root}/s.js`] });
  expect(loaded?.servers['plugin_g_s']).not.toHaveProperty('trust');
  expect(loaded?.options).toMatchObject([{ key: 'G_KEY', variable: 'G_KEY', sensitive: true }]);
  expect(loaded?.hooks.map(({ event }) => event)).toEqual(['SessionStart']);
  expect(loaded?.unused.map(({ part }) => part).sort()).toEqual([
    'commands/bad.toml',
    'excludeTools: nonsense',
    'hooks/hooks.json: BeforeTool',
  ]);
});

test('a Codex plugin is reduced to skills and servers', async () => {
  const files = {
    'c/.codex-plugin/plugin.json': { name: 'c', skills: './skills/', mcpServers: './.mcp.json', apps: './.app.json' },
    'c/skills/one/SKILL.md': '---\ndescription: One\n---\n1',
    'c/.mcp.json': { mcpServers: { s: { url: 'https://h/mcp', type: 'http' } } },
    'c/.app.json': {},
  };
  const { session } = await withPlugins(files, ['c']);
  const [loaded] = (await session()).plugins;
  expect(loaded?.commands.map(({ name, kind }) => [name, kind])).toEqual([['one', 'skill']]);
  expect(Object.keys(loaded?.servers ?? {})).toEqual(['plugin_c_s']);
  expect(loaded?.unused.map(({ part }) => part)).toEqual(['.app.json', 'apps']);
});

test('a secret value reaches the servers of a session, and not what people are shown of the plugin', async () => {
  const args = [variable('user_config.token')];
  const userConfig = { token: { type: 'string', sensitive: true } };
  const manifest = { name: 'a', userConfig, mcpServers: { s: { command: 'node', args } } };
  const { place, session, options } = await withPlugins({ 'a/.claude-plugin/plugin.json': manifest }, ['a']);
  const origin = JSON.stringify([null, place.path('a')]);
  await storeValues(options.dataFolder, { key: 'a', origin }, { token: 's3cret' });
  const [used] = (await session()).plugins;
  expect(used?.servers['plugin_a_s']).toMatchObject({ args: ['s3cret'] });
  expect(loadStaged(used?.root ?? '', 'a', options).servers['plugin_a_s']).toMatchObject({ args });
});

test('two plugins can not share the full name of an MCP server, or a name but for its case', async () => {
  const server = (name: string) => ({ mcpServers: { [name]: { command: 'node' } } });
  const files = {
    'a_b/.claude-plugin/plugin.json': { name: 'a_b', ...server('s') },
    'a/.claude-plugin/plugin.json': { name: 'a', ...server('b_s') },
    'upper/.claude-plugin/plugin.json': { name: 'A_B' },
    'twice/.claude-plugin/plugin.json': {
      name: 'twice',
      mcpServers: { 'x.y': { command: '1' }, x_y: { command: '2' } },
    },
  };
  const { place, options, session } = await withPlugins(files, ['a_b']);
  const add = async (name: string) => {
    const prepared = await preparePlugin({ source: 'path', path: place.path(name) }, options);
    await commitPlugin(prepared, options, { isApproved: true });
  };
  await expect(add('a')).rejects.toThrow(
    "a can't be added: its MCP server plugin_a_b_s has the same name as one of the plugin a_b. Remove that one first: helve plugin remove a_b.",
  );
  await expect(add('upper')).rejects.toThrow("A_B can't be added: there is already a plugin named a_b (a_b)");
  const beside = await session({ folders: [place.path('a')], trust: true });
  expect(beside.plugins.map(({ name }) => name)).toEqual(['a_b']);
  expect(beside.held.map(({ notice }) => notice)).toEqual([
    'The plugin a is not used: its MCP server plugin_a_b_s has the same name as one of the plugin a_b.',
  ]);
  const instead = await session({ folders: [place.path('upper')], trust: true });
  expect(instead.plugins.map(({ name }) => name)).toEqual(['A_B']);
  await add('twice');
  const twice = (await session()).plugins.find(({ name }) => name === 'twice');
  expect(twice?.servers).toMatchObject({ plugin_twice_x_y: { command: '1' } });
  expect(twice?.unused.map(({ reason }) => reason)).toEqual([
    'another server of the plugin has the name plugin_twice_x_y',
  ]);
});

test('a plugin from elsewhere with the same name does not get the values of the one that was added', async () => {
  const manifest = {
    name: 'a',
    userConfig: { token: { type: 'string', sensitive: true } },
    mcpServers: { s: { command: 'node', args: [variable('user_config.token')] } },
  };
  const files = { 'a/.claude-plugin/plugin.json': manifest, 'other/.claude-plugin/plugin.json': manifest };
  const { place, session, options } = await withPlugins(files, ['a']);
  const origin = JSON.stringify([null, place.path('a')]);
  await storeValues(options.dataFolder, { key: 'a', origin }, { token: 's3cret' });
  expect(JSON.stringify((await session()).plugins)).toContain('s3cret');
  const { plugins } = await session({ folders: [place.path('other')], trust: true });
  expect(plugins.map(({ name, data }) => [name, data.endsWith('/data/a')])).toEqual([['a', false]]);
  expect(JSON.stringify(plugins)).not.toContain('s3cret');
  const elsewhere = await preparePlugin({ source: 'path', path: place.path('other') }, options);
  await expect(commitPlugin(elsewhere, options, { isApproved: true })).rejects.toThrow(
    `There is already a plugin a, from ${place.path('a')}, and its values and data are not for a plugin from elsewhere. Remove it first: helve plugin remove a.`,
  );
});
