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
