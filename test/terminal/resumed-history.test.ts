import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal('a resumed conversation shows the results of its calls, and a rewind prints one line', async () => {
  const answers = [
    { text: 'First answer.' },
    { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
    { calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }] },
    { calls: [{ name: 'Bash', input: { command: 'echo shown output' } }] },
    { text: 'Second answer.' },
  ];
  const { terminal, say } = await converse(answers, {
    files: { 'a.txt': 'one\n' },
    args: ['--permission-mode', 'acceptEdits'],
  });
  await say('first prompt');
  await terminal.shows('First answer.');
  await say('second prompt');
  await terminal.shows('Second answer.');
  await terminal.press('C-c', 'C-c');
  expect(await terminal.exitCode()).toBe(0);
  expect(await terminal.screen()).toMatch(/Second answer\.\n\nTo resume this conversation: helve --resume/);

  const { project, home } = terminal;
  const resumed = await converse([], { args: ['--continue'], folders: { project, home } });
  const screen = await resumed.terminal.shows('Second answer.');
  expect(screen).toMatch(/a\.txt.*\+1 -1/);
  expect(screen).toMatch(/1 \+ two/);
  expect(screen).toMatch(/\n\s+shown output/);

  await resumed.terminal.type('/rewind');
  await resumed.terminal.press('Enter');
  await resumed.terminal.shows(/Go back to before which prompt[\s\S]*esc to cancel/);
  await resumed.terminal.press('Enter');
  await resumed.terminal.shows(/The conversation, and leave the files[\s\S]*esc to cancel/);
  await resumed.terminal.press('2');
  await resumed.terminal.shows('Back to before “second prompt”. The files keep their changes: /undo takes them back.');
  expect((await resumed.terminal.scrollback()).split('First answer.')).toHaveLength(2);

  await resumed.terminal.press('C-u');
  await resumed.say('/undo');
  const asked = await resumed.terminal.shows('Undo the file changes that /rewind has left?');
  expect(asked).toContain('since “second prompt”: 1 call, 1 file');
});

inTerminal('calls that were not answered or interrupted read the same after a resume', async () => {
  const options = [
    { label: 'SQLite', description: 'one file' },
    { label: 'Postgres', description: 'a server' },
  ];
  const questions = [{ question: 'Which database?', header: 'Database', options }];
  const answers = [
    { calls: [{ name: 'AskUserQuestion', input: { questions } }] },
    { calls: [{ name: 'Bash', input: { command: 'touch a' } }] },
  ];
  const { terminal, say } = await converse(answers);
  await say('ask me');
  await terminal.shows('enter to choose');
  await terminal.press('Escape');
  await terminal.shows('· Interrupted.');
  await say('touch a file');
  await terminal.shows('enter to choose');
  await terminal.press('Escape');
  await terminal.shows('interrupted before it ran');
  const live = turnsOf(await terminal.hides('Run this command?'));
  expect(live).toMatch(/⊘ Question Which database\? {2}not answered/);
  await terminal.press('C-c', 'C-c');
  expect(await terminal.exitCode()).toBe(0);

  const { project, home } = terminal;
  const resumed = await converse([], { args: ['--continue'], folders: { project, home } });
  expect(turnsOf(await resumed.terminal.shows('interrupted before it ran'))).toBe(live);
});

/** From the first prompt to the input box. */
const turnsOf = (screen: string): string => /❯ ask me[\s\S]*?(?=\n─)/.exec(screen)?.[0] ?? '';
