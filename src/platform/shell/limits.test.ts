import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { randomHex } from '../crypto.js';
import { describeLimits, limitFolders, limitsFrom, makeLimitGroup, parseSize, showSize } from './limits.js';
import { type ProcessOptions, type ProcessResult, startCommand } from './run-process.js';
import { createShellPool } from './shell-pool.js';

const canLimit = (env: Record<string, string>): boolean => limitFolders(env).length > 0;
const memory = canLimit({ HELVE_MEMORY_LIMIT: '64M' });
const processes = canLimit({ HELVE_PROCESS_LIMIT: '10' });
const reason = (can: boolean): string => (can ? '' : ' (skipped: no cgroup with that controller may be written here)');

async function run(
  command: string,
  env: Record<string, string>,
  options: Partial<ProcessOptions> = {},
): Promise<ProcessResult & { output: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-limits-')));
  const shells = createShellPool({ ...process.env, ...env });
  const running = await startCommand({
    command,
    cwd: folder,
    outputFile: join(folder, 'output'),
    shells,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    limits: limitsFrom(env),
    onLeftRunning: (end) => onTestFinished(end),
    ...options,
  });
  const result = await running.finished;
  await shells.end();
  const left = limitFolders(env).flatMap((parent) => readdirSync(parent).filter((name) => name.includes(shells.mark)));
  expect(left).toEqual([]);
  return { ...result, output: await readFile(await result.save(), 'utf8') };
}

test.each([
  ['2G', 2 * 1024 ** 3],
  ['512m', 512 * 1024 ** 2],
  ['1.5 GiB', 1.5 * 1024 ** 3],
  ['64KB', 64 * 1024],
  ['1000', 1000],
  ['0', undefined],
  ['', undefined],
  ['much', undefined],
  ['-1G', undefined],
  ['1e9', undefined],
  ['99999999T', undefined],
])('reads the size %j as %j', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  [2 * 1024 ** 3, '2 GB'],
  [1.5 * 1024 ** 2, '1.5 MB'],
  [1, '1 bytes'],
])('shows %j bytes as %j', (bytes, text) => {
  expect(showSize(bytes)).toBe(text);
});

test('reads limits from the environment, and sets none by default', () => {
  expect(limitsFrom({})).toBeUndefined();
  expect(limitsFrom({ HELVE_MEMORY_LIMIT: '', HELVE_PROCESS_LIMIT: '' })).toBeUndefined();
  expect(limitsFrom({ CLAUDE_CODE_TOOL_MEMORY_LIMIT: '1G' })).toEqual({ memoryBytes: 1024 ** 3 });
  expect(limitsFrom({ HELVE_MEMORY_LIMIT: '2G', CLAUDE_CODE_TOOL_MEMORY_LIMIT: '1G' })).toEqual({
    memoryBytes: 2 * 1024 ** 3,
  });
  expect(limitsFrom({ HELVE_PROCESS_LIMIT: '50' })).toEqual({ processes: 50 });
});

test.each([
  ['HELVE_MEMORY_LIMIT', 'plenty', 'is not a size such as 2G or 512M'],
  ['HELVE_PROCESS_LIMIT', '-5', 'is not a whole number above 0'],
])('refuses %s=%s instead of running without a limit', (variable, value, why) => {
  expect(() => limitsFrom({ [variable]: value })).toThrow(`${variable} is "${value}", which ${why}`);
});

test('creates no group if no limit is set', async () => {
  expect(limitFolders({})).toEqual([]);
  expect(await run('true', {})).not.toHaveProperty('limits');
});

test('reports the limits of commands', () => {
  const said = describeLimits({ HELVE_MEMORY_LIMIT: '2G' });
  expect(said).toMatch(/^time and output of a command are always limited; /);
  expect(said).toMatch(memory ? /by cgroup v[12]: 2 GB of memory$/ : /no cgroup may be written here$/);
});

test.skipIf(!memory)(`kills processes that use too much memory, and counts them${reason(memory)}`, async () => {
  const greedy = `exec node -e 'const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1))'`;
  const result = await run(greedy, { HELVE_MEMORY_LIMIT: '200M' });
  expect(result).toMatchObject({ signal: 'SIGKILL', stoppedBy: null });
  expect(result.limits?.memoryKills).toBeGreaterThan(0);
});

test.skipIf(!memory)(`lets a command use the allowed memory${reason(memory)}`, async () => {
  const result = await run('echo fine', { HELVE_MEMORY_LIMIT: '200M' });
  expect(result).toMatchObject({ exitCode: 0, output: 'fine\n', limits: { memoryKills: 0, refusedProcesses: 0 } });
});

test.skipIf(!processes)(`survives a fork bomb${reason(processes)}`, async () => {
  const bomb = 'bomb() { bomb | bomb & }; bomb; sleep 1000';
  const result = await run(bomb, { HELVE_PROCESS_LIMIT: '30' }, { timeoutMs: 2_000 });
  expect(result).toMatchObject({ stoppedBy: 'timeout', leftRunning: false });
  expect(result.limits?.refusedProcesses).toBeGreaterThan(0);
});

test.skipIf(!processes)(`also limits a daemon that leaves its session${reason(processes)}`, async () => {
  const command = 'for n in {1..20}; do setsid sleep 1000 & done > /dev/null 2>&1; echo done';
  // A shell that can't fork tries again and again, each time later, so it does not come to its end.
  const { limits } = await run(command, { HELVE_PROCESS_LIMIT: '8' }, { timeoutMs: 2_000 });
  expect(limits?.refusedProcesses).toBeGreaterThan(0);
});

test.skipIf(!processes)(`removes a group once it has no processes${reason(processes)}`, () => {
  const mark = `${randomHex(8)}.1`;
  const env = { HELVE_PROCESS_LIMIT: '8' };
  const group = makeLimitGroup(mark, { processes: 8 });
  const paths = limitFolders(env).map((parent) => join(parent, `helve-${mark}`));
  expect(paths.map((path) => existsSync(path))).toEqual([true]);
  expect(group?.remove()).toBe(true);
  expect(paths.map((path) => existsSync(path))).toEqual([false]);
});
