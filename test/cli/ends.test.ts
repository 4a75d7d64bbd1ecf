import { spawnSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';

const call = ['call', 'Bash', JSON.stringify({ command: 'echo hi' })];

test.each([
  ['confined', []],
  ['not confined', ['--dangerously-skip-permissions']],
])('runs commands, %s, with a low limit of open files', async (_, flags) => {
  const run = await runHelve([...call, ...flags], { descriptorLimit: 60 });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({ content: 'hi' });
});

test.each([20, 28, 32])(
  'a call returns a result or a clear error with a limit of %i open files',
  async (descriptorLimit) => {
    for (const tool of [call, ['call', 'Grep', '{"pattern": "x"}']]) {
      const run = await runHelve(tool, { descriptorLimit });
      const said = run.stdout + run.stderr;
      expect(said).not.toMatch(/Cannot read|undefined|bash is installed/);
      if (run.code === 0) expect(JSON.parse(run.stdout)).toMatchObject({ type: 'tool_result' });
      else
        expect(said).toMatch(/[Tt]oo many (?:open files|files are open)|EMFILE|could not be (?:set up|created|opened)/);
    }
  },
);

test('says that the temporary folder is full, and what to do', async ({ skip }) => {
  const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
  if (!canMount) skip('a file system cannot be mounted here');
  const [home, full] = [await emptyFolder(), await emptyFolder()];
  const script =
    'mount -t tmpfs -o size=64k tmpfs "$TMPDIR"; head -c 200000 /dev/zero > "$TMPDIR/filler" 2>/dev/null; exec "$@"';
  const helve = [process.execPath, resolve('bin/helve.cjs'), ...call, '--dangerously-skip-permissions'];
  const { stdout, status } = spawnSync('unshare', ['--mount', 'bash', '-c', script, 'bash', ...helve], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: full, IS_SANDBOX: '1' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(JSON.parse(stdout).content).toContain(
    `The command was not run because the temporary folder ${full} is full. Ask the user to free space in it`,
  );
});

test('returns a result if bash exits before it reads the command', async () => {
  const bin = await emptyFolder();
  await writeFile(join(bin, 'bash'), '#!/bin/sh\nexit 0\n');
  await chmod(join(bin, 'bash'), 0o755);
  const env = { PATH: `${bin}:${process.env['PATH']}`, HELVE_WALLS: 'none' };
  const run = await runHelve([...call, '--dangerously-skip-permissions'], { env });
  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout)).toMatchObject({
    is_error: true,
    content: expect.stringContaining('bash ended before'),
  });
});

test('never ends with exit code 0 while a result is awaited', async () => {
  const preload = join(await emptyFolder(), 'no-output.cjs');
  await writeFile(preload, 'process.stdout.write = () => true;'); // what waits for it waits for ever
  const run = await runHelve(['call', 'Think', '{"thought": "x"}'], { env: { NODE_OPTIONS: `--require ${preload}` } });
  expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^helve: stopped without a result/) });
});

test('writes warnings of Node to the debug log only', async () => {
  const folder = await emptyFolder();
  const preload = join(folder, 'warn.cjs');
  const warn = "process.emitWarning('of no use to a person', 'ExperimentalWarning')";
  await writeFile(
    preload,
    `const write = process.stdout.write; process.nextTick(() => setTimeout(() => ${warn}, 1));
    process.stdout.write = function (...given) { ${warn}; return write.apply(this, given); };`,
  );
  const server = await startFakeModelServer([{ text: 'ok' }]);
  const env = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test',
    NODE_OPTIONS: `--require ${preload}`,
  };
  const log = join(folder, 'debug.log');
  const args = ['-p', 'go', '--debug-file', log, '--output-format', 'stream-json'];
  const run = await runHelve(args, { env });
  await server.close();
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(log, 'utf8')).toContain('of no use to a person');
});

test('escapes control characters in stream-json', async () => {
  const text = 'a\u009b31mred\u202eturned\u2066';
  const server = await startFakeModelServer([{ text }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
  const run = await runHelve(['-p', 'go', '--output-format', 'stream-json'], { env });
  await server.close();
  expect(run.stdout).toContain('a\\u009b31mred\\u202eturned\\u2066');
  expect(run.stdout).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ result: text });
});
