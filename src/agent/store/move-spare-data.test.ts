import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ProcessIdentity, thisProcess } from '../../platform/journal/process-identity.js';
import { checkAudit, readAudit } from '../observe/read-audit.js';
import { movedSpareData } from './moved-spare-data.js';
import { sessionFolder } from './session-folder.js';
import { lockSession } from './session-lock.js';
import { keepAudit } from './spare-records.js';
import { SpareTail } from './spare-tail.js';

const before = process.env['TMPDIR'];
let folder: string;
let dataFolder: string;
let owner: ProcessIdentity;

beforeEach(async () => {
  owner = await thisProcess();
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

/** Keeps an end like a process that exits. */
function keepTail(data: string, session: string, end: { offset: number; bytes: Buffer }): void {
  const kept = new SpareTail(data, session);
  kept.keep(end, owner);
  kept.release();
}

const tail = (offset: number, text: string) => ({ offset, bytes: Buffer.from(text) });

test.for([
  ['without a part of it', 'begin\n'],
  ['with a part that an interrupted move wrote', 'begin\nse'],
  ['with all of it, written by a move that was interrupted at its end', 'begin\nsecond\nthird\n'],
])('the end of a session is added once to its file %s', async ([, found]) => {
  const session = sessionFolder(dataFolder, 's');
  await mkdir(session.path, { recursive: true });
  await writeFile(session.file, found as string);
  keepTail(dataFolder, session.path, tail(6, 'second\n'));
  keepTail(dataFolder, session.path, tail(6, 'third\n')); // by the next process, which could not write the data folder either
  expect(await movedSpareData(dataFolder)).toEqual([expect.stringContaining('The session s ')]);
  expect(await readFile(session.file, 'utf8')).toBe('begin\nsecond\nthird\n');
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

test('lines that another process has written meanwhile are kept', async () => {
  const session = sessionFolder(dataFolder, 's');
  await mkdir(session.path, { recursive: true });
  await writeFile(session.file, 'begin\nother\n');
  keepTail(dataFolder, session.path, tail(6, 'second\n'));
  await movedSpareData(dataFolder);
  expect(await readFile(session.file, 'utf8')).toBe('begin\nother\nsecond\n');
});

test("the end of a child agent's session is added to its own file", async () => {
  const session = sessionFolder(dataFolder, 's');
  keepTail(dataFolder, session.path, tail(0, 'parent\n'));
  keepTail(dataFolder, join(session.path, 'agents', 'child'), tail(0, 'child\n'));
  await movedSpareData(dataFolder);
  expect(await readFile(session.file, 'utf8')).toBe('parent\n');
  expect(await readFile(join(session.path, 'agents', 'child', 'session.jsonl'), 'utf8')).toBe('child\n');
});

test('entries of the audit log are chained when they are moved, and not added twice', async () => {
  const entries = ['one', 'two'].map((type) => ({ root: '/p', entry: { at: '2026-01-01T00:00:00.000Z', type } }));
  for (let time = 0; time < 2; time += 1) {
    keepAudit(dataFolder, 's', entries);
    await movedSpareData(dataFolder);
  }
  const log = readAudit(sessionFolder(dataFolder, 's').path);
  const { problems, entries: found } = checkAudit(log ?? { lines: [], isCut: false });
  expect({ problems, types: found.map(({ type }) => type) }).toEqual({ problems: [], types: ['begin', 'one', 'two'] });
});

test('a session that a process has open is skipped until the next start', async () => {
  const session = sessionFolder(dataFolder, 's');
  await mkdir(session.path, { recursive: true });
  const lock = await lockSession(session);
  keepTail(dataFolder, session.path, tail(0, 'begin\n'));
  expect(await movedSpareData(dataFolder)).toEqual([]);
  await lock.release();
  expect(await movedSpareData(dataFolder)).toHaveLength(1);
});

test('data stays in the temporary folder while the data folder cannot be written', async () => {
  await writeFile(dataFolder, 'in the place of the folder');
  keepTail(dataFolder, join(dataFolder, 'sessions', 's'), tail(0, 'begin\n'));
  const [still = ''] = await movedSpareData(dataFolder);
  expect(still).toContain('are still in ');
  expect(still).toContain(`${dataFolder} was not written: it is a file, and was to be used as a folder.`);
  expect(still).toContain('To use another data folder, set HELVE_HOME.');
  await rm(dataFolder);
  expect(await movedSpareData(dataFolder)).toEqual([expect.stringContaining('is in the data folder now')]);
  expect(await readFile(sessionFolder(dataFolder, 's').file, 'utf8')).toBe('begin\n');
});

test('data that a running process still appends to is moved after it has ended', async () => {
  const session = sessionFolder(dataFolder, 's');
  const kept = new SpareTail(dataFolder, session.path);
  kept.keep(tail(0, 'first\n'), owner);
  expect(await movedSpareData(dataFolder)).toEqual([]);
  kept.keep(tail(0, 'first\nsecond\n'), owner);
  kept.release();
  await movedSpareData(dataFolder);
  expect(await readFile(session.file, 'utf8')).toBe('first\nsecond\n');
});

test('nothing is left in the temporary folder after the move', async () => {
  const kept = new SpareTail(dataFolder, sessionFolder(dataFolder, 's').path);
  kept.keep(tail(0, 'first\n'), owner);
  kept.drop();
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});
