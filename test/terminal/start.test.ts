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

inTerminal('the trust question shows what trust would enable, and trusted items apply at once', async () => {
  const folders = await projectWithHook();
  const { terminal, say } = await converse([{ text: 'Heard.' }], { folders, shows: 'Do you trust this folder?' });
  expect(await terminal.shows('esc to continue without')).toContain('touch hook-ran');
  await terminal.press('y');
  await terminal.hides('Do you trust');
  await say('hello');
  await terminal.shows('Heard.');
  expect(await readFile(join(folders.project, 'hook-ran'), 'utf8')).toBe('');
});

inTerminal('Enter continues without trust, and nothing of the folder runs', async () => {
  const folders = await projectWithHook();
  const { terminal, say } = await converse([{ text: 'Heard.' }], { folders, shows: 'Do you trust this folder?' });
  await terminal.shows('esc to continue without');
  await terminal.press('Enter');
  await terminal.hides('Do you trust');
  await say('hello');
  await terminal.shows('Heard.');
  await expect(readFile(join(folders.project, 'hook-ran'))).rejects.toThrow();
});

inTerminal('settings that stop the start leave the error alone on the screen', async () => {
  const folders = await projectWithHook();
  const deny = { permissions: { deny: ['Rd(x)'] } };
  await writeFile(join(folders.project, '.helve', 'settings.json'), JSON.stringify(deny));
  const terminal = await terminalWithoutModel({ folders });
  expect(await terminal.exitCode()).not.toBe(0);
  const screen = await terminal.screen();
  expect(screen).toContain('Rd(x)');
  expect(screen).not.toContain('for commands');
});

inTerminal.each([
  ['antropic/claude-sonnet-5-5', 'Did you mean "anthropic/claude-sonnet-5-5"?'],
  ['sonet', 'Did you mean "sonnet"?'],
])('--model %s, which is mistyped, is a usage error before anything is drawn', async (name, nearest) => {
  const terminal = await terminalWithoutModel({ args: ['--model', name], columns: 200 });
  expect(await terminal.exitCode()).toBe(2);
  const screen = await terminal.screen();
  expect(screen).toContain(`helve: "${name}" names no model`);
  expect(screen).toContain(nearest);
  expect(screen).not.toContain('❯');
});

inTerminal(
  'a model of HELVE_MODEL that is not known is a warning with the reason, and the tools can be called',
  async () => {
    const terminal = await terminalWithoutModel({ env: { HELVE_MODEL: 'foo/bar' } });
    const screen = await terminal.shows('! "foo/bar" names no model');
    expect(screen).not.toContain('No model is set up yet');
  },
);

inTerminal('with a key, a model of an unknown provider is explained, and /model is what to do', async () => {
  const terminal = await terminalWithoutModel({
    env: { ANTHROPIC_API_KEY: 'test', HELVE_MODEL: 'nope/abc' },
    columns: 200,
  });
  const screen = await terminal.shows('there is no provider "nope"');
  expect(screen).not.toMatch(/set up|Did you mean|\/key/);
  expect(screen).toContain('/model chooses one of the models that you can use.');
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

inTerminal('a prompt on the command line is sent at once', async () => {
  const { terminal } = await converse([{ text: 'At your service.' }], { args: ['tell me something'] });
  await terminal.shows('❯ tell me something');
  await terminal.shows('At your service.');
});

inTerminal('a wrong option is reported, and the terminal is left alone', async () => {
  const terminal = await terminalWithoutModel({ args: ['--modell', 'x'] });
  expect(await terminal.exitCode()).toBe(2);
  expect(await terminal.screen()).toContain('Did you mean --model?');
});

inTerminal('a missing session is reported after the screen is restored', async () => {
  const terminal = await terminalWithoutModel({
    args: ['--resume', 'nothing'],
    env: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  });
  expect(await terminal.exitCode()).toBe(1);
  expect(await terminal.screen()).toMatch(/no session/i);
});

inTerminal('for a screen reader everything is plain lines, and questions have numbers', async () => {
  const { terminal, say } = await converse(
    [
      { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'new\n' } }] },
      { calls: [{ name: 'Bash', input: { command: 'mkdir folder' } }] },
      { text: 'Written.' },
    ],
    { args: ['--screen-reader'] },
  );
  await terminal.shows(/^>/m);
  await say('write it');
  expect(await terminal.shows('A number:')).toMatch(/Create made.txt\?\n\s+At line 1:\n\s+\+new\n/);
  await say('1');
  await terminal.shows(/Run this command\?\n\s+mkdir folder[\s\S]*Runs without a sandbox\./);
  await say('1');
  await terminal.shows('Written.');
  expect(await readFile(join(terminal.project, 'made.txt'), 'utf8')).toBe('new\n');
  await say('/quit');
  expect(await terminal.exitCode()).toBe(0);
});

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `- item${from + index} 漢字 👍 שלום`).join('\n');

const itemsIn = (lines: readonly string[]): string[] => lines.flatMap((line) => line.match(/item\d+/g) ?? []);

inTerminal('a resize puts nothing twice into the scrollback, and loses nothing of it', async () => {
  const { terminal, say } = await converse([{ text: numbered(0, 60) }, { text: numbered(60, 90) }]);
  await say('list');
  await terminal.shows('item59');
  for (const [columns, rows] of [
    [70, 40],
    [40, 20],
    [90, 12],
    [100, 40],
  ] as const) {
    await terminal.resize(columns, rows);
    await terminal.shows(new RegExp(`^─{${columns}}\n(?!─)[^\n]*\n─{${columns}}$`, 'm'));
  }
  await say('more');
  await terminal.shows('item89');
  expect(itemsIn(await terminal.wholeLines())).toEqual(Array.from({ length: 90 }, (_, index) => `item${index}`));
});

inTerminal('a storm of resizes during an answer ends with a complete screen', async () => {
  const { terminal, say } = await converse([{ text: numbered(0, 120), chunkBytes: 40, delayMs: 10 }]);
  await say('list');
  await terminal.shows('item3');
  for (let round = 0; round < 30; round += 1) await terminal.resize(40 + ((round * 17) % 80), 12 + ((round * 7) % 28));
  await terminal.resize(80, 30);
  await terminal.type('typed after');
  await terminal.shows('item119');
  await terminal.hides('esc to stop');
  const screen = await terminal.shows(/^─{80}$/m);
  expect(screen).toMatch(/item118[^\n]*\n[^\n]*item119[^\n]*\n/);
  expect(screen.match(/typed after/g)).toHaveLength(1);
});

inTerminal('earlier content of the terminal stays above', async () => {
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

inTerminal('one word is a prompt, a pasted command runs, and a near miss of a command gets a hint', async () => {
  const { terminal } = await converse([{ text: 'Hello to you.' }], { args: ['hello'] });
  await terminal.shows('Hello to you.');
  await terminal.paste('/cost\n');
  await terminal.shows('1 prompt');
  const other = await terminalWithoutModel({ args: ['modles'] });
  expect(await other.exitCode()).toBe(2);
  expect(await other.screen()).toContain('Did you mean "helve models"?');
});

inTerminal('without an id, --resume asks which conversation to resume', async () => {
  const first = await converse([{ text: 'The first answer.' }], { args: ['first prompt'] });
  await first.terminal.shows('The first answer.');
  await first.say('/quit');
  expect(await first.terminal.exitCode()).toBe(0);
  const { project, home } = first.terminal;
  const { terminal } = await converse([], {
    args: ['--resume'],
    folders: { project, home },
    shows: 'Which conversation',
  });
  expect(await terminal.shows('enter to choose')).toMatch(/first prompt +just now · 1 turn/);
  await terminal.press('Enter');
  await terminal.shows('The first answer.');
});

inTerminal('a pasted path of an image is attached, and a long text is shown as a marker', async () => {
  const { terminal, server } = await converse([{ text: 'Seen.' }]);
  const picture = join(terminal.project, 'dot.png');
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  await writeFile(picture, Buffer.from(pixel, 'base64'));
  await terminal.paste(picture);
  await terminal.shows('[image #1]');
  await terminal.paste('word\n'.repeat(40));
  await terminal.shows('[paste #1');
  await terminal.press('Enter');
  await terminal.shows('Seen.');
  expect(await terminal.screen()).toContain('❯ [image #1] [paste #1 +41 lines]');
  const [request] = server.requests;
  expect(request?.text).toContain(pixel);
  expect(request?.text).toContain('word\\nword');
});

inTerminal("the prompt returns from the user's editor, and nothing is on the screen twice", async () => {
  const files = { 'edit.sh': 'echo and more >> "$1"\n' };
  const { terminal } = await converse([], { files, env: { VISUAL: 'sh edit.sh' } });
  await terminal.type('a draft');
  await terminal.shows('❯ a draft');
  await terminal.press('C-g');
  const screen = await terminal.shows(/❯ a draft\n {2}and more/);
  expect(screen.match(/Helve/g)).toHaveLength(1);
});

inTerminal('a wrong option is reported before the interface is drawn', async () => {
  const { terminal } = await converse([], { args: ['--add-dir', 'nowhere'], shows: '[ended' });
  expect(await terminal.exitCode()).toBe(2);
  expect(await terminal.scrollback()).not.toMatch(/▟█▌|for shortcuts/);
});

inTerminal(
  'without a model, a line that is typed ahead waits for the call before it, and has its error below it',
  async () => {
    const terminal = await terminalWithoutModel();
    await terminal.shows('? for shortcuts');
    for (const line of ['Bash echo begun; sleep 1000', 'ead src/price.js', 'hello']) {
      await terminal.type(line);
      await terminal.press('Enter');
    }
    await terminal.shows(/begun[\s\S]*» ead src\/price\.js · .*\n» hello · runs after the call before it/);
    await terminal.press('Escape');
    expect(await terminal.shows('no tool "hello"')).toMatch(
      /■ Bash [\s\S]*❯ ead src\/price\.js\n[\s\S]*no tool "ead"[\s\S]*❯ hello\n[\s\S]*no tool "hello"/,
    );
  },
);

inTerminal('a data folder that can not be used is named before the first prompt, once', async () => {
  const options = { env: { HELVE_HOME: '/etc/passwd' }, columns: 200, shows: 'no data can be kept there' };
  const { terminal, say } = await converse([{ text: 'Heard.' }], options);
  expect(await terminal.screen()).toContain(
    '/etc/passwd is a file, so no data can be kept there. Move it away, or set HELVE_HOME to another folder. Until then, this session is kept in the temporary folder.',
  );
  await say('hello');
  await terminal.shows('Heard.');
  expect((await terminal.scrollback()).match(/HELVE_HOME|data folder/gi)).toHaveLength(1);
});
