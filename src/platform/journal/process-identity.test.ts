import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isRunning, isStale, type ProcessIdentity, thisProcess } from './process-identity.js';

const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;

test.each<[string, Partial<ProcessIdentity>, number, boolean]>([
  ['this process', {}, 0, true],
  ['this process, however long it takes', {}, 600, true],
  ['an earlier process with the same number', { started: 1 }, 0, false],
  ['a process from before a reboot', { boot: 'another' }, 0, false],
  ['a process of another machine, a moment ago', { host: 'elsewhere' }, 1, true],
  ['a process of another machine, long ago', { host: 'elsewhere' }, 11, false],
  ['a process of a container, a moment ago', { space: 'pid:[1]' }, 1, true],
  ['a process of a container, long ago', { space: 'pid:[1]' }, 11, false],
])('%s: %j, %i minutes ago, counts as running: %s', async (_, changes, minutes, expected) => {
  const ours = await thisProcess();
  expect(await isRunning({ ...ours, ...changes }, minutesAgo(minutes), ours)).toBe(expected);
});

test.each([process.platform, 'freebsd'])(
  'distinguishes a running process from one that was killed (%s)',
  async (platform) => {
    const was = process.platform;
    Object.defineProperty(process, 'platform', { value: platform });
    try {
      const program = `process.stdout.write('ready'); setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      const ours = await thisProcess();
      const other = { ...ours, pid: child.pid ?? 0 };
      const theirs = ours.boot === '' ? { ...other, started: Date.now() } : other;
      // With /proc, the PID alone does not identify a process.
      expect(await isRunning(theirs, Date.now(), ours)).toBe(ours.boot === '');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await isRunning(theirs, Date.now(), ours)).toBe(false);
    } finally {
      Object.defineProperty(process, 'platform', { value: was });
    }
  },
);

test('treats an unreadable record as stale if it is older than the boot of the machine', () => {
  expect(isStale(0)).toBe(true);
  expect(isStale(minutesAgo(0))).toBe(false);
});
