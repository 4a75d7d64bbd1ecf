import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { until } from '../../src/testing/watch-processes.js';
import { emptyFolder, type HelveRun, jsonLines, runHelve } from '../cli/run-helve.js';
import { converse } from './converse.js';
import { startTerminal, type TerminalOptions, type TestTerminal, whyNoTmux } from './tmux.js';

interface Background {
  project: string;
  /** The first characters of the session's id. */
  id: string;
  helve(args: readonly string[]): Promise<HelveRun>;
  attach(options?: TerminalOptions): Promise<TestTerminal>;
}

/** A background session that has this prompt. */
async function background(prompt: string, answers: FakeAnswers): Promise<Background> {
  const [project, home] = [await emptyFolder(), await emptyFolder()];
  const server = await startFakeModelServer(answers);
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  const helve = async (args: readonly string[]): Promise<HelveRun> => await runHelve(args, { cwd: project, env });
  onTestFinished(async () => {
    await helve(['host', 'stop']);
    await server.close();
  });
  const { stdout } = await helve(['bg', prompt]);
  const id = stdout.trim().slice(0, 8);
  return {
    project,
    id,
    helve,
    async attach({ args = [], ...options } = {}) {
      const terminal = await startTerminal({
        ...options,
        args: ['attach', id, ...args],
        env: { ...env, ...options.env },
        folders: { project, home },
      });
      onTestFinished(() => terminal.close());
      return terminal;
    },
  };
}

const bash = (command: string, text = 'I run it.') => ({ text, calls: [{ name: 'Bash', input: { command } }] });
const count = (text: string, words: string): number => text.split(words).length - 1;

test.skipIf(whyNoTmux !== undefined)(
  'attach draws the transcript as a terminal does, asks the open question in a dialog, sends prompts and leaves the session running',
  async () => {
    const here = await background('make it', [
      bash('echo made > made.txt', 'I write **it**.'),
      { text: 'It is **made**.\n\n- one\n- two' },
      { text: 'You are welcome.' },
    ]);
    const terminal = await here.attach();
    await terminal.shows(
      /❯ make it[\s\S]*I write it\.[\s\S]*Run this command\?[\s\S]*creates made\.txt[\s\S]*y {2}Yes/,
    );
    await terminal.shows('esc to stop');
    await terminal.press('Enter');
    await terminal.shows(/It is made\.[\s\S]*one/);
    expect(readFileSync(join(here.project, 'made.txt'), 'utf8')).toBe('made\n');
    await terminal.type('thank you');
    await terminal.press('Enter');
    await terminal.shows('You are welcome.');
    await terminal.press('Up');
    await terminal.shows(/❯ thank you\s*\n.*[─]/);
    await terminal.press('Down');
    await terminal.hides(/❯ thank you\s*\n.*[─]/);
    await terminal.press('C-d');
    await terminal.shows(`The session ${here.id} goes on.`);
    expect(await terminal.exitCode()).toBe(0);
    expect((await here.helve(['ps'])).stdout).toMatch(new RegExp(`${here.id} {2}idle`));
  },
);

test.skipIf(whyNoTmux !== undefined)(
  'a terminal that attaches in the middle of an answer shows all of it once, also when it leaves, comes back and is resized',
  async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
    const here = await background('tell', [
      {
        ...{ text: 'I look first.' },
        calls: [
          { name: 'Bash', input: { command: 'echo looked' } },
          {
            name: 'TodoWrite',
            input: { todos: [{ content: 'Tell it', activeForm: 'Telling it', status: 'in_progress' }] },
          },
        ],
      },
      { text: `Begin. ${words} End.`, holdAfter: { events: 4, until: first.promise } },
      { text: 'The second answer.', holdAfter: { events: 4, until: second.promise } },
    ]);
    const terminal = await here.attach({ columns: 60, args: ['--permission-mode', 'default'] });
    await terminal.shows(/Bash echo looked[\s\S]*Begin\./);
    await terminal.shows(/esc to stop/);
    await terminal.resize(80, 24);
    await terminal.press('C-d');
    await terminal.shows('goes on.');
    const again = await here.attach({ columns: 70 });
    await again.shows(/esc to stop/);
    await again.shows(/Tell(?:ing)? it/); // the list of todos
    await again.resize(100, 30);
    first.resolve();
    await again.shows('End.');
    const all = await again.scrollback();
    for (const once of ['❯ tell', 'I look first.', 'echo looked', 'Begin.', 'word0 ', 'word39', 'End.']) {
      expect([once, count(all.replace(/\n/g, ' '), once)]).toEqual([once, 1]);
    }
    await again.type('and now');
    await again.press('Enter');
    await again.shows(/❯ and now[\s\S]*esc to stop/);
    await again.type('after that');
    await again.press('Enter');
    await again.shows('» after that · runs when the model is done');
    await again.press('Escape'); // the prompt that waits comes back, and the one that runs ends
    await again.shows(/❯ after that/);
    await again.hides('esc to stop');
    second.resolve();
    await again.press('C-u');
    await again.press('C-d');
    await again.exitCode();
    expect(jsonLines((await here.helve(['ps', '--json'])).stdout)[0]).toMatchObject({ state: 'idle' });
  },
);

test.skipIf(whyNoTmux !== undefined)(
  'a question that is answered in one terminal goes away in the other, and both show what follows',
  async () => {
    const here = await background('do both', [bash('echo one > one.txt'), { text: 'Both see this.' }]);
    const terminals = [await here.attach(), await here.attach()];
    for (const terminal of terminals) await terminal.shows('Run this command?');
    const [one, other] = terminals;
    await one?.shows('esc to stop');
    await one?.press('Enter');
    await other?.hides('Run this command?');
    for (const terminal of terminals) await terminal.shows('Both see this.');
    expect(await other?.screen()).toContain('answered elsewhere');
    expect(await one?.screen()).not.toContain('answered elsewhere');
    await other?.type('/model');
    await other?.press('Enter');
    await other?.shows('The model is anthropic/');
    await other?.type('/compact');
    await other?.press('Enter');
    await other?.shows(/\/compact works only in the terminal of a session/);
  },
);

test.skipIf(whyNoTmux !== undefined)(
  'when the host is killed, the terminal is restored and says how to go on, and the session goes on there',
  async () => {
    const here = await background('write it', [bash('echo late > late.txt'), { text: 'It is late.' }]);
    const terminal = await here.attach();
    await terminal.shows(/Run this command\?[\s\S]*esc to stop/);
    const [{ pid } = {}] = jsonLines((await here.helve(['ps', '--json'])).stdout);
    process.kill(Number(pid), 'SIGKILL');
    await terminal.shows('The host process of the background sessions has ended');
    expect((await terminal.scrollback()).replaceAll('\n', ' ')).toContain(`helve attach ${here.id}`);
    expect(await terminal.exitCode()).toBe(1);
    const again = await here.attach({ args: ['--screen-reader'] });
    await again.shows(/> write it[\s\S]*Run this command\?[\s\S]*A number:/);
    await again.type('y');
    await again.press('Enter');
    await again.shows('It is late.');
    expect(readFileSync(join(here.project, 'late.txt'), 'utf8')).toBe('late\n');
  },
);

test.skipIf(whyNoTmux !== undefined)(
  'a session of a terminal is listed while it runs, with what it waits for, and is neither attached to nor stopped from outside',
  async () => {
    const { terminal, say } = await converse([bash('echo x > x.txt'), { text: 'Done.' }]);
    const env = { HELVE_HOME: join(terminal.home, '.helve') };
    const ps = async () => jsonLines((await runHelve(['ps', '--json'], { env })).stdout);
    await say('make it');
    await terminal.shows(/Run this command\?[\s\S]*esc to stop/);
    const [{ id, ...listed } = {}] = await ps();
    expect(listed).toMatchObject({
      kind: 'terminal',
      state: 'waiting',
      title: 'make it',
      activity: 'Bash echo x > x.txt',
    });
    expect((await runHelve(['ps'], { env })).stdout).toContain('(terminal)');
    for (const command of ['attach', 'stop']) {
      const refused = await runHelve([command, String(id)], { env });
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`runs in a terminal (process ${listed['pid']})`),
      });
    }
    await terminal.press('Enter');
    await terminal.shows('Done.');
    await until(async () => (await ps())[0]?.['state'] === 'idle');
    process.kill(await terminal.pid(), 'SIGKILL');
    await until(async () => (await ps()).length === 0);
  },
);
