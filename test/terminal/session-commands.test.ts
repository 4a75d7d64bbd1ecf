import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);
const OPEN = 'enter to choose'; // the hint appears once the list accepts keys

inTerminal('a picker that was cancelled leaves nothing', async () => {
  const { terminal, say } = await converse([]);
  for (const command of ['/model', '/theme', '/effort', '/permissions']) {
    await say(command);
    await terminal.shows(OPEN);
    await terminal.press('Escape');
    await terminal.hides(OPEN);
  }
  expect(await terminal.scrollback()).not.toMatch(/> \/(?:model|theme|effort|permissions)/);
});

inTerminal('the effort of the running conversation is changed on the wire', async () => {
  const { terminal, server, say } = await converse([{ text: 'One.' }, { text: 'Two.' }]);
  await say('first');
  await terminal.shows('One.');
  await say('/effort high');
  await terminal.shows('The effort is high');
  await say('second');
  await terminal.shows('Two.');
  const [before, after] = server.requests.map(({ body: { thinking, output_config } }) => ({ thinking, output_config }));
  expect(after).not.toEqual(before);
});

inTerminal('the model list has prices and windows, and the current model once', async () => {
  const { terminal, say } = await converse([]);
  await say('/model');
  const seen = await terminal.shows(OPEN);
  expect(seen).toMatch(/^Anthropic$/m);
  expect(seen).toMatch(/claude-sonnet-5-5 ✓ +\$.* in, \$.* out per 1M tokens · 1M context/);
  expect(seen.match(/✓/g)).toHaveLength(1);
});

inTerminal('/init is shown short, at once and after --continue', async () => {
  const first = await converse([{ text: 'Written.' }]);
  await first.say('/init');
  await first.terminal.shows('Written.');
  expect((await first.terminal.scrollback()).match(/\/init/g)).toHaveLength(1);
  expect(first.server.requests[0]?.text).toContain('Write AGENTS.md');
  await first.say('/quit');
  await first.terminal.exitCode();
  const { project, home } = first.terminal;
  const again = await converse([], { folders: { project, home }, args: ['--continue'] });
  const seen = await again.terminal.shows('Written.');
  expect(seen).toMatch(/\/init\n/);
  expect(seen).not.toContain('Look first');
});

inTerminal('/compact stands above what it has done', async () => {
  const { terminal, say } = await converse([{ text: 'One.' }, { text: '<summary>It said One.</summary>' }]);
  await say('first');
  await terminal.shows('One.');
  await say('/compact');
  await terminal.shows(/❯ \/compact\n(?:.*\n){1,3}.*Compacting freed nothing/);
});

inTerminal('tools and agent types are described for people, not for the model', async () => {
  const { terminal, say } = await converse([]);
  await say('/tools');
  await terminal.shows('Writes a whole file, new or existing.');
  expect(await terminal.scrollback()).toMatch(/ExitPlanMode +Presents a plan for your approval\./);
  await say('/agents');
  const seen = await terminal.shows('Writes the statusLine setting.');
  expect(seen).toMatch(/general-purpose +Works on any task of several steps, with all tools\./);
});

inTerminal('an export goes to the data folder, and its path is shown', async () => {
  const { terminal, say } = await converse([{ text: 'Hello.' }]);
  await say('hi');
  await terminal.shows('Hello.');
  await say('/export');
  await terminal.shows('Written to');
  expect(readdirSync(terminal.project)).toEqual([]);
  expect(existsSync(join(terminal.home, '.helve', 'exports'))).toBe(true);
});

inTerminal('a note reaches the model with the next prompt', async () => {
  const { terminal, server, say } = await converse([{ text: 'I know.' }]);
  await say('#always use tabs');
  await terminal.shows(OPEN);
  await terminal.press('Enter');
  await terminal.shows('Saved to');
  await say('go');
  await terminal.shows('I know.');
  expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('always use tabs');
});

inTerminal('status, diff and copy answer on the screen', async () => {
  const { terminal, say } = await converse(
    [{ calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'new line\n' } }] }, { text: 'It is made.' }],
    { args: ['--permission-mode', 'acceptEdits'] },
  );
  await say('make it');
  await terminal.shows('It is made.');
  await say('/diff');
  await terminal.shows(/Changes of this conversation: 1 file\n\nmade\.txt {2}new {2}\+1\n.*new line/);
  await say('/copy');
  await terminal.shows('Copied the last answer, 1 line, through the terminal');
  await say('/status');
  await terminal.shows(/Helve \d.*\n +model +anthropic\/claude-sonnet-5-5/);
});

inTerminal('a new conversation has no number in its notice', async () => {
  const { terminal, say } = await converse([]);
  await say('/clear');
  await terminal.shows('New conversation.');
  expect(await terminal.scrollback()).not.toMatch(/Conversation [0-9a-f]{8}/);
});

inTerminal('/mcp follows a server that is starting until it has failed', async () => {
  const wait = { type: 'stdio', command: 'sh', args: ['-c', 'sleep 2; exit 1'] };
  const { terminal, say } = await converse([], {
    args: ['--settings', JSON.stringify({ mcpServers: { slow: wait } })],
  });
  await terminal.shows('? for shortcuts');
  await say('/mcp');
  await terminal.shows('… slow: connecting');
  const seen = await terminal.shows('✗ slow: failed');
  expect(seen).not.toContain('… slow');
});

inTerminal('an error of a command names commands that can be typed there', async () => {
  const { terminal, say } = await converse([]);
  for (const [command, advice] of [
    ['/model gpt9', '/model lists those that are set up'],
    ['/config zzzzzz 1', '/config lists all of them'],
    ['/resume zz', '/resume lists the conversations of this folder'],
    ['/mcp reconnect zz', '/mcp lists the servers'],
  ] as const) {
    await say(command);
    await terminal.shows(advice);
  }
  expect(await terminal.scrollback()).not.toMatch(/"?helve (models|config|sessions)/);
});
