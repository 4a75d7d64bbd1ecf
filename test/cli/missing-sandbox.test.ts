import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, jsonLines, runHelve } from './run-helve.js';

const onLinux = test.runIf(process.platform === 'linux');
const on = ['--settings', JSON.stringify({ sandbox: { enabled: true } })];
const demanded = ['--settings', JSON.stringify({ sandbox: { enabled: true, failIfUnavailable: true } })];
const bypass = ['--permission-mode', 'bypassPermissions'];

/** A PATH with what commands need, and without bwrap. */
async function pathWithoutBwrap(): Promise<string> {
  const folder = join(await emptyFolder(), 'bin');
  await mkdir(folder);
  for (const name of ['bash', 'sh', 'mkfifo', 'cat', 'env', 'tar']) {
    const program = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    await symlink(program, join(folder, name));
  }
  return folder;
}

onLinux('a call says on stderr that the sandbox is on and missing, also where it runs no command', async () => {
  const env = { PATH: await pathWithoutBwrap() };
  for (const call of [
    ['Bash', '{"command":"echo ran"}'],
    ['LS', '{}'],
  ]) {
    const run = await runHelve(['call', ...call, ...bypass, ...on], { env });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^helve: Settings turn the sandbox on \("sandbox.enabled"\), and there is none: bwrap was not found.*apt install bubblewrap.*\n$/,
    );
  }
});

onLinux('a call is refused where settings demand a sandbox, and says so', async () => {
  const env = { PATH: await pathWithoutBwrap() };
  const run = await runHelve(['call', 'Bash', '{"command":"echo ran"}', ...bypass, ...demanded], { env });
  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout).content).toMatch(/not run: settings demand a sandbox.*bwrap was not found/);
  expect(run.stderr).toMatch(/^helve: Settings demand a sandbox .*so commands are refused: bwrap was not found/);
});

onLinux('a run says it each time, as text and as JSON lines, and nothing without the setting', async () => {
  const server = await startFakeModelServer(() => ({ text: 'hi' }));
  try {
    const env = {
      PATH: await pathWithoutBwrap(),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-test',
      HELVE_HOME: await emptyFolder(),
    };
    for (const _ of ['first', 'second']) {
      const text = await runHelve(['-p', 'hello', ...on], { env });
      expect(text).toMatchObject({ code: 0, stdout: 'hi\n' });
      expect(text.stderr).toMatch(/^helve: Settings turn the sandbox on/);
    }
    const lines = await runHelve(['-p', 'hello', '--output-format', 'stream-json', '--verbose', ...on], { env });
    expect(jsonLines(lines.stdout)).toContainEqual(
      expect.objectContaining({ type: 'system', subtype: 'notice', text: expect.stringContaining('sandbox.enabled') }),
    );
    expect((await runHelve(['-p', 'hello'], { env })).stderr).toBe('');
  } finally {
    await server.close();
  }
});

onLinux('the doctor says why there is no sandbox, and finds it broken where settings demand one', async () => {
  const home = await emptyFolder();
  const env = { PATH: await pathWithoutBwrap(), HELVE_HOME: home };
  const finding = async (settings: object) => {
    await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
    const run = await runHelve(['doctor', '--json'], { env });
    const found: Array<{ what: string; state: string; detail: string }> = JSON.parse(run.stdout);
    return { ...found.find(({ what }) => what === 'Sandbox'), code: run.code };
  };
  expect(await finding({})).toMatchObject({ state: 'missing', detail: expect.stringMatching(/^bwrap was not found/) });
  const turnedOn = /^turned on by settings, but bwrap was not found.*install/;
  expect(await finding({ sandbox: { enabled: true } })).toMatchObject({
    state: 'missing',
    detail: expect.stringMatching(turnedOn),
  });
  expect(await finding({ sandbox: { enabled: true, failIfUnavailable: true } })).toMatchObject({
    code: 1,
    state: 'broken',
    detail: expect.stringMatching(/^demanded by settings.*commands are refused: bwrap was not found/),
  });
});
