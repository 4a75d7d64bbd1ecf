import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

const isJudge = ({ body }: Pick<FakeRequest, 'body'>): boolean =>
  JSON.stringify(body).includes('VERDICT: MET, or NOT MET');

/** The answers of the model, and those of the judge. */
async function place(answers: FakeAnswer[], verdicts: string[] = []) {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const server = await startFakeModelServer((request) =>
    isJudge(request) ? { text: verdicts.shift() ?? 'unsure' } : (answers.shift() ?? { text: 'Done.' }),
  );
  onTestFinished(async () => await server.close());
  const env = {
    HELVE_HOME: home,
    HELVE_MAX_SESSION_OUTPUT: '1M',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test',
  };
  const ask = async (...args: string[]) => {
    const run = await runHelve(['-p', ...args, '--output-format', 'json'], { cwd, env });
    return { ...run, result: JSON.parse(run.stdout) };
  };
  const prompts = () =>
    server.requests.filter((request) => !isJudge(request)).map(({ body }) => JSON.stringify(body.messages.at(-1)));
  return { cwd, ask, prompts, server };
}

const write = (path: string): FakeAnswer => ({ calls: [{ name: 'Write', input: { file_path: path, content: 'x' } }] });
const permitted = ['--permission-mode', 'bypassPermissions'];

test('goes on until the command exits with 0', async () => {
  const { cwd, ask, prompts } = await place([{ text: 'Done already.' }]);
  const path = join(cwd, 'done.txt');
  const { code, result } = await ask('make it', '--until', `test -e ${path}`, ...permitted, '--max-turns', '2');
  expect({ code, reason: result.terminal_reason }).toEqual({ code: 1, reason: 'max_turns' });
  expect(prompts()[0]).toContain('The person has set a goal: make it');
  expect(prompts()[1]).toContain('The goal is not met yet (check 1)');
  const again = await place([{ text: 'Done already.' }, write(join(cwd, 'done.txt')), { text: 'Now it is.' }]);
  const met = await again.ask('make it', '--until', `test -e ${path}`, ...permitted);
  expect(met.result).toMatchObject({ subtype: 'success', result: 'Now it is.', num_turns: 3 });
});

test('does not begin if the command needs a permission that nothing gives, and says which rule would', async () => {
  const { ask, server } = await place([]);
  const { result } = await ask('make it', '--until', 'node check.js');
  expect(result).toMatchObject({ terminal_reason: 'stopped', is_error: true });
  expect(result.errors[0]).toMatch(/may not run.*A rule that allows `node check\.js`/s);
  expect(server.requests).toHaveLength(0);
});

test('a judge decides without a command, and only a passage that is there counts', async () => {
  const { cwd, ask, prompts } = await place(
    [{ text: 'I did it all.' }, { calls: [{ name: 'Read', input: { file_path: 'proof.txt' } }] }, { text: 'See.' }],
    [
      'VERDICT: MET\nEVIDENCE: everything is green\nMISSING: nothing',
      'VERDICT: MET\nEVIDENCE: all 12 tests pass\nMISSING: nothing',
    ],
  );
  writeFileSync(join(cwd, 'proof.txt'), 'all 12 tests pass\n');
  const { result } = await ask('--goal', 'All tests pass.');
  expect(result).toMatchObject({ subtype: 'success', result: 'See.' });
  expect(prompts()[0]).toContain('All tests pass.');
  expect(prompts()[1]).toContain('what it quoted is not in the result of a call');
});

test('what a check prints before it is stopped is not its exit status', async () => {
  const { ask } = await place([]);
  const later = 'echo Exit code 0; head -c 3000000 /dev/zero; sleep 100'; // ended at the limit of output
  const check = `test -e begun || { touch begun; exit 1; }; ${later}`;
  const { result } = await ask('make it', '--until', check, ...permitted, '--max-turns', '1');
  expect(result).toMatchObject({ terminal_reason: 'max_turns', is_error: true });
});

test('ends with the reason after three rounds without progress', async () => {
  const { ask, prompts } = await place([]);
  const { code, result } = await ask('make it', '--until', 'echo 1 failed; false', ...permitted);
  expect({ code, reason: result.terminal_reason }).toEqual({ code: 1, reason: 'goal_unmet' });
  expect(result.errors[0]).toMatch(/3 rounds in a row have changed nothing.*1 failed/s);
  expect(prompts()).toHaveLength(4);
});

test('a session that is resumed still has its goal', async () => {
  const { ask, prompts } = await place([]);
  await ask('make it', '--until', 'false', ...permitted, '--max-turns', '1');
  const { stderr, result } = await ask('go on', '-c', ...permitted);
  expect(stderr).toContain('This session still has a goal: make it');
  expect(result.terminal_reason).toBe('goal_unmet');
  expect(prompts()[1]).toContain('The person has set a goal: make it');
});

test.each([
  [['--until', 'true', '--input-format', 'stream-json', '--output-format', 'stream-json'], '--until needs a prompt'],
  [['go', '--until', ' '], '--until needs a text'],
])('%j is refused', async (args, sentence) => {
  expect(await runHelve(['-p', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});
