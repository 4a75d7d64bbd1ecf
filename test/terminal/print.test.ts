import { expect, onTestFinished, test } from 'vitest';
import { startTerminal, type TestTerminal, whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const script = {
  turns: [
    { text: 'I look.', calls: [{ name: 'Bash', input: { command: 'echo hello' } }] },
    { text: '# Answer\n\nIt is **done**.' },
  ],
};

async function print(...args: string[]): Promise<TestTerminal> {
  const files = { 'script.json': JSON.stringify(script) };
  const terminal = await startTerminal({ args: ['-p', 'go', '--model', 'scripted/script.json', ...args], files });
  onTestFinished(async () => await terminal.close());
  return terminal;
}

inTerminal('-p on a terminal shows its steps, renders the answer and names the session', async () => {
  const terminal = await print();
  expect(await terminal.exitCode()).toBe(0);
  const screen = await terminal.screen();
  expect(screen).toMatch(/^✓ Bash echo hello/m);
  expect(screen).toMatch(/^It is done\.$/m);
  expect(screen).toMatch(/^To continue: helve --resume [0-9a-f-]{36}$/m);
  expect(screen).not.toContain('waiting for the model');
});

inTerminal('-p --quiet on a terminal prints the answer alone', async () => {
  const terminal = await print('--quiet');
  expect(await terminal.exitCode()).toBe(0);
  const screen = await terminal.screen();
  expect(screen).toContain('# Answer\n\nIt is **done**.\n[ended 0]');
  expect(screen).not.toContain('Bash');
});
