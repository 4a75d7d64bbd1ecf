import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf } from '../crypto.js';
import { listChanges } from '../journal/journal.js';
import { changesWithSpareJournal, moveSpareJournal } from '../journal/spare-journal.js';
import { makeSpareFolder, spareFolders } from './spare-folder.js';

const before = process.env['TMPDIR'];
let folder: string;
let dataFolder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-spare-test-')));
  dataFolder = join(folder, 'data');
  await mkdir(join(folder, 'tmp'));
  process.env['TMPDIR'] = join(folder, 'tmp');
});

afterEach(async () => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  await rm(folder, { recursive: true, force: true });
});

test('the spare folder of a data folder is found again, and is private', () => {
  expect(spareFolders(dataFolder)).toEqual([]);
  const made = makeSpareFolder(dataFolder);
  expect(makeSpareFolder(dataFolder)).toBe(made);
  expect(spareFolders(dataFolder)).toEqual([made]);
  expect(spareFolders(join(folder, 'other'))).toEqual([]);
});

const planted: ReadonlyArray<[what: string, plant: (path: string) => Promise<void>]> = [
  ['a folder that others can write', async (path) => await mkdir(path).then(() => chmod(path, 0o777))],
  ['a folder that others can read', async (path) => await mkdir(path).then(() => chmod(path, 0o755))],
  ['a link to a private folder', async (path) => await symlink(await mkdtemp(join(folder, 'elsewhere-')), path)],
  ['a file', async (path) => await writeFile(path, '')],
  [
    'a folder of another user',
    async (path) => await mkdir(path, { mode: 0o700 }).then(() => chown(path, 4_321, 4_321)),
  ],
];

test.for(planted)('%s in place of the spare folder is neither used nor read', async ([what, plant], { skip }) => {
  if (what.includes('another user') && process.getuid?.() !== 0) skip('only root can make such a folder');
  const usual = makeSpareFolder(dataFolder);
  await rm(usual, { recursive: true });
  await plant(usual);
  expect(spareFolders(dataFolder)).toEqual([]);
  const made = makeSpareFolder(dataFolder);
  expect(made).not.toBe(usual);
  expect(spareFolders(dataFolder)).toEqual([made]); // found again as long as the name is taken
});

test('a journal in the spare folder is moved only when no process uses it', async () => {
  const file = join(folder, 'a.txt');
  await writeFile(file, 'old');
  await writeFile(dataFolder, 'in the place of the folder');
  const changes = changesWithSpareJournal({ dataFolder, sessionId: 's' });
  await changes.apply('call', [{ real: file, before: hashOf(Buffer.from('old')), after: Buffer.from('new') }]);
  await rm(dataFolder);

  const spare = join(makeSpareFolder(dataFolder), 's');
  expect(await moveSpareJournal(spare, dataFolder, 's')).toBe(false);
  await writeFile(dataFolder, 'again');
  await changes.rest();
  await changes.settled();
  await rm(dataFolder);
  expect(await moveSpareJournal(spare, dataFolder, 's')).toBe(true);
  expect(await listChanges(dataFolder, 's')).toMatchObject([{ callId: 'call', files: [{ real: file }] }]);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  expect(await readFile(join(dataFolder, 'journal', 'images', hashOf(Buffer.from('old'))), 'utf8')).toBe('old');
});
