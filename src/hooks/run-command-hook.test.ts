import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type CommandRun, runCommandHook } from './run-command-hook.js';

const LONG_MS = 50_000; // never reached, unless something hangs

const run = (command: string, changes: Partial<CommandRun> = {}) =>
  runCommandHook({
    program: 'bash',
    args: ['-c', command],
    cwd: tmpdir(),
    env: process.env,
    input: '{"a": 1}',
    timeoutMs: LONG_MS,
    signal: new AbortController().signal,
    ...changes,
  });

const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'helve-test-'));

async function isAlive(pidFile: string): Promise<boolean> {
  const pid = Number(await readFile(pidFile, 'utf8'));
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') X ');
  return !/\) [ZX] /.test(stat);
}

test('passes the input on stdin, closes it, and returns both outputs and the exit code', async () => {
  expect(await run('cat; echo said >&2; exit 3')).toEqual({
    exitCode: 3,
    signal: null,
    stdout: '{"a": 1}',
    stderr: 'said\n',
    overflowed: false,
    timedOut: false,
    isInBackground: false,
  });
});

test('a hook can open its input by name', async () => {
  expect((await run('cat /dev/stdin')).stdout).toBe('{"a": 1}');
});

test('a hook need not read its input, however long it is', async () => {
  const input = 'x'.repeat(5_000_000);
  expect(await run('exit 0', { input })).toMatchObject({ exitCode: 0 });
  expect((await run('wc -c', { input })).stdout.trim()).toBe('5000000');
});

test('returns the output unchanged, even if it is long', async () => {
  expect((await run('head -c 900000 /dev/zero | tr "\\0" é | head -c 900000; printf ü')).stdout).toHaveLength(900_001);
});

test('keeps the first megabyte of output, and never blocks the hook', async () => {
  const end = await run('head -c 3000000 /dev/zero | tr "\\0" x; exit 4');
  expect(end).toMatchObject({ exitCode: 4, overflowed: true });
  expect(end.stdout).toHaveLength(1024 * 1024);
});

test('returns when the hook exits, although a child process holds the output open', async () => {
  const folder = await temporaryFolder();
  const end = await run(`sleep 60 & echo $! > ${folder}/pid; echo done`);
  expect(end).toMatchObject({ exitCode: 0, stdout: 'done\n', timedOut: false });
  expect(await isAlive(join(folder, 'pid'))).toBe(true);
  process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')));
});

test('returns everything that was printed while a child process holds the output open', async () => {
  const folder = await temporaryFolder();
  const end = await run(`sleep 60 & echo $! > ${folder}/pid; head -c 900000 /dev/zero | tr "\\0" x`);
  expect(end).toMatchObject({ stdout: 'x'.repeat(900_000), overflowed: false });
  process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')));
});

test('kills a hook that takes too long, with everything that it started', async () => {
  const folder = await temporaryFolder();
  const stubborn = `(trap '' TERM; echo $BASHPID > ${folder}/stubborn; sleep 60; sleep 60) &`;
  const gone = `setsid bash -c 'echo $$ > ${folder}/gone; sleep 60' &`;
  const end = await run(`${stubborn} ${gone} echo begun; wait`, { timeoutMs: 2_000 });
  expect(end).toMatchObject({ stdout: 'begun\n', timedOut: true });
  expect(await isAlive(join(folder, 'stubborn'))).toBe(false);
  expect(await isAlive(join(folder, 'gone'))).toBe(false);
});

test('kills a hook when the signal aborts, and rejects with its reason', async () => {
  const pidFile = join(await temporaryFolder(), 'pid');
  const controller = new AbortController();
  const running = run(`echo $$ > ${pidFile}; sleep 60`, { signal: controller.signal });
  await vi.waitFor(async () => expect(await isAlive(pidFile)).toBe(true), LONG_MS);
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  expect(await isAlive(pidFile)).toBe(false);
});

test('does not start if the signal has already aborted', async () => {
  await expect(run('true', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
});

test('rejects if the program does not exist', async () => {
  await expect(run('', { program: '/nowhere/hook', args: [] })).rejects.toThrow('ENOENT');
});

test('can be killed synchronously by a program that must exit, until it has ended', async () => {
  const kills = new Set<() => void>();
  const whileRunning = (kill: () => void) => {
    kills.add(kill);
    return () => kills.delete(kill);
  };
  const pidFile = join(await temporaryFolder(), 'pid');
  const running = run(`echo $$ > ${pidFile}; sleep 60`, { whileRunning });
  await vi.waitFor(async () => expect(await isAlive(pidFile)).toBe(true), LONG_MS);
  for (const kill of kills) kill();
  expect(await running).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  expect(kills.size).toBe(0);
});

test.each([
  ['in the background', (work: string) => `(${work}) > /dev/null 2>&1 &`],
  ['detached', (work: string) => `setsid bash -c '${work}' < /dev/null > /dev/null 2>&1 &`],
])('reports processes that a hook left running %s, and when they have ended', async (_, leave) => {
  const folder = await temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const left: Promise<void>[] = [];
  await run(leave(`cat ${join(folder, 'pipe')}; echo done > ${join(folder, 'end')}`), {
    onLeftRunning: async (allEnded) => void left.push(allEnded),
  });
  expect(left).toHaveLength(1);
  await writeFile(join(folder, 'pipe'), '');
  await left[0];
  expect(await readFile(join(folder, 'end'), 'utf8')).toBe('done\n');
});

test('reports nothing if the hook stops everything that it starts', async () => {
  const onLeftRunning = vi.fn(async () => {});
  await run('sleep 0 & wait; cat /dev/null | cat', { onLeftRunning });
  expect(onLeftRunning).not.toHaveBeenCalled();
});
