import { expect, onTestFinished, test } from 'vitest';
import { startTerminal, whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal.each([
  { args: ['--resume', 'nope'], says: 'nope' },
  { args: ['--continue'], says: 'There is no session' },
])('$args without such a session prints one message and draws nothing', async ({ args, says }) => {
  const terminal = await startTerminal({ args });
  onTestFinished(() => terminal.close());
  expect(await terminal.exitCode()).toBe(1);
  const [first = '', ...rest] = (await terminal.screen()).trimEnd().split('\n').slice(1);
  expect(first).toMatch(/^helve: /);
  expect([first, ...rest].join(' ')).toContain(says);
  expect(await terminal.screen()).not.toMatch(/[╭│─❯]|1;2c/);
  expect(rest.at(-1)).toBe('[ended 1]');
});
