import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, until } from '../../testing/watch-processes.js';
import type { ReadyShell } from './ready-shell.js';
import { createShellPool, type ShellPool } from './shell-pool.js';
import { ShellThread } from './shell-thread.js';

const MANY = 4; // from so many sessions on, shells are started by a thread

/** Sessions that have started shells, so many that the next shells are started by the thread. */
async function manySessions(): Promise<ShellPool[]> {
  const all = Array.from({ length: MANY }, () => createShellPool({ ...process.env, OWN: 'value' }));
  onTestFinished(async () => void (await Promise.all(all.map((one) => one.end()))));
  for (const one of all) void (await one.take()).discard();
  return all;
}

async function outcomeOf(shell: ReadyShell, command: string): Promise<{ output: string; directory?: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-thread-')));
  shell.pipe.copyTo({ file: join(folder, 'output'), maxBytes: 1_000_000, onFull: () => {} });
  shell.run({ cwd: folder, sourceFile: '', command });
  await shell.exited;
  await shell.pipe.drain(1_000);
  const { directory } = shell.readReport();
  return {
    output: await readFile(join(folder, 'output'), 'utf8'),
    ...(directory !== undefined && { directory: directory.replace(folder, '.') }),
  };
}

/** The thread begins while the first shells run, which this thread starts. */
async function fromThread(shells: ShellPool): Promise<ReadyShell> {
  for (;;) {
    const shell = await shells.take();
    if ('id' in shell.child) return shell;
    await shell.discard();
  }
}

test('with many sessions shells are started by a thread, and behave alike', async () => {
  const [shells] = await manySessions();
  if (!shells) throw new Error('no session');
  const command = 'echo "$OWN $PPID $((BASHPID - $$))"; ps -o sid=,pgid= -p $$ >&2; mkdir sub; cd sub; exit 3';
  const shell = await fromThread(shells);
  const { group } = shell.tree;
  const { output, directory } = await outcomeOf(shell, command);
  expect(output).toMatch(new RegExp(`^value ${process.pid} 0\n\\s*${group}\\s+${group}\n$`));
  expect(directory).toBe('./sub');
  expect([shell.child.exitCode, shell.child.signalCode]).toEqual([3, null]);
  const killed = await fromThread(shells);
  await outcomeOf(killed, 'kill -TERM $$');
  expect([killed.child.exitCode, killed.child.signalCode]).toEqual([null, 'SIGTERM']);
});

test('a shell from the thread is known to be over only when no process has its control channel', async () => {
  const [shells] = await manySessions();
  if (!shells) throw new Error('no session');
  const shell = await fromThread(shells);
  let isOver = false;
  void shell.allEnded.then(() => {
    isOver = true;
  });
  const { output } = await outcomeOf(shell, 'setsid sleep 1000 >/dev/null 2>&1 & echo $!');
  expect(isOver).toBe(false);
  process.kill(Number(output), 'SIGKILL');
  await shell.allEnded;
});

test('a program that cannot be started is reported as from this thread', async () => {
  const thread = new ShellThread();
  onTestFinished(() => thread.end());
  const start = {
    program: '/nonexistent/program',
    args: [],
    cwd: '/',
    env: {},
    descriptors: ['ignore', 'pipe'] as const,
  };
  await expect(thread.start(start)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('if the thread ends, its programs are killed and count as ended', async () => {
  const thread = new ShellThread();
  const lines = ['ignore', 'ignore', 'ignore', 'pipe'] as const;
  const start = { program: 'sleep', args: ['1000'], cwd: '/', env: { PATH: process.env['PATH'] }, descriptors: lines };
  const program = await thread.start(start);
  thread.end();
  await program.exited;
  await program.lines[0]?.closed;
  expect(program.signalCode).toBe('SIGKILL');
  await until(() => !isRunning(program.pid));
  await expect(thread.start(start)).rejects.toThrow(/has ended/);
});
