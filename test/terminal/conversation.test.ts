import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../cli/run-helve.js';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);
const ASKED = /(?:choose|letter|for more|go on) · esc to stop/; // the hint appears once the question accepts keys

inTerminal('a prompt is answered, and quitting restores the terminal', async () => {
  const { terminal, server, say } = await converse([{ text: 'Hello **there**.' }]);
  await say('hi');
  await terminal.shows('Hello there.');
  await say('/quit');
  expect(await terminal.exitCode()).toBe(0);
  expect(await terminal.screen()).toMatch(/helve --resume [0-9a-f-]{36}/);
  expect(await terminal.modes()).toMatch(/(?<!-)icanon.*(?<!-)echo /s);
  expect(server.refused).toEqual([]);
});

inTerminal('a call that needs permission runs once it is given', async () => {
  const { terminal, say } = await converse([
    { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'new\n' } }] },
    { text: 'Done with it.' },
  ]);
  await say('make the file');
  expect(await terminal.shows(ASKED)).not.toMatch(/\ds · esc to stop/);
  await terminal.press('y');
  await terminal.shows('Done with it.');
  expect(await readFile(join(terminal.project, 'made.txt'), 'utf8')).toBe('new\n');
});

inTerminal('a refusal with a reason reaches the model', async () => {
  const { terminal, server, say } = await converse([
    { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'new\n' } }] },
    { text: 'I see.' },
  ]);
  await say('make the file');
  await terminal.shows(ASKED);
  await terminal.press('n');
  await terminal.shows('What should be done instead?'); // the choice above says "instead" too
  await say('put it into docs');
  await terminal.shows('I see.');
  expect(server.requests[1]?.text).toContain('put it into docs');
  await terminal.shows('⊘ Write made.txt  you refused it: put it into docs');
});

inTerminal('Esc stops the answer, and the next prompt continues', async () => {
  const held = Promise.withResolvers<void>();
  const { terminal, say } = await converse([
    {
      text: 'A long story that never ends',
      usage: { input_tokens: 5_200 },
      holdAfter: { events: 4, until: held.promise },
    },
    { text: 'The second answer.', usage: { input_tokens: 100 } },
  ]);
  await say('tell me');
  await terminal.shows('A long');
  await terminal.press('Escape');
  await terminal.shows('Interrupted');
  held.resolve();
  await say('go on');
  await terminal.shows('The second answer.');
  await say('/cost');
  await terminal.shows(/, 2 prompts/);
  await terminal.shows('5,300 in'); // with those of the answer that was stopped
});

inTerminal('a prompt that is typed while the model works can be changed, and is sent with the next step', async () => {
  const held = Promise.withResolvers<void>();
  const { terminal, server, say } = await converse(
    [
      {
        calls: [{ name: 'Read', input: { file_path: 'a.txt' } }],
        holdAfter: { events: 3, until: held.promise },
      },
      { text: 'Both seen.' },
    ],
    { files: { 'a.txt': 'alpha\n' } },
  );
  await say('read it');
  await terminal.shows('esc to stop');
  await say('and be brief');
  await terminal.shows('» and be brief');
  await terminal.press('Up');
  await terminal.hides('» and be brief');
  await say(', please');
  await terminal.shows('» and be brief, please');
  held.resolve();
  await terminal.shows('Both seen.');
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.text).toContain('and be brief, please');
  expect(await terminal.hides('» and be brief')).toContain('❯ and be brief, please');
});

inTerminal('a session is resumed with its last messages on the screen', async () => {
  const first = await converse([{ text: 'The answer is forty-two.' }]);
  await first.say('what is the answer?');
  await first.terminal.shows('forty-two');
  await first.say('/quit');
  await first.terminal.exitCode();
  const { project, home } = first.terminal;
  const second = await converse([{ text: 'As before.' }], { args: ['--continue'], folders: { project, home } });
  await second.terminal.shows('The answer is forty-two.');
  await second.terminal.shows('❯ what is the answer?');
  await second.say('and now?');
  await second.terminal.shows('As before.');
  expect(second.server.requests[0]?.text).toContain('forty-two');
});

inTerminal('a window of 40 columns shows all of an answer', async () => {
  const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
  const { terminal, say } = await converse([{ text: words.join(' ') }], { columns: 40, rows: 20 });
  await say('speak');
  const narrow = await terminal.shows(/word2[789]\s*\n/);
  for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  for (const word of words) expect(narrow).toContain(word);
  await terminal.resize(100, 40);
  await terminal.shows(/word0 word1 .*word10/);
});

inTerminal('ten thousand pasted lines are one prompt', async () => {
  const text = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join('\n');
  const { terminal, server } = await converse([{ text: 'Got all of it.' }]);
  await terminal.paste(text);
  await terminal.shows(/paste #1/);
  await terminal.press('Enter');
  await terminal.shows('Got all of it.');
  expect(server.requests[0]?.text).toContain('line 0\\nline 1\\n');
  expect(server.requests[0]?.text).toContain('line 9998\\nline 9999');
});

inTerminal('a command that arrives with its Enter in one burst runs, and its answer fits the screen', async () => {
  const { terminal } = await converse([]);
  await terminal.burst('/help\r');
  const screen = await terminal.shows('/quit');
  expect(screen).toContain('/help');
  expect(screen).toContain('Conversation');
});

inTerminal('without colours there are none', async () => {
  const { terminal, say } = await converse([{ text: '# Title\n\n`code` and **bold**' }], { env: { NO_COLOR: '1' } });
  await say('hi');
  await terminal.shows('Title');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
  expect(await terminal.styledScreen()).not.toMatch(/\u001b\[(?:3[0-7]|38|9[0-7]|4[0-7]|48)/);
});

inTerminal('a command that writes 200,000 lines leaves the terminal quick to answer', async () => {
  const { terminal, say } = await converse(
    [{ calls: [{ name: 'Bash', input: { command: 'seq 1 200000; echo the-end' } }] }, { text: 'All counted.' }],
    { args: ['--allowed-tools', 'Bash(seq:*),Bash(echo:*)'] },
  );
  await say('count');
  await terminal.shows('All counted.');
  await terminal.type('still here');
  await terminal.shows('still here');
});

inTerminal('SIGTERM restores the terminal and ends everything that was started', async () => {
  const { terminal, say } = await converse(
    [{ calls: [{ name: 'Bash', input: { command: 'sleep 1000' } }] }, { text: 'never' }],
    { args: ['--allowed-tools', 'Bash(sleep:*)'] },
  );
  await say('wait');
  await terminal.shows('● Bash sleep 1000');
  const pid = await terminal.pid();
  process.kill(pid, 'SIGTERM');
  expect(await terminal.exitCode()).toBe(143);
  expect(isRunning(pid)).toBe(false);
  expect(await terminal.modes()).toMatch(/(?<!-)icanon.*(?<!-)echo /s);
});

inTerminal('Ctrl-C twice exits', async () => {
  const { terminal } = await converse([]);
  await terminal.type('a draft');
  await terminal.shows('❯ a draft');
  await terminal.press('C-c');
  expect(await terminal.shows('again to leave')).not.toContain('a draft');
  await terminal.press('C-c');
  expect(await terminal.exitCode()).toBe(0);
});

inTerminal('Shift-Tab goes through the modes', async () => {
  const { terminal } = await converse([]);
  await terminal.shows('? for shortcuts');
  await terminal.press('BTab');
  await terminal.shows('· ✎ accept edits ·');
  await terminal.press('BTab');
  await terminal.shows('· ◇ plan mode ·');
  await terminal.press('BTab');
  await terminal.hides('◇ plan mode');
});

inTerminal('a command of the user runs without the model, which gets it with the next prompt', async () => {
  const { terminal, server, say } = await converse([{ text: 'I saw it.' }]);
  await say('!echo from-the-shell');
  await terminal.shows(/✓ Bash echo from-the-shell/);
  await say('what did I run?');
  await terminal.shows('I saw it.');
  expect(server.requests[0]?.text).toContain('from-the-shell');
});

inTerminal('Ctrl-B moves a running command to the background', async () => {
  const { terminal, server, say } = await converse(
    [{ calls: [{ name: 'Bash', input: { command: 'echo be""gun; sleep 1000' } }] }, { text: 'It runs on.' }],
    { args: ['--allowed-tools', 'Bash(sleep:*),Bash(echo:*)'] },
  );
  await say('serve');
  await terminal.shows('begun'); // in its output, so that it runs by now
  await terminal.press('C-b');
  await terminal.shows('It runs on.');
  expect(server.requests[1]?.text).toContain('moved to the background by the user');
});

inTerminal('Ctrl-O shows folded results whole, and leaves nothing behind', async () => {
  const { terminal, say } = await converse([
    { calls: [{ name: 'Bash', input: { command: 'seq 1 60' } }] },
    { text: 'Counted.' },
  ]);
  await say('count');
  await terminal.shows('Counted.');
  await terminal.hides('esc to stop');
  expect(await terminal.scrollback()).not.toMatch(/^\s+37$/m);
  const before = await terminal.scrollback();
  await terminal.press('C-o');
  await terminal.shows(/^\s+59$/m);
  await terminal.shows('esc to close');
  await terminal.press('Home');
  await terminal.shows(/✓ Bash seq 1 60\n\s+1\n\s+2$/m);
  await terminal.resize(60, 40);
  await terminal.shows(/^\s+5\n[\s\S]*esc to close/m);
  await terminal.resize(100, 40);
  await terminal.shows('page-down to scroll');
  await terminal.press('C-o');
  await terminal.hides('esc to close');
  expect((await terminal.scrollback()).trimEnd()).toBe(before.trimEnd());
});

inTerminal('Esc twice goes back to before an earlier prompt, with its files', async () => {
  const { terminal, server, say } = await converse(
    [
      { text: 'First answer.' },
      { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'new\n' } }] },
      { text: 'Second answer.' },
      { text: 'Third answer.' },
    ],
    { args: ['--permission-mode', 'acceptEdits'] },
  );
  await say('first prompt');
  await terminal.shows('First answer.');
  await say('second prompt');
  await terminal.shows('Second answer.');
  await terminal.hides('esc to stop');
  await terminal.press('Escape', 'Escape');
  await terminal.shows('Go back to before which prompt?');
  expect(await terminal.shows('esc to cancel')).not.toContain('again to');
  await terminal.press('Enter');
  await terminal.shows(/The conversation and the files[\s\S]*esc to cancel/);
  await terminal.press('Enter');
  await terminal.shows(/Undo this change[\s\S]*esc to cancel/);
  await terminal.press('Enter');
  await terminal.shows(/─\n❯ second prompt/);
  await expect(readFile(join(terminal.project, 'made.txt'))).rejects.toThrow();
  await terminal.press('Enter');
  await terminal.shows('Third answer.');
  const last = server.requests.at(-1)?.text ?? '';
  expect(last).toContain('First answer.');
  expect(last).not.toContain('Second answer.');
});

inTerminal('leaving removes the input box and its hints, and says how to resume', async () => {
  const { terminal, say } = await converse([{ text: 'Hello.' }]);
  await say('hi');
  await terminal.shows('Hello.');
  await terminal.press('C-c');
  await terminal.shows('again to leave');
  await terminal.press('C-c');
  expect(await terminal.exitCode()).toBe(0);
  const left = (await terminal.screen()).split('Hello.')[1] ?? '';
  expect(left.trim()).toMatch(/^To resume this conversation: helve --resume \S+\s+\[ended 0\]$/);
});

inTerminal('a hint for a key ends when a list opens', async () => {
  const { terminal } = await converse([]);
  await terminal.shows('? for shortcuts');
  await terminal.press('Escape');
  await terminal.shows('again to go back');
  await terminal.type('/theme');
  await terminal.press('Enter');
  expect(await terminal.shows('enter to choose')).not.toContain('again to go back');
});
