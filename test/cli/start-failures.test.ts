// What stops a run before it begins: each names the cause that the person can change.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

const CLOSED = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', HELVE_MAX_RETRIES: '0' };

test.each([
  ['home/models.json', [], /models\.json can't be read: it is not a file\. Correct it, or move it away\.\n$/],
  ['home/keys.json', ['--model', 'sonnet'], /keys\.json are not used: it is not a file\. Correct that/],
  ['home/settings.json', [], /settings\.json: can't be read \(it is not a file\)/],
  ['given', ['--model', 'scripted/given'], /The script given can't be read: it is not a file\. Check the path/],
  ['given', ['--json-schema', 'given'], /--json-schema takes .* "given" can't be read: it is not a file/],
  ['given', ['--mcp-config', 'given'], /--mcp-config takes .* "given" can't be read: it is not a file\.\n/],
])('a pipe in the place of %s is refused with %j, and not waited for', async (place, args, sentence) => {
  const cwd = await emptyFolder();
  mkdirSync(join(cwd, 'home'), { mode: 0o700 });
  execFileSync('mkfifo', [join(cwd, place)]);
  chmodSync(join(cwd, place), 0o600);
  const needsModel = !args.includes('--model') && place === 'given';
  const env = { HELVE_HOME: join(cwd, 'home'), ...(needsModel && CLOSED) };
  const { code, stderr } = await runHelve(['-p', 'hi', ...args], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
});

test('what the shell passes in by a pipe is read', async () => {
  const script = `exec "$0" bin/helve.cjs -p hi --mcp-config <(printf '{"mcpServers": 3}')`;
  const env = { ...process.env, ...CLOSED, HELVE_HOME: await emptyFolder() };
  const { stderr } = spawnSync('/bin/bash', ['-c', script, process.execPath], { env, encoding: 'utf8', input: '' });
  expect(stderr).toMatch(/--mcp-config \/dev\/fd\/\d+ has no "mcpServers" object/);
});

test.each([
  [['--permission-mode', 'acceptEdit'], 'Did you mean acceptEdits?'],
  [['--effort', 'hihg'], 'Did you mean high?'],
  [['--max-turns', 'x'], '--max-turns takes'],
])('without a terminal, a wrong value in %j is what is reported', async (args, sentence) => {
  const { code, stderr } = await runHelve(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
});

test('a missing script is not followed by advice about keys or a help page', async () => {
  const { code, stderr } = await runHelve(['-p', 'hi', '--model', 'scripted/none.json']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "helve: The script none.json can't be read: there is no such file. Check the path after scripted/ in the model's name.\n",
  });
});

test.each([
  [['-p', 'hi', '--add-dir', 'README.md'], '--add-dir takes a folder, but "README.md" is a file.'],
  [['-p', 'hi', '--json-schema', 'none.json'], '"none.json" can\'t be read: there is no such file.'],
  [['chat'], 'A conversation starts with helve alone, and helve -p "…" runs one prompt.'],
  [['frobnicate'], 'There is no command "frobnicate". To send a prompt, use helve -p "…".'],
])('%j is answered with what the person can change', async (args, sentence) => {
  const { code, stderr } = await runHelve(args, { cwd: process.cwd(), env: CLOSED });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
});

test('a proxy of the environment is named when the server of a model is not reached', async () => {
  const env = { ...CLOSED, ANTHROPIC_BASE_URL: 'http://nowhere.invalid', HTTPS_PROXY: 'http://127.0.0.1:2' };
  const { stderr } = await runHelve(['-p', 'hi'], { env });
  expect(stderr).toContain('HTTPS_PROXY is set, but Helve uses no proxy for models.');
});
