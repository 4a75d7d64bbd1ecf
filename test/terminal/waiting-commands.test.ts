import { test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal('a command that waits for the model says so', async () => {
  const { terminal, say } = await converse(
    [{ calls: [{ name: 'Bash', input: { command: 'sleep 1000' } }] }, { text: 'All done.' }],
    { args: ['--permission-mode', 'bypassPermissions'] },
  );
  await say('go');
  await terminal.shows('sleep 1000');
  await say('/undo');
  await terminal.shows('» /undo · runs when the model is done');
  await terminal.press('Escape');
  await terminal.hides('runs when the model is done');
});
