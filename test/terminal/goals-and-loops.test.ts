import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const args = ['--permission-mode', 'bypassPermissions'];
const atWork = () => ({ calls: [{ name: 'Bash', input: { command: 'sleep 1000' } }] });
const times = (text: string, words: string): number => text.split(words).length - 1;

inTerminal('a prompt that is repeated is shown once, and Esc ends that and says how to start again', async () => {
  const { terminal, say } = await converse(atWork, { args });
  await say('/loop 30s watch the build');
  expect(times(await terminal.shows('● Bash sleep 1000'), '❯ /loop 30s watch the build')).toBe(1);
  await say('/loop');
  await terminal.shows(/Repeated every 30s: watch the build \(next at \d\d:\d\d:\d\d\)/);
  await terminal.press('Escape');
  const stopped = await terminal.shows('because you stopped the work');
  expect(stopped.replace(/\s+/g, ' ')).toContain('To start again: /loop 30s watch the build');
});

inTerminal('a goal that Esc has paused is named again when the conversation is resumed', async () => {
  const { terminal, say } = await converse(atWork, { args });
  await say('/goal write it --until test -f it.txt');
  expect(times(await terminal.shows('● Bash sleep 1000'), '❯ /goal write it --until')).toBe(1);
  await terminal.press('Escape');
  const stopped = await terminal.shows('/goal resume goes on with it');
  expect(stopped).not.toContain('Say what to do instead'); // one line says how to go on
  await terminal.press('C-d');
  await terminal.exitCode();
  const { project, home } = terminal;
  const answers = [{ calls: [{ name: 'Bash', input: { command: 'touch it.txt' } }] }, { text: 'It is written.' }];
  const next = await converse(answers, { args: [...args, '--continue'], folders: { project, home } });
  await next.terminal.shows('The goal "write it" is paused. /goal resume goes on with it');
  await next.say('/goal resume');
  await next.terminal.shows('The goal is met');
});

inTerminal('a goal of a conversation that was killed is named when it is resumed, before a prompt', async () => {
  const { terminal, say } = await converse(atWork, { args });
  await say('/goal write it --until test -f it.txt');
  await terminal.shows('● Bash sleep 1000');
  process.kill(await terminal.pid(), 'SIGKILL');
  await terminal.exitCode();
  const { project, home } = terminal;
  const next = await converse([], { args: [...args, '--continue'], folders: { project, home } });
  await next.terminal.shows('The goal "write it" is still set: the next prompt goes on with it');
});
