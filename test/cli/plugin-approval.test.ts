// What a person is shown before a plugin is approved, and what becomes of an approval.
import { readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { goodPlugin, place, variable } from './plugin-place.js';

test('names the variables that servers and hooks of a plugin get, and where they go, without values', async () => {
  const { at, write, helve } = place();
  write({
    'a/.claude-plugin/plugin.json': {
      name: 'a',
      userConfig: { token: { type: 'string', sensitive: true } },
      mcpServers: {
        far: {
          type: 'http',
          url: 'https://mcp.example/x',
          headers: { Authorization: `Bearer ${variable('ANTHROPIC_API_KEY')}` },
          headersHelper: './headers.sh',
        },
        near: { command: 'node', args: ['s.js', variable('HOST:-x')], env: { KEY: variable('AWS_SECRET_ACCESS_KEY') } },
      },
      hooks: {
        Stop: [
          {
            hooks: [
              {
                type: 'http',
                url: 'https://hooks.example/',
                headers: { 'X-Key': 'k $GH_TOKEN' },
                allowedEnvVars: ['GH_TOKEN'],
              },
            ],
          },
        ],
      },
    },
  });
  const env = { ANTHROPIC_API_KEY: 'sk-value', AWS_SECRET_ACCESS_KEY: 'aws-value', GH_TOKEN: 'gh-value' };
  const { stdout, stderr } = await helve(['plugin', 'add', at('a')], env);
  const lines = stdout.split('\n').map((line) => line.trim());
  const near = `node s.js ${variable('HOST:-x')}`;
  expect(lines).toEqual(
    expect.arrayContaining([
      'given to them, from your environment and your values:',
      `${variable('ANTHROPIC_API_KEY')} to https://mcp.example/x (plugin_a_far, header Authorization): withheld as the key of a model provider, unless HELVE_PASS_ENV names it`,
      `${variable('AWS_SECRET_ACCESS_KEY')} to ${near} (plugin_a_near, variable KEY): withheld as the key of a model provider, unless HELVE_PASS_ENV names it`,
      `${variable('HOST')} to ${near} (plugin_a_near, arguments)`,
      `${variable('GH_TOKEN')} to https://hooks.example/ (hook of Stop, header X-Key)`,
      'plugin_a_far: https://mcp.example/x, with headers from the command: ./headers.sh',
    ]),
  );
  expect(stdout + stderr).not.toMatch(/(?:sk|aws|gh)-value/);
});

test('adding an approved plugin again without a terminal does not lose the approval', async () => {
  const { at, write, plugin, prompt } = place();
  write(goodPlugin);
  await plugin('add', at('good'), '--yes', '--set', 'token=t');
  const again = await plugin('add', at('good'));
  expect([again.code, again.stdout, again.stderr]).toEqual([
    0,
    'good was added before with the same content, and stays approved.\n',
    '',
  ]);
  expect((await prompt('hi')).sent).toContain('good:report: Reports things');

  write({ 'good/skills/report/SKILL.md': '---\ndescription: Something else\n---\nx' });
  const changed = await plugin('add', at('good'));
  expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining('description: Something else')]);
  expect(changed.stdout).toContain(
    'good was not changed: the new content was not approved, and the approved one stays in use. To see the change and approve it: helve plugin update good.',
  );
  expect((await prompt('hi')).sent).toContain('good:report: Reports things');
  await plugin('add', at('good'), '--yes');
  expect((await prompt('hi')).sent).toContain('good:report: Something else');
});

test('of a folder for --plugin-dir, the copy that would run is shown, not the folder, which may change', async () => {
  const { at, write, plugin, plugins } = place();
  write({ 'good/.claude-plugin/plugin.json': { name: 'good', mcpServers: { s: { command: './run.sh' } } } });
  const { stdout } = await plugin('enable', at('good'));
  expect(stdout).toMatch(/plugin_good_s: .*\/run\.sh/);
  expect(stdout).toContain(plugins('copies/dir-'));
  expect(stdout).not.toContain(at('good/run.sh'));
});

test.each(['remove', 'disable'])(
  'the approval of a folder is listed, and taken back by helve plugin %s',
  async (verb) => {
    const { at, write, plugin, prompt, plugins } = place();
    write(goodPlugin);
    await plugin('enable', at('good'), '--yes', '--set', 'token=t');
    expect((await prompt('--plugin-dir', at('good'), 'hi')).sent).toContain('good:report');
    expect((await plugin('list')).stdout).toBe(
      `--plugin-dir ${at('good')}: approved. To take the approval back: helve plugin remove ${at('good')}\n`,
    );
    const revoked = await plugin(verb, '../good');
    expect([revoked.code, revoked.stdout]).toEqual([
      0,
      `The approval of ${at('good')} was removed, with the plugin's values and data.\n`,
    ]);
    const held = await prompt('--plugin-dir', at('good'), 'hi');
    expect(held.stderr).toContain('it was not approved');
    expect(held.sent).not.toContain('good:');
    expect(['copies', 'config', 'data'].flatMap((name) => readdirSync(plugins(name)))).toEqual([]);

    await plugin('enable', at('good'), '--yes', '--set', 'token=t');
    rmSync(at('good'), { recursive: true });
    expect((await plugin('list')).stdout).toContain(`${at('good')}: approved, but the folder is gone.`);
    expect((await plugin(verb, at('good'))).code).toBe(0);
    expect(JSON.parse((await plugin('list', '--json')).stdout)).toMatchObject({ folders: [] });
  },
);
