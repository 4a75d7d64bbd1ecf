import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/index.js';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';
import { startHost } from '../cli/stream-json-host.js';

const sleeping = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] });

const permitted = ['--permission-mode', 'bypassPermissions'];

test('a host that stops reading ends the session and its commands', async () => {
  const answer = { text: 'Working. '.repeat(1_000), ...sleeping('echo $$ > begun; exec sleep 300') };
  const host = await startHost([answer, { text: 'x'.repeat(500_000) }], { args: permitted });
  host.prompt('go');
  await until(() => isWritten(join(host.cwd, 'begun')));
  const [pid = 0] = pidsIn(join(host.cwd, 'begun'));
  host.child.stdout?.destroy();
  host.prompt('this is answered on a closed pipe');
  host.send('this too');
  expect(await host.closed).not.toBeNull();
  expect(isRunning(pid)).toBe(false);
});

test.skipIf(process.platform === 'win32')(
  'if a host is killed, the session and its commands end, even if they print nothing',
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-gone-')));
    const server = await startFakeModelServer([sleeping('echo $$ >> pids; exec sleep 300')]);
    onTestFinished(() => server.close());
    const program = `
      import { spawn } from 'node:child_process';
      import { appendFileSync } from 'node:fs';
      const args = ${JSON.stringify([resolve('bin/helve.cjs'), '-p', '--output-format', 'stream-json', '--input-format', 'stream-json', ...permitted])};
      const helve = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      appendFileSync('pids', helve.pid + '\\n');
      helve.stdout.resume();
      helve.stdin.write(JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } }) + '\\n');
    `;
    await writeFile(join(folder, 'host.mjs'), program);
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: tmpdir(),
      IS_SANDBOX: '1',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-test',
    };
    const host = spawn(process.execPath, ['host.mjs'], { cwd: folder, env, stdio: 'ignore' });
    const pids = join(folder, 'pids');
    onTestFinished(() => {
      host.kill('SIGKILL');
      for (const pid of pidsIn(pids).filter(isRunning)) process.kill(pid, 'SIGKILL');
    });
    await until(() => isWritten(pids) && pidsIn(pids).length === 2);
    host.kill('SIGKILL');
    await until(() => pidsIn(pids).every((pid) => !isRunning(pid)));
    expect(pidsIn(pids)).toHaveLength(2);
  },
);

test('a host that has stopped reading can still end the session by a signal', async () => {
  const host = await startHost([{ text: 'x'.repeat(3_000_000) }], { args: ['--include-partial-messages'] });
  host.prompt('go');
  await host.next('init');
  host.child.stdout?.pause();
  const ended = once(host.child, 'exit'); // its output is never read to the end, so it never closes
  host.child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});

test('a host that does not read stderr does not end the session', async () => {
  const host = await startHost([{ text: 'Done.' }], { env: { HELVE_HOME: '/dev/null/nowhere' } });
  host.child.stderr?.destroy();
  host.prompt('go');
  expect(await host.next('success')).toMatchObject({ result: 'Done.' });
  expect(await host.end()).toBe(0);
});
