import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';
import { startTerminal, whyNoTmux } from './tmux.js';

test.skipIf(whyNoTmux !== undefined)(
  'attach shows the transcript, asks the open question, sends prompts and leaves the session running',
  async () => {
    const [project, home] = [await emptyFolder(), await emptyFolder()];
    const server = await startFakeModelServer([
      { text: 'I write it.', calls: [{ name: 'Bash', input: { command: 'echo made > made.txt' } }] },
      { text: 'It is **made**.' },
      { text: 'You are welcome.' },
    ]);
    const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
    onTestFinished(async () => {
      await runHelve(['host', 'stop'], { env });
      await server.close();
    });
    const { stdout } = await runHelve(['bg', 'make it'], { cwd: project, env });
    const id = stdout.trim().slice(0, 8);
    const terminal = await startTerminal({ args: ['attach', id], env, folders: { project, home } });
    onTestFinished(() => terminal.close());
    await terminal.shows(/> make it[\s\S]*I write it\.[\s\S]*Run this command\?[\s\S]*A number:/);
    await terminal.type('y');
    await terminal.press('Enter');
    await terminal.shows(/It is made\./);
    expect(readFileSync(join(project, 'made.txt'), 'utf8')).toBe('made\n');
    await terminal.type('thank you');
    await terminal.press('Enter');
    await terminal.shows('You are welcome.');
    await terminal.press('C-d');
    await terminal.shows(`The session ${id} goes on.`);
    expect(await terminal.exitCode()).toBe(0);
    expect((await runHelve(['ps'], { env })).stdout).toMatch(new RegExp(`${id} {2}idle`));
  },
);
