import { expect, onTestFinished, test } from 'vitest';
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

inTerminal('commands that are typed in the middle of an answer leave it whole and formatted', async () => {
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  const text = '## First\n\nOne **strong** word.\n\nThe second paragraph has a **strong word** of its own, and ends.';
  const { terminal, say } = await converse([{ text, holdAfter: { events: 9, until: held.promise } }]);
  await say('go');
  await terminal.shows('The second');
  await say('/rename The story');
  await terminal.shows('❯ /rename The story');
  await say('!echo typed meanwhile');
  await terminal.shows('✓ Bash echo typed meanwhile');
  held.resolve();
  const screen = await terminal.shows(/The second paragraph has a strong word of its own, and ends\.\s+─/);
  expect(screen).toMatch(/First\s+One strong word\.[\s\S]*❯ \/rename[\s\S]*typed meanwhile[\s\S]*The second paragraph/);
  expect(screen).not.toContain('**');
  expect(await terminal.scrollback()).not.toMatch(/One strong word[\s\S]*One strong word/);
});

inTerminal('a question comes before a list that is open, and the list comes back after it', async () => {
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  const write = { name: 'Write', input: { file_path: 'new.txt', content: 'new' } };
  const { terminal, say } = await converse([
    { text: 'I write it.', calls: [write], holdAfter: { events: 3, until: held.promise } },
    { text: 'All done.' },
  ]);
  await say('go');
  await terminal.shows('Thinking…');
  await say('/permissions');
  const listed = await terminal.shows('↑↓ enter to choose · esc to');
  expect(listed).not.toContain('Create new.txt?');
  held.resolve();
  await terminal.shows('Create new.txt?');
  await terminal.shows('esc to stop');
  await terminal.type('y');
  await terminal.shows('↑↓ enter to choose · esc to');
  await terminal.press('Escape');
  await terminal.shows('All done.');
});
