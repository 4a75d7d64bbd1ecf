import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { converse } from './converse.js';
import { startTerminal, type TerminalOptions, whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

async function terminalWithoutModel(options: TerminalOptions = {}) {
  const terminal = await startTerminal(options);
  onTestFinished(() => terminal.close());
  return terminal;
}

async function projectWithHook() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-project-')));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  await mkdir(join(project, '.helve'), { recursive: true });
  await mkdir(home);
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] };
  await writeFile(join(project, '.helve', 'settings.json'), JSON.stringify({ hooks }));
  return { project, home };
}

inTerminal('trust shows what it would switch on, and what was trusted counts at once', async () => {
  const folders = await projectWithHook();
  const { terminal, say } = await converse([{ text: 'Heard.' }], { folders, shows: 'Do you trust this folder?' });
  expect(await terminal.shows('esc to go on without')).toContain('touch hook-ran');
  await terminal.press('t');
  await terminal.hides('Do you trust');
  await say('hello');
  await terminal.shows('Heard.');
  expect(await readFile(join(folders.project, 'hook-ran'), 'utf8')).toBe('');
});

inTerminal('Enter goes on without trust, and nothing of the folder runs', async () => {
  const folders = await projectWithHook();
  const { terminal, say } = await converse([{ text: 'Heard.' }], { folders, shows: 'Do you trust this folder?' });
  await terminal.shows('esc to go on without');
  await terminal.press('Enter');
  await terminal.hides('Do you trust');
  await say('hello');
  await terminal.shows('Heard.');
  await expect(readFile(join(folders.project, 'hook-ran'))).rejects.toThrow();
});

inTerminal('without a model there is a hint, and the tools can be called', async () => {
  const terminal = await terminalWithoutModel({ files: { 'notes.txt': 'first line\n' } });
  await terminal.shows('No model is set up');
  await terminal.type('Read notes.txt');
  await terminal.press('Enter');
  await terminal.shows(/✓ Read notes\.txt/);
  await terminal.type('Grep first');
  await terminal.press('Enter');
  await terminal.shows(/✓ Grep/);
  await terminal.type('/quit');
  await terminal.press('Enter');
  expect(await terminal.exitCode()).toBe(0);
});

inTerminal('a prompt on the command line is said at once', async () => {
  const { terminal } = await converse([{ text: 'At your service.' }], { args: ['tell me something'] });
  await terminal.shows('> tell me something');
  await terminal.shows('At your service.');
});

inTerminal('a wrong option is told, and no terminal is taken', async () => {
  const terminal = await terminalWithoutModel({ args: ['--modell', 'x'] });
  expect(await terminal.exitCode()).toBe(2);
  expect(await terminal.screen()).toContain('Did you mean --model?');
});

inTerminal('a session that is not there is told once the screen is given back', async () => {
  const terminal = await terminalWithoutModel({
    args: ['--resume', 'nothing'],
    env: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  });
  expect(await terminal.exitCode()).toBe(2);
  expect(await terminal.screen()).toMatch(/no session/i);
});

inTerminal('for a screen reader everything is plain lines, and questions have numbers', async () => {
  const { terminal, say } = await converse(
    [{ calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'new\n' } }] }, { text: 'Written.' }],
    { args: ['--screen-reader'] },
  );
  await terminal.shows(/^>/m);
  await say('write it');
  await terminal.shows('A number:');
  await say('1');
  await terminal.shows('Written.');
  expect(await readFile(join(terminal.project, 'made.txt'), 'utf8')).toBe('new\n');
  await say('/quit');
  expect(await terminal.exitCode()).toBe(0);
});

inTerminal('a storm of resizes ends with a whole picture', async () => {
  const { terminal, say } = await converse([{ text: Array.from({ length: 60 }, (_, n) => `- item ${n}`).join('\n') }]);
  await say('list');
  await terminal.shows('item 59');
  for (let round = 0; round < 30; round += 1) await terminal.resize(40 + ((round * 17) % 80), 10 + ((round * 7) % 30));
  await terminal.resize(80, 30);
  await terminal.type('typed after');
  const screen = await terminal.shows('typed after');
  expect(screen).toMatch(/item 58\n[^\n]*item 59\n/);
  expect(screen.match(/typed after/g)).toHaveLength(1);
});

inTerminal('what stood in the terminal before stays above', async () => {
  const { terminal, say } = await converse([{ text: Array.from({ length: 80 }, (_, n) => `line ${n}  `).join('\n') }]);
  await say('a long one');
  await terminal.shows('line 79');
  await terminal.resize(60, 20);
  await terminal.shows('line 79');
  const all = await terminal.scrollback();
  expect(all).toContain('before helve');
  expect(all).toContain('line 3');
});

inTerminal('what is typed before the first frame is not lost, and its Enter counts', async () => {
  const terminal = await terminalWithoutModel();
  await terminal.burst('/help\r');
  await terminal.shows('/quit');
});
