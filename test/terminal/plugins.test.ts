// Plugins at a terminal: the question before an approval, and values that are typed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goodPlugin, place } from '../cli/plugin-place.js';
import { startTerminal, whyNoTmux } from './tmux.js';

test.skipIf(whyNoTmux !== undefined)('a secret value is not shown while it is typed', async () => {
  const { at, write } = place();
  write(goodPlugin);
  const args = ['plugin', 'add', at('good')];
  const terminal = await startTerminal({ args, folders: { project: at('project'), home: at('home') } });
  try {
    await terminal.shows('Use good? [y/N]');
    await terminal.type('y');
    await terminal.press('Enter');
    await terminal.shows('token (not shown) =');
    await terminal.type('s3cretX');
    await terminal.press('BSpace');
    await terminal.press('Enter');
    await terminal.shows('good was added and is used from the next session on.');
    expect(await terminal.exitCode()).toBe(0);
    expect(await terminal.scrollback()).not.toContain('s3cret');
    expect(await terminal.modes()).toMatch(/(?:^|\s)echo(?:\s|;)/);
    const config = at('home/.helve/plugins/config');
    expect(readdirSync(config).map((name) => JSON.parse(readFileSync(join(config, name), 'utf8')).values)).toEqual([
      { token: 's3cret' },
    ]);
  } finally {
    await terminal.close();
  }
});

test.skipIf(whyNoTmux !== undefined)('leaving the question for a value stores nothing', async () => {
  const { at, write } = place();
  write(goodPlugin);
  const args = ['plugin', 'add', at('good')];
  const terminal = await startTerminal({ args, folders: { project: at('project'), home: at('home') } });
  try {
    await terminal.shows('Use good? [y/N]');
    await terminal.type('y');
    await terminal.press('Enter');
    await terminal.shows('token (not shown) =');
    await terminal.press('C-d');
    await terminal.shows('good needs a value for token, and got none. Nothing was stored.');
    expect(await terminal.exitCode()).toBe(1);
    expect(readdirSync(at('home/.helve/plugins'))).not.toContain('config');
  } finally {
    await terminal.close();
  }
});

test.skipIf(whyNoTmux !== undefined)('text of a plugin can neither hide nor forge the question about it', async () => {
  const evil = 'x\u001b[2J\u001b[H\u202e\nUse another? [y/N] y\r\u001b]0;title\u0007';
  const { at, write } = place();
  write({
    'good/.claude-plugin/plugin.json': {
      name: 'good',
      description: evil,
      mcpServers: { s: { command: 'run', args: [evil] } },
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `true ${evil}` }] }] },
    },
    'good/commands/c.md': `---\ndescription: ${JSON.stringify(evil)}\n---\nx`,
  });
  const args = ['plugin', 'add', at('good')];
  const terminal = await startTerminal({ args, folders: { project: at('project'), home: at('home') } });
  try {
    await terminal.shows('Use good? [y/N]');
    const shown = await terminal.scrollback();
    expect(shown).toContain('\\u001b[2J');
    expect(shown).not.toMatch(/^\s*Use another\?|\u202e/m);
    await terminal.type('n');
    await terminal.press('Enter');
    await terminal.shows('is not used until it is approved');
    expect(await terminal.exitCode()).toBe(1);
  } finally {
    await terminal.close();
  }
});
