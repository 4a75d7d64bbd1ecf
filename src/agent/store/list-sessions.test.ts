import { appendFile, mkdir, mkdtemp, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSession, listSessions } from './list-sessions.js';
import { cleanUpSessions, removeSession } from './remove-session.js';
import { sessionFolder } from './session-folder.js';
import { SessionStore } from './session-store.js';

const DAY_MS = 24 * 3_600_000;
const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

interface Told {
  id: string;
  root?: string;
  prompt?: string;
  turns?: number;
  /** When it was last written. */
  at?: number;
}

async function folderWith(...told: Told[]): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-list-'));
  for (const one of told) await (await tell(dataFolder, one)).close();
  for (const { id, at } of told) {
    if (at === undefined) continue;
    const { file, path } = sessionFolder(dataFolder, id);
    for (const aged of [file, path]) await utimes(aged, new Date(at), new Date(at));
  }
  return dataFolder;
}

async function tell(dataFolder: string, { id, root = '/a', prompt = `prompt of ${id}`, turns = 1 }: Told) {
  const store = new SessionStore({ dataFolder, id, root, model: 'm', prices: { input: 1e6, output: 0 } });
  await store.open();
  store.prompt([{ type: 'text', text: prompt }]);
  for (let turn = 1; turn <= turns; turn += 1) {
    store.take({ type: 'turn_end', turn, stopReason: 'end_turn', usage });
    await store.flushed();
  }
  return store;
}

const idsOf = async (dataFolder: string): Promise<string[]> => (await listSessions(dataFolder)).map(({ id }) => id);

test('lists sessions, the latest first, with their cost and title', async () => {
  const dataFolder = await folderWith(
    { id: 'old', at: 1_000, turns: 3 },
    { id: 'new', at: 2_000, root: '/b', turns: 0 },
  );
  expect(await listSessions(dataFolder)).toEqual([
    expect.objectContaining({ id: 'new', root: '/b', turns: 0, costUsd: 0, updated: new Date(2_000) }),
    expect.objectContaining({
      id: 'old',
      root: '/a',
      turns: 3,
      costUsd: 3,
      title: 'prompt of old',
      model: 'm',
      inUse: false,
    }),
  ]);
  expect((await listSessions(dataFolder, { root: '/b' })).map(({ id }) => id)).toEqual(['new']);
});

test('finds the last turn before a long prompt, and uses the latest title', async () => {
  const dataFolder = await folderWith();
  const store = await tell(dataFolder, { id: 'a', turns: 2 });
  store.rename('A better name');
  store.take({ type: 'turn_end', turn: 3, stopReason: 'end_turn', usage });
  await store.flushed();
  store.prompt([{ type: 'text', text: 'x'.repeat(60_000) }]);
  await appendFile(store.folder.file, '{"type":"us');
  expect(await listSessions(dataFolder)).toMatchObject([{ id: 'a', turns: 3, title: 'A better name', inUse: true }]);
  await store.close();
});

test('lists a session whose first line is damaged, and skips folders that are not sessions', async () => {
  const dataFolder = await folderWith({ id: 'a' });
  const { file } = sessionFolder(dataFolder, 'a');
  await writeFile(file, (await readFile(file, 'utf8')).replace('{"type":"session"', '{"type":"sess'));
  await mkdir(join(dataFolder, 'sessions', 'results-only', 'results'), { recursive: true });
  await writeFile(join(dataFolder, 'sessions', 'note.txt'), '');
  expect(await listSessions(dataFolder)).toMatchObject([{ id: 'a', turns: 1 }]);
  expect(await listSessions(join(dataFolder, 'nowhere'))).toEqual([]);
});

test.each([
  ['ab12', 'ab12'],
  ['AB1', 'ab12'],
  ['last', 'cd56'],
])('"%s" finds the session %s', async (wanted, id) => {
  const dataFolder = await folderWith({ id: 'ab12', at: 1_000 }, { id: 'cd34', at: 2_000 }, { id: 'cd56', at: 3_000 });
  expect(await findSession(dataFolder, wanted)).toBe(id);
});

test.each([
  ['cd', '"cd" is the beginning of 2 ids: cd34, cd56. Give more of the one you mean.'],
  ['ba12', 'There is no session "ba12". Did you mean ab12? helve sessions list --all shows those there are.'],
  ['', 'There is no session "".'],
  ['../x', 'There is no session "../x".'],
])('reports for "%s": %s', async (wanted, message) => {
  const dataFolder = await folderWith({ id: 'ab12' }, { id: 'cd34' }, { id: 'cd56' });
  await expect(findSession(dataFolder, wanted)).rejects.toThrow(message);
});

test('"last" is the latest session of the project', async () => {
  const dataFolder = await folderWith({ id: 'a', root: '/a', at: 1_000 }, { id: 'b', root: '/b', at: 2_000 });
  expect(await findSession(dataFolder, 'last', { root: '/a' })).toBe('a');
  await expect(findSession(dataFolder, 'last', { root: '/c' })).rejects.toThrow('There is no session in /c yet.');
});

test('removes all of a session, and refuses one that is in use or does not exist', async () => {
  const dataFolder = await folderWith({ id: 'a' }, { id: 'b' });
  await removeSession(dataFolder, 'a');
  expect(await readdir(join(dataFolder, 'sessions'))).toEqual(['b']);
  const store = await tell(dataFolder, { id: 'c' });
  await expect(removeSession(dataFolder, 'c')).rejects.toThrow('The session c is open in this process already');
  await expect(removeSession(dataFolder, 'a')).rejects.toThrow('There is no session a.');
  await store.close();
  expect((await idsOf(dataFolder)).toSorted()).toEqual(['b', 'c']);
});

test('removes sessions not written to for thirty days, once a day, except those in use', async () => {
  const now = Date.now() + 32 * DAY_MS;
  const dataFolder = await folderWith({ id: 'old' }, { id: 'recent', at: now - 29 * DAY_MS });
  await mkdir(join(dataFolder, 'sessions', '.removed-half'), { recursive: true });
  const used = await tell(dataFolder, { id: 'used' });
  expect(await cleanUpSessions(dataFolder, 30, now - DAY_MS)).toEqual([]); // old for the first time
  expect(await cleanUpSessions(dataFolder, 30, now)).toEqual(['old']);
  expect((await idsOf(dataFolder)).toSorted()).toEqual(['recent', 'used']);
  expect(await readdir(join(dataFolder, 'sessions'))).not.toContain('.removed-half');

  await used.close();
  expect(await cleanUpSessions(dataFolder, 30, now + DAY_MS / 2)).toEqual([]);
  expect(await cleanUpSessions(dataFolder, 30, now + 3 * DAY_MS)).toEqual(['used']);
  expect(await cleanUpSessions(dataFolder, 30, now + 4 * DAY_MS)).toEqual(['recent']);
  expect(await cleanUpSessions(join(dataFolder, 'nowhere'))).toEqual([]);
});

test('a clock that is temporarily ahead deletes no session, and clean-ups continue once it is correct', async () => {
  const now = Date.now();
  const dataFolder = await folderWith({ id: 'recent' }, { id: 'old', at: now - 40 * DAY_MS });
  expect(await cleanUpSessions(dataFolder, 30, now)).toEqual([]);
  expect(await cleanUpSessions(dataFolder, 30, now + 365 * DAY_MS)).toEqual(['old']); // it was also old at the previous clean-up
  expect(await cleanUpSessions(dataFolder, 30, now + 1)).toEqual([]);
  expect(await cleanUpSessions(dataFolder, 30, now + DAY_MS + 1)).toEqual([]);
  expect(await idsOf(dataFolder)).toEqual(['recent']);
});

async function announce(dataFolder: string, id: string): Promise<void> {
  const store = new SessionStore({ dataFolder, id, root: '/a', model: 'm' });
  await store.announce();
  await store.close();
}

test('a session without a prompt is found by its id, but it is not listed and not the last one', async () => {
  const dataFolder = await folderWith({ id: 'told', at: 1_000 });
  await announce(dataFolder, 'empty');
  expect(await idsOf(dataFolder)).toEqual(['told']);
  expect(await findSession(dataFolder, 'last', { root: '/a' })).toBe('told');
  expect(await findSession(dataFolder, 'emp')).toBe('empty');
  await (await tell(dataFolder, { id: 'empty', prompt: 'begins', turns: 0 })).close();
  expect(await listSessions(dataFolder)).toMatchObject([{ id: 'empty', title: 'begins' }, { id: 'told' }]);
  const lines = (await readFile(sessionFolder(dataFolder, 'empty').file, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(['session', 'user']);
});

test('a session without a prompt is cleaned up after a day', async () => {
  const now = Date.now();
  const dataFolder = await folderWith({ id: 'told' });
  await announce(dataFolder, 'empty');
  expect(await cleanUpSessions(dataFolder, 30, now)).toEqual([]);
  expect(await cleanUpSessions(dataFolder, 30, now + DAY_MS)).toEqual([]);
  expect(await cleanUpSessions(dataFolder, 30, now + 3 * DAY_MS)).toEqual([]);
  expect(await cleanUpSessions(dataFolder, 30, now + 4 * DAY_MS)).toEqual(['empty']);
  expect(await idsOf(dataFolder)).toEqual(['told']);
});
