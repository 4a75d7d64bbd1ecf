import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../testing/watch-processes.js';
import { descendantsOf, endMarked, endTree, killTree, MARK_VARIABLE, withMark } from './process-tree.js';

const onLinux = process.platform === 'linux';
const reason = onLinux ? '' : ' (skipped: only Linux shows the environment of processes)';

interface Started {
  child: ChildProcess;
  group: number;
  /** The processes that have written themselves down. */
  pids(): number[];
}

/** Runs a script that writes the ids of its processes, `count` of them, into the file `$1`. */
async function start(script: string, { mark, count }: { mark: string; count: number }): Promise<Started> {
  const file = join(await mkdtemp(join(tmpdir(), 'helve-tree-')), 'pids');
  const env = { ...process.env, [MARK_VARIABLE]: mark };
  const child = spawn('bash', ['-c', script, 'bash', file], { env, detached: true, stdio: 'ignore' });
  const pids = (): number[] => pidsIn(file);
  onTestFinished(() => {
    for (const pid of pids().filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  await until(() => isWritten(file) && pids().length === count);
  return { child, group: child.pid ?? 0, pids };
}

const newMark = (): string => `${Math.random().toString(16).slice(2).padEnd(16, '0')}`;

const daemon = `setsid bash -c 'echo $$ >> "$0"; exec sleep 1000' "$1" &`;
const doubleForked = `(setsid bash -c 'echo $$ >> "$0"; exec sleep 1000' "$1" &) &`;
const withoutEnvironment = `setsid env -i bash -c 'echo $$ >> "$0"; exec sleep 1000' "$1" &`;
const stubborn = `setsid bash -c 'trap "" TERM; echo $$ >> "$0"; while :; do sleep 0.1; done' "$1" &`;
const shell = `echo $$ >> "$1"; wait; sleep 1000`;

test.skipIf(!onLinux).each([
  ['a daemon in its own session', daemon],
  ['a daemon whose parents have exited', doubleForked],
  ['a daemon with an empty environment', withoutEnvironment],
  ['a daemon that ignores SIGTERM', stubborn],
])(`ends the whole tree with %s${reason}`, async (_, script) => {
  const mark = `${newMark()}.1`;
  const { group, pids } = await start(`${script} ${shell}`, { mark, count: 2 });
  expect(pids().filter(isRunning)).toHaveLength(2);
  expect(await endTree({ group, mark })).toBe(true);
  expect(pids().filter(isRunning)).toEqual([]);
});

test.skipIf(!onLinux)(`finds a daemon after its shell has ended${reason}`, async () => {
  const mark = newMark();
  const { child, pids } = await start(daemon, { mark: `${mark}.7`, count: 1 });
  if (child.exitCode === null) await once(child, 'exit');
  expect(pids().filter(isRunning)).toHaveLength(1);
  expect(await endMarked(mark)).toBe(true);
  expect(pids().filter(isRunning)).toEqual([]);
});

test.skipIf(!onLinux)(`ignores processes with a similar mark${reason}`, async () => {
  const mark = newMark();
  const longer = await start(`${daemon}`, { mark: `${mark}0.1`, count: 1 });
  const other = await start(`${daemon}`, { mark: `${mark}.12`, count: 1 });
  expect(await endMarked(`${mark}.1`)).toBe(true);
  expect([longer, other].flatMap(({ pids }) => pids()).filter(isRunning)).toHaveLength(2);
});

test.skipIf(!onLinux)(`ends processes that a nested Helve has started${reason}`, async () => {
  const [outer, inner] = [newMark(), newMark()];
  const { pids } = await start(daemon, { mark: withMark(`${outer}.1`, `${inner}.1`), count: 1 });
  expect(await endMarked(outer)).toBe(true);
  expect(pids().filter(isRunning)).toEqual([]);
});

test.skipIf(!onLinux)(`kills at once, without SIGTERM first${reason}`, async () => {
  const mark = `${newMark()}.1`;
  const { group, pids } = await start(`${stubborn} trap '' TERM; ${shell}`, { mark, count: 2 });
  killTree({ group, mark });
  await until(() => pids().every((pid) => !isRunning(pid)));
});

test('succeeds if there is no process', async () => {
  expect(await endMarked(newMark())).toBe(true);
});

test.skipIf(!onLinux)(`lists the descendants of a process${reason}`, async () => {
  const { group, pids } = await start(`${daemon} ${shell}`, { mark: newMark(), count: 2 });
  onTestFinished(() => void process.kill(-group, 'SIGKILL'));
  expect(descendantsOf(group)).toEqual(expect.arrayContaining(pids()));
  expect(descendantsOf(group)).not.toContain(process.pid);
});
