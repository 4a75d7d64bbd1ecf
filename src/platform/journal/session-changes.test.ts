import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { journalFolders, makeJournal } from './journal.js';
import { closeRecord, openRecord, recordPath } from './lock.js';
import { journalCleanUp, recoverIfNeeded, sessionFileChanges } from './session-changes.js';

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-lazy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('changes files like the implementation that it loads', async () => {
  const folder = await dataFolder();
  const changes = sessionFileChanges({ dataFolder: join(folder, 'data'), sessionId: 's1' });
  await Promise.all(
    ['a', 'b'].map((name) =>
      changes.apply(name, [{ real: join(folder, name), before: null, after: Buffer.from(name) }]),
    ),
  );
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('a');
  expect(await readFile(join(folder, 'b'), 'utf8')).toBe('b');
});

test('has nothing to recover if no file was ever changed', async () => {
  expect(await recoverIfNeeded(await dataFolder())).toBeUndefined();
});

test('recovers an interrupted change, and cleans up a journal', async () => {
  const folder = await dataFolder();
  const open = join(folder, 'journal', 'open');
  await mkdir(open, { recursive: true });
  await Promise.all(['images', 'sessions', 'locks'].map((name) => mkdir(join(folder, 'journal', name))));
  expect(await recoverIfNeeded(folder)).toBeUndefined();
  await journalCleanUp({ dataFolder: folder });
  const marker = join(folder, 'journal', 'pruned');
  expect(await readFile(marker, 'utf8')).toBe('');

  const old = new Date(Date.now() - 40 * 24 * 3_600_000);
  const stray = join(open, '0123456789abcdef01234567.plan');
  await writeFile(stray, '{}');
  await utimes(stray, old, old);
  await recoverIfNeeded(folder);
  await expect(readFile(stray)).rejects.toThrow('ENOENT');
});

test('does not read the records of its own process, which runs', async () => {
  const folder = await dataFolder();
  const folders = journalFolders(folder);
  await makeJournal(folders);
  const record = await openRecord(folders, { sessionId: 's1' });
  const path = recordPath(folders, record.token);
  const ended = JSON.stringify({ ...record, owner: { ...record.owner, started: 1 } });
  await writeFile(path, ended);
  await recoverIfNeeded(folder);
  expect(await readFile(path, 'utf8')).toBe(ended);
  await closeRecord(folders, record, []);
  await writeFile(path, ended);
  await recoverIfNeeded(folder);
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});
