import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { recordHostCopy } from './host-copies.js';
import { cleanUpSessions, removeSession } from './remove-session.js';
import { resumeSession } from './resume-session.js';
import { sessionFolder } from './session-folder.js';
import { SessionStore } from './session-store.js';

const entry = (more: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ type: 'user', message: {}, sessionId: 's-1', version: '1', ...more })}\n`;

/** A session, and where its copy is to be. */
async function session() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'helve-copies-')));
  const dataFolder = join(base, 'data');
  const store = new SessionStore({ dataFolder, id: 's-1', root: '/a', model: 'm' });
  await store.open();
  store.prompt([{ type: 'text', text: 'x' }]);
  await store.close();
  const file = join(base, 'claude/projects/-a/s-1.jsonl');
  const write = (text: string): void => {
    recordHostCopy(dataFolder, { id: 's-1', file, version: '1' });
    appendFileSync(file, text);
  };
  return { base, dataFolder, file, write };
}

test('the copy goes with the session, also with a title from the host, and other files stay', async () => {
  const { dataFolder, file, write } = await session();
  write(entry());
  write(entry() + JSON.stringify({ type: 'custom-title', customTitle: 'T', sessionId: 's-1' }));
  const other = join(dirname(file), 's-2.jsonl');
  writeFileSync(other, entry());
  expect(await removeSession(dataFolder, 's-1')).toEqual([]);
  expect([existsSync(file), existsSync(other)]).toEqual([false, true]);
});

test('the copy goes when the session is cleaned up by age', async () => {
  const { dataFolder, file, write } = await session();
  write(entry());
  const day = 24 * 3_600_000;
  await cleanUpSessions(dataFolder, 30, Date.now() + 40 * day);
  expect(await cleanUpSessions(dataFolder, 30, Date.now() + 80 * day)).toEqual(['s-1']);
  expect(existsSync(file)).toBe(false);
});

test('a removal that a crash interrupted is finished by the next clean-up, with the copy', async () => {
  const { dataFolder, file, write } = await session();
  write(entry());
  renameSync(sessionFolder(dataFolder, 's-1').path, join(dataFolder, 'sessions/.removed-half'));
  await cleanUpSessions(dataFolder);
  expect(existsSync(file)).toBe(false);
});

test('a fork does not have the copy of its source', async () => {
  const { dataFolder, file, write } = await session();
  write(entry());
  const fork = await resumeSession({ dataFolder, id: 's-1', root: '/a', model: 'm', fork: true });
  await fork.store.close();
  await removeSession(dataFolder, fork.id);
  expect(existsSync(file)).toBe(true);
});

test('a file that another program had written before is not removed', async () => {
  const { dataFolder, file, write } = await session();
  await mkdir(dirname(file), { recursive: true });
  writeFileSync(file, entry({ version: '2.1.0' }));
  write(entry());
  expect(await removeSession(dataFolder, 's-1')).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

test('a copy in which another program has gone on is left, with a sentence', async () => {
  const { dataFolder, file, write } = await session();
  write(entry());
  appendFileSync(file, entry({ type: 'assistant', version: '2.1.0' }));
  expect(await removeSession(dataFolder, 's-1')).toEqual([
    `The copy of the conversation in ${file} was left: it has messages that Helve did not write.`,
  ]);
  expect(existsSync(file)).toBe(true);
});

test('symbolic links in the place of the copy or of its folder are not followed', async () => {
  const first = await session();
  first.write(entry());
  const target = join(first.base, 'target');
  renameSync(first.file, target);
  symlinkSync(target, first.file);
  expect(await removeSession(first.dataFolder, 's-1')).toEqual([expect.stringContaining('ELOOP')]);
  expect(readFileSync(target, 'utf8')).toBe(entry());

  const second = await session();
  second.write(entry());
  const moved = join(second.base, 'moved');
  renameSync(dirname(second.file), moved);
  symlinkSync(moved, dirname(second.file));
  expect(await removeSession(second.dataFolder, 's-1')).toEqual([expect.stringContaining('symbolic link')]);
  expect(existsSync(join(moved, 's-1.jsonl'))).toBe(true);
});

test('a damaged list names no file that is not called as the session', async () => {
  const { base, dataFolder } = await session();
  const victim = join(base, 'victim.txt');
  writeFileSync(victim, '');
  const lines = [
    { id: 's-1', file: victim, version: '1' },
    { id: '../victim', file: `${base}/claude/../victim.jsonl`, version: '1' },
    'x',
  ];
  const list = join(sessionFolder(dataFolder, 's-1').path, 'copies.jsonl');
  writeFileSync(list, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"id":`);
  expect(await removeSession(dataFolder, 's-1')).toEqual([]);
  expect(existsSync(victim)).toBe(true);
});
