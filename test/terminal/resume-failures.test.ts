import { expect, onTestFinished, test } from 'vitest';
import { converse } from './converse.js';
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

inTerminal('a conversation that is open elsewhere is named, with what can be continued instead', async () => {
  const answers = [{ text: 'Hello.' }];
  const older = await converse(answers);
  await older.say('The older conversation');
  await older.terminal.shows('Hello.');
  await older.terminal.press('C-d');
  await older.terminal.exitCode();
  const { project, home } = older.terminal;
  const newer = await converse(answers, { folders: { project, home } });
  await newer.say('The newer conversation');
  await newer.terminal.shows('Hello.');

  const printed = await converse(answers, {
    folders: { project, home },
    args: ['-p', '--continue', 'hi'],
    shows: 'ended',
  });
  const text = (await printed.terminal.wholeLines()).join('\n');
  expect(text).toMatch(
    /“The newer conversation” \((?:just now|\d+ min ago)\), is open in another (?:terminal|Helve)\s+\(process \d+\)/,
  );
  expect(text).toMatch(/helve -p --resume \w{8} "…" {2}continues the one before it, “The older conversation”/);
  expect(text).toMatch(/helve -p --resume \w{8} --fork "…" {2}continues in a copy/);
  expect(text).not.toMatch(/\w{8}-\w{4}-|\d{4}-\d\d-\d\dT/);

  const third = await converse(answers, {
    folders: { project, home },
    args: ['--continue'],
    shows: 'Continue in a copy',
  });
  const question = await third.terminal.shows('enter to choose');
  expect(question).toContain('“The newer conversation”');
  expect(question).toContain('Continue “The older conversation”');
  await third.terminal.press('c');
  await third.terminal.shows('❯ The older conversation');
  await third.terminal.press('C-d');
  expect(await third.terminal.exitCode()).toBe(0);
});
