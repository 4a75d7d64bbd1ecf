import { expect, test } from 'vitest';
import { eraServer } from '../scenarios/mcp-eras.js';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);
const bypass = { args: ['--permission-mode', 'bypassPermissions'] };

const inBackground = (command: string) => ({
  calls: [{ name: 'Bash', input: { command, run_in_background: true } }],
});

inTerminal('a background command is in the panel, can be looked at and stopped, and is then gone', async () => {
  const { terminal, say } = await converse(
    [inBackground('for i in 1 2 3; do echo line $i; done; sleep 1000'), { text: 'It runs.' }],
    bypass,
  );
  await say('start it');
  await terminal.shows('It runs.');
  await terminal.shows(/1 background command · ↓ to look or stop\n.*● for i in.*line 3/);
  await terminal.press('Down');
  await terminal.shows('x to stop');
  await terminal.press('Enter');
  await terminal.shows(/ {2}line 1\n {2}line 2\n {2}line 3/);
  await terminal.shows('esc to close');
  await terminal.press('Escape');
  await terminal.hides('esc to close');
  await terminal.shows('enter to look');
  await terminal.press('x');
  await terminal.hides('1 background command');
  await terminal.shows('ended in the background: stopped');
});

inTerminal('the end of a background command is noted once, with its exit code and last line', async () => {
  const { terminal, say } = await converse(
    [inBackground('echo first; echo the last line; exit 3'), { text: 'It runs.' }],
    bypass,
  );
  await say('start it');
  await terminal.shows(/✗ echo first.* ended in the background: exit code 3 .*\n\s+the last line/);
  await terminal.hides('1 background command');
  expect((await terminal.scrollback()).match(/ended in the background/g)).toHaveLength(1);
});

inTerminal('/tasks lists what runs by its description, with the keys of the panel', async () => {
  const input = { command: 'echo ready; sleep 1000', description: 'Start the server', run_in_background: true };
  const { terminal, say } = await converse([{ calls: [{ name: 'Bash', input }] }, { text: 'It runs.' }], bypass);
  await say('start it');
  await terminal.shows('↓ to look or stop');
  await say('/tasks');
  await terminal.shows('enter to look · x to stop · esc to close');
  const listed = await terminal.shows(/❯ 1 {2}Start the server +running · \d+s/);
  expect(listed).not.toContain('❯ 1  echo ready');
  await terminal.press('Enter');
  await terminal.shows(/\$ echo ready; sleep 1000\n\n {2}ready/);
  await terminal.shows('x to stop it · esc to close');
  await terminal.press('Escape');
  await terminal.shows('enter to look · x to stop');
  await terminal.type('x');
  await terminal.shows('“Start the server” was stopped.');
  await say('/tasks');
  await terminal.shows(/❯ 1 {2}Start the server +stopped · \d+s/);
});

inTerminal('a key that the panel does not know goes to the prompt', async () => {
  const { terminal, say } = await converse([inBackground('sleep 1000'), { text: 'It runs.' }], bypass);
  await say('start it');
  await terminal.shows('↓ to look or stop');
  await terminal.press('Down');
  await terminal.shows('x to stop');
  await terminal.type('hello');
  await terminal.shows('❯ hello');
});

inTerminal('leaving asks once while a command runs in the background', async () => {
  const { terminal, say } = await converse([inBackground('sleep 1000'), { text: 'It runs.' }], bypass);
  await say('start it');
  await terminal.shows('↓ to look or stop');
  await say('/quit');
  await terminal.shows('“sleep 1000” still runs: end it and leave?');
  await terminal.shows('enter to choose · esc to stay');
  await terminal.press('Escape');
  await terminal.shows('↓ to look or stop');
  await say('/quit');
  expect(await terminal.shows('enter to choose')).toMatch(/ {2}y {2}Yes, end it and leave\n❯ n {2}No, stay here/);
  await terminal.type('y');
  expect(await terminal.exitCode()).toBe(0);
});

inTerminal('a command that takes long says how to move it to the background', async () => {
  const { terminal, say } = await converse(
    [{ calls: [{ name: 'Bash', input: { command: 'read -t 1000 < <(sleep 1000)' } }] }, { text: 'Moved.' }],
    bypass,
  );
  await say('run it');
  await terminal.shows(/Running read.*ctrl\+b to run in the background/);
  await terminal.press('C-b');
  await terminal.shows('Moved.');
  await terminal.shows('1 background command');
});

inTerminal(
  'a child agent is one line in the panel while it works, and one call in the transcript once it has ended',
  async () => {
    const held = Promise.withResolvers<void>();
    const { terminal, say } = await converse((request) => {
      if (request.text.includes('Find all callers') && !request.text.includes('look around')) {
        return { text: 'Found.', holdAfter: { events: 2, until: held.promise } };
      }
      const isFirst = !request.text.includes('tool_result');
      return isFirst
        ? {
            calls: [
              { name: 'Task', input: { description: 'find', prompt: 'Find all callers', subagent_type: 'Explore' } },
            ],
          }
        : { text: 'All done.' };
    }, bypass);
    await say('look around');
    const seen = await terminal.shows(/1 agent · ↓ to look or stop\n.*● Explore: find/);
    expect(seen.match(/Explore: find/g)).toHaveLength(1);
    held.resolve();
    await terminal.shows('All done.');
    expect(await terminal.hides('1 agent')).toContain('✓ Agent Explore: find');
  },
);

inTerminal('a task of an MCP server is in the panel, can be looked at and stopped, and asks its question', async () => {
  const { entry } = await eraServer('http', { era: 'modern' });
  const settings = {
    mcpServers: { era: { ...entry, alwaysLoad: true } },
    mcp: { taskWaitMs: 0 },
    permissions: { allow: ['mcp__era'] },
  };
  const task = (ends: string) => ({ calls: [{ name: 'mcp__era__task', input: { ends } }] });
  const { terminal, say } = await converse([task('never'), { text: 'It runs.' }, task('ask'), { text: 'It asks.' }], {
    args: ['--settings', JSON.stringify(settings)],
  });
  await say('start it');
  await terminal.shows(/1 task · ↓ to look or stop\n.*● era: task never.*look/);
  await say('/tasks');
  await terminal.shows(/❯ 1 {2}era: task never\s+running: look \d+/);
  await terminal.shows('enter to look');
  await terminal.press('Enter');
  await terminal.shows(/• look \d+\n\s*• look \d+/);
  await terminal.shows('esc to close');
  await terminal.press('x');
  await terminal.shows(
    /era: task never ended in the background: stopped[\s\S]*❯ 1 {2}era: task never\s+stopped.*\n\n.*esc to close/,
  );
  await terminal.press('Escape');
  await terminal.hides('esc to close');
  await say('start the other');
  await terminal.shows('Where?');
  await terminal.shows('enter to choose');
  await terminal.press('Escape');
  await terminal.shows(/era: task ask ended in the background: done .*\n\s+done .*"action":"(?:cancel|decline)"/);
});
