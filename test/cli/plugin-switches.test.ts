// Who may switch a plugin off: settings of a project must not remove the guards that a plugin brings.
import { expect, test } from 'vitest';
import { place } from './plugin-place.js';

const guards = {
  hook: {
    'guard/.claude-plugin/plugin.json': { name: 'guard' },
    'guard/skills/s/SKILL.md': '---\ndescription: Is used\n---\nx',
    'guard/hooks/hooks.json': { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] },
  },
  rules: {
    'guard/gemini-extension.json': { name: 'guard', excludeTools: ['run_shell_command'] },
    'guard/skills/s/SKILL.md': '---\ndescription: Is used\n---\nx',
  },
  none: {
    'guard/.claude-plugin/plugin.json': { name: 'guard' },
    'guard/skills/s/SKILL.md': '---\ndescription: Is used\n---\nx',
  },
};
const off = { enabledPlugins: { guard: false } };
const used = 'guard:s: Is used';

test.each(['hook', 'rules', 'none'] as const)(
  'an untrusted project can not switch off a plugin (guards: %s), and the entry is named',
  async (kind) => {
    const { at, write, helve, plugin, prompt } = place();
    write({ ...guards[kind], 'project/.claude/settings.json': off });
    await plugin('add', at('guard'), '--yes');
    const { sent, stderr } = await prompt('hi');
    expect(sent).toContain(used);
    expect(stderr).toContain('enabledPlugins.guard');
    expect((await helve(['config', 'trust', '--list'])).stdout + (await helve(['config', 'trust'])).stdout).toContain(
      'enabledPlugins.guard: false',
    );
  },
);

test.each([
  ['hook', true],
  ['rules', true],
  ['none', false],
] as const)(
  'a trusted project switches off a plugin, unless it has guards (%s) and your own settings switch it on',
  async (kind, isUsed) => {
    const { at, write, plugin, prompt } = place();
    write({ ...guards[kind], 'project/.claude/settings.json': off });
    await plugin('add', at('guard'), '--yes');
    expect((await prompt('--trust', 'hi')).sent).not.toContain(used);
    write({ 'home/.helve/settings.json': { enabledPlugins: { guard: true } } });
    expect((await prompt('--trust', 'hi')).sent.includes(used)).toBe(isUsed);
    expect(JSON.parse((await plugin('list', '--json')).stdout).plugins[0].state).toBe('used');
  },
);

test('what an administrator switches on, no other settings switch off', async () => {
  const { at, write, plugin, prompt } = place();
  write({ ...guards.none, 'managed.json': { enabledPlugins: { guard: true } } });
  await plugin('add', at('guard'), '--yes');
  const run = await prompt(
    ...['--managed-settings', JSON.stringify({ enabledPlugins: { guard: true } })],
    ...['--settings', JSON.stringify(off), 'hi'],
  );
  expect(run.sent).toContain(used);
});
