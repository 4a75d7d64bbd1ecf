import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';
import { runHelve } from '../cli/run-helve.js';
import { buildProgram } from './build-program.js';

const newFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-killed-')));

const permitted = ['--permission-mode', 'bypassPermissions'];

test.skipIf(process.platform !== 'linux')(
  'the next start ends what a killed Helve left running, daemons too',
  async () => {
    const [project, home] = [await newFolder(), await newFolder()];
    const pids = join(project, 'pids');
    onTestFinished(() => {
      for (const pid of pidsIn(pids).filter(isRunning)) process.kill(pid, 'SIGKILL');
    });
    const command = [
      `for n in {1..4}; do bash -c 'echo $$ >> pids; exec sleep 1000' & done`,
      `for n in {1..5}; do setsid bash -c 'echo $$ >> pids; exec sleep 1000' & done`,
      'echo $$ >> pids; sleep 1000',
    ].join('; ');
    const options = { cwd: project, env: { HELVE_HOME: home } };
    const killed = await runHelve(['call', ...permitted, 'Bash', JSON.stringify({ command })], {
      ...options,
      onStart: (kill) => void until(() => isWritten(pids) && pidsIn(pids).length === 10).then(() => kill('SIGKILL')),
    });
    expect(killed.signal).toBe('SIGKILL');
    expect(pidsIn(pids).filter(isRunning)).toHaveLength(10);
    expect(readdirSync(join(home, 'running'))).toHaveLength(1);

    const next = await runHelve(['call', ...permitted, 'Bash', '{"command": "echo next"}'], options);
    expect(JSON.parse(next.stdout)).toMatchObject({ content: 'next' });
    expect(pidsIn(pids).filter(isRunning)).toEqual([]);
    expect(readdirSync(join(home, 'running'))).toEqual([]);
  },
);

test.skipIf(process.platform !== 'linux')('a shell that is being started ends when Helve is killed', async () => {
  const folder = await newFolder();
  const bundle = await buildProgram(`
    import { readdirSync, readFileSync, writeSync } from 'node:fs';
    import { createShellPool } from '../shell/shell-pool.ts';
    void createShellPool(process.env, { dataFolder: process.argv[2] }).fill();
    const parentOf = (pid) => Number(readFileSync('/proc/' + pid + '/stat', 'latin1').split(') ')[1].split(' ')[1]);
    const isChild = (pid) => { try { return parentOf(pid) === process.pid; } catch { return false; } };
    const dieWithChild = () => {
      const pid = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).find(isChild);
      if (pid === undefined) return void setImmediate(dieWithChild);
      writeSync(1, pid);
      process.kill(process.pid, 'SIGKILL');
    };
    dieWithChild();
  `);
  const child = spawn(process.execPath, [bundle, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  const shell = Number(String(said).trim());
  expect(shell).toBeGreaterThan(1);
  await until(() => !isRunning(shell));
});

test('a shell that waits for its command ends when Helve is killed', async () => {
  const folder = await newFolder();
  const bundle = await buildProgram(`
    import { createShellPool } from '../shell/shell-pool.ts';
    const shells = createShellPool(process.env, { dataFolder: process.argv[2] });
    const { tree } = await shells.take();
    process.stdout.write(String(tree.group));
    setInterval(() => {}, 1_000);
  `);
  const child = spawn(process.execPath, [bundle, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  const shell = Number(String(said));
  expect(isRunning(shell)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => !isRunning(shell));
});
