import { expect, test } from 'vitest';
import { runHelve } from './run-helve.js';

test.each([[['undo', '--help']], [['help', 'undo']], [['undo', '--calls', '2', '-h']]])(
  'helve %j prints the page of undo',
  async (args) => {
    const { code, stdout, stderr } = await runHelve(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^helve undo: [^\n]+\n/);
    expect(stdout).toContain('--prompts N');
  },
);

test('helve -p --help has the options of -p, and helve --help says where the rest is', async () => {
  expect((await runHelve(['-p', '--help'])).stdout).toContain('--max-budget-usd N');
  const { stdout } = await runHelve(['--help']);
  expect(stdout).toContain('helve COMMAND --help');
  expect(stdout).not.toContain('--max-budget-usd');
  expect((await runHelve(['help'])).stdout).toBe(stdout);
});

test.each([
  [['undo', 'x'], 'See helve undo --help.'],
  [['config'], 'See helve config --help.'],
  [['-p', '--nope'], 'See helve -p --help.'],
  [['nope'], 'See helve --help.'],
  [['help', 'nope'], 'See helve --help.'],
  [['help', 'constructor'], 'See helve --help.'],
])('the error of helve %j ends with a pointer to help', async (args, end) => {
  const { code, stderr } = await runHelve(args);
  expect(code).toBe(2);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(end);
});

test.each([
  ['perms', 'helve permissions'],
  ['setup', 'ANTHROPIC_API_KEY'],
  ['init', 'helve doctor'],
  ['resume', '--resume ID'],
  ['udno', 'Did you mean "helve undo"?'],
])('helve %s points to the existing command', async (word, way) => {
  const { code, stderr } = await runHelve([word]);
  expect(code).toBe(2);
  expect(stderr).toContain(`There is no command "${word}".`);
  expect(stderr).toContain(way);
});

test.each([
  [['--verison'], 'There is no option --verison here. Did you mean --version?'],
  [['undo', '--hepl'], 'There is no option --hepl here. Did you mean --help?'],
  [['-p', 'x', '--teleport', 'x'], 'There is no option --teleport here: other agents have it, helve does not yet.'],
  [['-p', 'x', '--worktree', 'one', '--resume', 'x'], '--worktree is for a new session'],
  [['-p', 'x', '--worktree-end', 'merge'], '--worktree-end is for a session in a worktree.'],
  [['-p', 'x', '--resume', 'a', '--continue'], '--resume names a session and --continue means the last one here.'],
  [['-p', 'x', '--resume', '--fork'], 'There is no session in this folder that could be resumed.'],
  [['-p', 'x', '-r'], 'There is no session in this folder that could be resumed.'],
  [['--resume'], 'There is no session in this folder that could be resumed.'],
  [
    ['-p', 'x', '--model', '--fork'],
    '--model needs a value after it, but "--fork" follows, which looks like an option.',
  ],
  [['undo', '--list=x'], '--list takes no value.'],
])('helve %j has its own error message', async (args, sentence) => {
  const { code, stderr } = await runHelve(args);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});
