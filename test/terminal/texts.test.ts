import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);
const ASKED = /(?:choose|letter|for more|go on) · esc to stop/; // the hint appears once the question accepts keys

/** Words that Helve writes for the model alone. */
const MODELS_WORDS =
  /the user|Stop and ask|Do not look for another way|then send|Find it with|find the file with Glob|BashOutput|KillShell|You are notified|running in background with ID|Output is being written|system-reminder|Nothing was run/i;

inTerminal('nothing that is written for the model is on the screen, whatever calls come to', async () => {
  const { terminal, say, server } = await converse(
    [
      { calls: [{ name: 'Edit', input: { file_path: 'price.js', old_string: '1', new_string: '2' } }] },
      { calls: [{ name: 'Read', input: { file_path: 'missing.js' } }] },
      { calls: [{ name: 'Read', input: { file_path: 'price.js', limit: 'all' } }] },
      { calls: [{ name: 'Bash', input: { command: 'echo one test failed; exit 3' } }] },
      { calls: [{ name: 'Bash', input: { command: 'sleep 1000', run_in_background: true } }] },
      { calls: [{ name: 'Grep', input: { pattern: 'price', output_mode: 'content' } }] },
      { calls: [{ name: 'Serve', input: {} }] },
      { text: 'That is all.' },
    ],
    {
      args: ['--permission-mode', 'bypassPermissions'],
      files: { 'price.js': 'const price = 1;\n' },
      rows: 60,
    },
  );
  await say('go');
  await terminal.shows('That is all.');
  const screen = await terminal.scrollback();
  expect(screen).toMatch(/price\.js has not been read in this session/);
  expect(screen).toMatch(/missing\.js does not exist/);
  expect(screen).toMatch(/"limit" must be a number, but was "all"/);
  expect(screen).toMatch(/[Ee]xit code 3/);
  expect(screen).toContain('one test failed');
  expect(screen).toMatch(/sleep 1000.*in the background/);
  expect(screen).toMatch(/there is no tool named "Serve"/i);
  expect(screen).not.toMatch(MODELS_WORDS);
  expect(server.requests[1]?.text).toContain('Read it, then send the edit again.');
});

inTerminal('a refusal is told to the person, and the calls that depend on it are not run', async () => {
  const { terminal, say } = await converse([
    {
      calls: [
        { name: 'Write', input: { file_path: 'made.txt', content: 'new\n' } },
        { name: 'Bash', input: { command: 'touch tested' } },
      ],
    },
    { text: 'I see.' },
  ]);
  await say('make the file');
  await terminal.shows(ASKED);
  await terminal.press('n');
  await terminal.shows('What should be done instead?');
  await say('not here');
  await terminal.shows('I see.');
  const screen = await terminal.scrollback();
  expect(screen).toMatch(/you refused it: not here/i);
  expect(screen).toMatch(/not run, because Write made\.txt was refused/i);
  expect(screen).not.toMatch(MODELS_WORDS);
});

inTerminal('a resumed conversation shows what became of its calls, and not what the model was told', async () => {
  const first = await converse(
    [{ calls: [{ name: 'Read', input: { file_path: 'missing.js' } }] }, { text: 'It is not there.' }],
    { args: ['--permission-mode', 'bypassPermissions'] },
  );
  await first.say('look');
  await first.terminal.shows('It is not there.');
  await first.say('/quit');
  await first.terminal.exitCode();
  const { project, home } = first.terminal;
  const { terminal } = await converse([], {
    args: ['--continue'],
    folders: { project, home },
    shows: 'It is not there.',
  });
  const screen = await terminal.scrollback();
  expect(screen).toMatch(/Read missing\.js.*does not exist/s);
  expect(screen).not.toMatch(MODELS_WORDS);
});

inTerminal('a refused key names the command that sets another one', async () => {
  const { terminal, say } = await converse([
    { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } },
  ]);
  await say('hi');
  await terminal.shows('/key');
  expect(await terminal.screen()).not.toContain('ANTHROPIC_API_KEY');
});
