import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTerminal, type TestTerminal, whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

async function startDemo(): Promise<TestTerminal> {
  const terminal = await startTerminal({ args: ['demo'], rows: 50 });
  onTestFinished(async () => await terminal.close());
  await terminal.shows('Press Enter to send the prompt below');
  await terminal.shows('demo · asks before it changes anything');
  return terminal;
}

inTerminal('keys that were pressed while Helve was built do not reach the prompt of the demo', async () => {
  const terminal = await startTerminal({
    args: ['demo'],
    rows: 50,
    before: ['bash', '-c', 'until read -t 0; do :; done; exec "$0" "$@"'], // as long as the build takes
  });
  onTestFinished(async () => await terminal.close());
  await terminal.type('yes');
  await terminal.press('Enter');
  await terminal.type('y');
  await terminal.shows('demo · asks before it changes anything');
  expect(await terminal.screen()).toMatch(/^❯ Give 10 % off for ten or more of an item, as the tests ask\.$/m);
});

const demoFolders = async ({ project }: TestTerminal): Promise<string[]> =>
  (await readdir(dirname(project))).filter((name) => name.startsWith('helve-demo-'));

inTerminal('the demo asks real questions in the real interface, and ends with how to go on', async () => {
  const terminal = await startDemo();
  await terminal.press('Enter');
  for (const asks of [
    'const total = price * quantity;',
    'node --test',
    'quantity >= 10 ?',
    'node --test',
    'rm -rf dist',
  ]) {
    await answer(terminal, asks, 'y');
  }
  const end = await terminal.shows('or a model on this machine.');
  expect(end).toContain('Done: ten or more of an item are 10 % cheaper, and all tests pass.');
  await terminal.type('/undo');
  await terminal.press('Enter');
  const question = await terminal.shows(/recreate the folder dist[\s\S]*Only the last call[\s\S]*enter to choose/);
  expect(question).toContain('Undo everything since “Give 10 % off');
  expect(question).not.toMatch(/@@|--- a\/|toolu/);
  await terminal.press('y');
  await terminal.shows('Restored 2 files and 1 folder. To reverse this, use /undo again.');
  await terminal.type('What else can you do?');
  await terminal.press('Enter');
  await terminal.shows('The script of this demo ends here');
  expect(await demoFolders(terminal)).toHaveLength(1);
  await terminal.press('C-c', 'C-c');
  expect(await terminal.exitCode()).toBe(0);
  expect(await terminal.screen()).toContain('To use Helve with a real model:');
  expect(await demoFolders(terminal)).toEqual([]);
});

inTerminal('after a no, the demo goes on sensibly and says what was left out', async () => {
  const terminal = await startDemo();
  await terminal.press('Enter');
  await answer(terminal, 'const total = price * quantity;', 'n');
  await answer(terminal, 'rm -rf dist', 'y');
  const end = await terminal.shows('leaves the demo');
  expect(end).toMatch(/the prices are unchanged, because the\s+edit was refused\. The old build is deleted\./);
});

/** Waits for the question about this, and answers it once its keys work. */
async function answer(terminal: TestTerminal, asks: string, key: 'y' | 'n'): Promise<void> {
  await terminal.shows(new RegExp(`${asks.replace(/[*?().]/g, '\\$&')}[\\s\\S]*${QUESTION_KEYS}`));
  await terminal.type(key);
  await terminal.hides(/Yes/);
  if (key === 'n') await terminal.press('Enter'); // without a reason
}

const QUESTION_KEYS = '↑↓ (?:enter|or a letter)';
