import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, until } from '../../testing/watch-processes.js';
import { randomHex } from '../crypto.js';
import { type ProcessIdentity, thisProcess } from '../journal/process-identity.js';
import { MARK_VARIABLE } from './process-tree.js';
import { reapLeftovers, registerShells } from './reap.js';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'helve-'));

/** A data folder with a registered Helve process, and a process of one of its shells. */
async function leftBehind(owner: Partial<ProcessIdentity> = {}) {
  const dataFolder = await newFolder();
  const folder = await newFolder();
  const mark = randomHex(8);
  await registerShells(dataFolder, { mark, folder, limitFolders: [] });
  const [name = ''] = await readdir(join(dataFolder, 'running'));
  const record = JSON.parse(await readFile(join(dataFolder, 'running', name), 'utf8'));
  await rm(join(dataFolder, 'running', name));
  const file = join(dataFolder, 'running', `left-${name}`); // another name: this process does not read its own records
  await writeFile(file, JSON.stringify({ ...record, owner: { ...record.owner, ...owner } }));
  const child = spawn('sleep', ['1000'], {
    env: { ...process.env, [MARK_VARIABLE]: `${mark}.1` },
    detached: true,
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return { dataFolder, folder, file, mark, child };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** No running process has this PID and start time, so it counts as dead. */
const dead = { pid: 1, started: 1 };

test.skipIf(process.platform !== 'linux')(
  'ends processes that a killed Helve left, and removes its files',
  async () => {
    const { dataFolder, folder, file, child } = await leftBehind(dead);
    expect(await reapLeftovers(dataFolder)).toBe(1);
    await until(() => hasEnded(child));
    expect([folder, file].map((path) => existsSync(path))).toEqual([false, false]);
    expect(await reapLeftovers(dataFolder)).toBe(0);
  },
);

test('does not end processes of a running Helve', async () => {
  const { dataFolder, folder, file, child } = await leftBehind();
  expect(await reapLeftovers(dataFolder)).toBe(0);
  expect(isRunning(child.pid ?? 0)).toBe(true);
  expect([folder, file].map((path) => existsSync(path))).toEqual([true, true]);
});

test('ignores records of another machine', async () => {
  const { dataFolder, folder, file, child } = await leftBehind({ ...dead, host: 'elsewhere' });
  await utimes(file, new Date(Date.now() - 86_400_000), new Date(Date.now() - 86_400_000));
  expect(await reapLeftovers(dataFolder)).toBe(0);
  expect(isRunning(child.pid ?? 0)).toBe(true);
  expect([folder, file].map((path) => existsSync(path))).toEqual([true, true]);
});

test('does not end its own ancestors', async () => {
  const { dataFolder, file, mark, child } = await leftBehind(dead);
  expect(await reapLeftovers(dataFolder, { [MARK_VARIABLE]: `${mark}.3` })).toBe(0);
  expect(isRunning(child.pid ?? 0)).toBe(true);
  expect(existsSync(file)).toBe(true);
});

test.each([
  ['is empty', () => ''],
  ['has no mark', () => ({ mark: '' })],
  ['has a mark that fits others', () => ({ mark: 'a' })],
  ["names a folder that is not Helve's", () => ({ folder: tmpdir() })],
])('does nothing for a record that %s', async (_, change) => {
  const { dataFolder, folder, file, child } = await leftBehind(dead);
  const changed = change();
  const record = typeof changed === 'string' ? changed : { ...JSON.parse(await readFile(file, 'utf8')), ...changed };
  await writeFile(file, typeof record === 'string' ? record : JSON.stringify(record));
  expect(await reapLeftovers(dataFolder)).toBe(0);
  expect(isRunning(child.pid ?? 0)).toBe(true);
  expect([folder, file, tmpdir()].map((path) => existsSync(path))).toEqual([true, true, true]);
});

test('removes an unreadable record when it is old', async () => {
  const dataFolder = await newFolder();
  await mkdir(join(dataFolder, 'running'));
  const file = join(dataFolder, 'running', 'x.json');
  await writeFile(file, '{"owner":');
  await utimes(file, new Date(0), new Date(0));
  expect(await reapLeftovers(dataFolder)).toBe(0);
  expect(existsSync(file)).toBe(false);
});

test('does nothing without records', async () => {
  expect(await reapLeftovers(join(tmpdir(), 'helve-nothing-here'))).toBe(0);
});

test('registers a process with shells in a private file, until it is removed', async () => {
  const dataFolder = await newFolder();
  const record = { mark: randomHex(8), folder: '/tmp/helve-abcdef', limitFolders: [] };
  const { remove } = await registerShells(dataFolder, record);
  const [name = ''] = await readdir(join(dataFolder, 'running'));
  expect(JSON.parse(await readFile(join(dataFolder, 'running', name), 'utf8'))).toEqual({
    owner: await thisProcess(),
    ...record,
  });
  await remove();
  expect(await readdir(join(dataFolder, 'running'))).toEqual([]);
});
