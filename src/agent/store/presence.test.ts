import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../platform/journal/process-identity.js';
import { keepPrompt } from './kept-prompts.js';
import { listPresence, type Presence, writePresence } from './presence.js';
import { sessionFolder } from './session-folder.js';

const idle = (): Omit<Presence, 'owner'> => ({
  id: 'abc',
  surface: 'background',
  root: '/project',
  title: '',
  state: 'idle',
  activity: '',
  costUsd: 0,
  since: 0,
  changed: Date.now(),
});

async function listedAs(
  presence: Partial<Presence>,
  { isLive, keeps = false }: { isLive: boolean; keeps?: boolean },
): Promise<{ states: string[]; left: string[] }> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-presence-'));
  const folder = sessionFolder(dataFolder, 'abc');
  await mkdir(folder.path, { recursive: true });
  await writeFile(folder.file, '');
  if (keeps) await keepPrompt(folder, { id: 'p', content: [{ type: 'text', text: 'go' }] });
  const ours = await thisProcess();
  const owner = isLive ? ours : { ...ours, started: ours.started - 1 };
  writePresence(dataFolder, { ...idle(), owner, ...presence });
  const listed = await listPresence(dataFolder);
  return { states: listed.map(({ state }) => state), left: await readdir(join(dataFolder, 'presence')) };
}

test.each<[Partial<Presence>, { isLive: boolean; keeps?: boolean }, string[]]>([
  [{ state: 'running' }, { isLive: true }, ['running']],
  [{ state: 'idle' }, { isLive: true, keeps: true }, ['running']],
  [{ state: 'running' }, { isLive: false }, ['interrupted']],
  [{ state: 'waiting' }, { isLive: false, keeps: true }, ['waiting']],
  [{ state: 'idle' }, { isLive: false, keeps: true }, ['interrupted']],
  [{ state: 'failed' }, { isLive: false }, ['failed']],
  [{ state: 'running', surface: 'terminal' }, { isLive: true }, ['running']],
])('a session that says %j with a process %j is listed as %j', async (presence, about, states) => {
  expect((await listedAs(presence, about)).states).toEqual(states);
});

test('a session of a terminal whose process has ended is not listed, and its file is removed', async () => {
  expect(await listedAs({ state: 'running', surface: 'terminal' }, { isLive: false })).toEqual({
    states: [],
    left: [],
  });
});

test('a file that is damaged is ignored', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-presence-'));
  await mkdir(join(dataFolder, 'presence'), { mode: 0o700 });
  await writeFile(join(dataFolder, 'presence', 'abc.json'), '{"v":1,"id":', { mode: 0o600 });
  expect(await listPresence(dataFolder)).toEqual([]);
});

test.runIf(process.platform === 'linux')('where the system takes no folders, writing fails at once', async () => {
  const owner = await thisProcess();
  expect(() => writePresence('/proc/helve', { ...idle(), owner })).toThrow('takes no folders');
});
