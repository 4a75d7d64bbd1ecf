import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);
const plain = { args: ['--screen-reader', '--permission-mode', 'bypassPermissions'] };

inTerminal('plain lines say when a background command starts and ends', async () => {
  const { terminal, say } = await converse(
    [
      { calls: [{ name: 'Bash', input: { command: 'echo done; exit 2', run_in_background: true } }] },
      { text: 'It runs.' },
    ],
    plain,
  );
  await say('start it');
  await terminal.shows('In the background: echo done; exit 2.');
  await terminal.shows(/ended in the background: exit code 2 .*\ndone/);
});

inTerminal('plain lines have the todos, retries and commands as text', async () => {
  const todos = [{ content: 'Test it', status: 'in_progress', activeForm: 'Testing it' }];
  const { terminal, say } = await converse(
    [
      { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } },
      { calls: [{ name: 'TodoWrite', input: { todos } }] },
      { text: 'Done.' },
    ],
    plain,
  );
  await say('go');
  await terminal.shows('(1 of 10):');
  await terminal.shows('▶ Test it');
  await terminal.shows('Done.');
  await say('/status');
  await terminal.shows(/model +anthropic\/claude-sonnet-5-5/);
  await say('/model');
  await terminal.shows('A number, or Enter for none');
  expect(await terminal.screen()).toContain('(current)');
});

inTerminal('plain lines write nothing behind the words of a question', async () => {
  const { terminal, say } = await converse(
    [
      {
        text: 'I write the file with one line in it.',
        calls: [{ name: 'Write', input: { file_path: 'a.txt', content: 'one\n' } }],
      },
      { text: '| case | cents |\n|---|--:|\n| tea | 849 |' },
    ],
    { args: ['--screen-reader'] },
  );
  await say('go');
  await terminal.shows('A number:');
  expect(await terminal.screen()).toContain('\nI write the file with one line in it.\n'); // whole, before the question
  await say('1');
  await terminal.shows('case: tea; cents: 849');
  expect(await terminal.screen()).toContain('A number: 1\n');
});
