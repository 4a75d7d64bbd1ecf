import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuditLog } from '../../agent/observe/audit-log.js';
import { checkAudit, readAudit } from '../../agent/observe/read-audit.js';
import { randomHex } from '../../platform/crypto.js';
import { FileStore } from './file-store.js';
import { PART_BYTES, SessionLost } from './record-store.js';
import { fetchSession, SessionCopy } from './session-copy.js';

const sessionId = 'a-session';

let folders: { engine: string; store: string; other: string };

beforeEach(() => {
  const made = (): string => mkdtempSync(join(tmpdir(), 'helve-copy-'));
  folders = { engine: made(), store: made(), other: made() };
});

afterEach(() => {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true });
});

const pathOf = (dataFolder: string, file: string): string => join(dataFolder, 'sessions', sessionId, file);

function write(file: string, text: string): void {
  const path = pathOf(folders.engine, file);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, text);
}

async function copyTo(store: FileStore, onFailed: (error: unknown) => void = (error) => expect.fail(String(error))) {
  const owner = await store.claim(sessionId);
  const stored = await store.files(sessionId);
  return new SessionCopy({ from: new FileStore(folders.engine), to: store, owner, stored, onFailed });
}

test('copies what a session has written, and makes its folder again elsewhere', async () => {
  const store = new FileStore(folders.store);
  const copy = await copyTo(store);
  const large = randomHex(3 * PART_BYTES); // several appends
  write('session.jsonl', 'one\n');
  write('agents/a1/session.jsonl', 'agent\n');
  write(`results/${'ab'.repeat(32)}`, large);
  write('lock', 'of this process');
  await copy.flushed();
  write('session.jsonl', 'two\n');
  write('results/call_1.txt', 'output');
  mkdirSync(join(folders.engine, 'journal/sessions'), { recursive: true });
  writeFileSync(join(folders.engine, `journal/sessions/${sessionId}.jsonl`), '\n{"change":1}\n');
  await Promise.all([copy.flushed(), copy.flushed()]);
  writeFileSync(join(folders.other, 'unrelated'), '');
  await fetchSession(store, folders.other, sessionId);
  expect(readFileSync(pathOf(folders.other, 'session.jsonl'), 'utf8')).toBe('one\ntwo\n');
  expect(readFileSync(pathOf(folders.other, 'agents/a1/session.jsonl'), 'utf8')).toBe('agent\n');
  expect(readFileSync(pathOf(folders.other, `results/${'ab'.repeat(32)}`), 'utf8')).toBe(large);
  expect(readFileSync(pathOf(folders.other, 'results/call_1.txt'), 'utf8')).toBe('output');
  const changes = join(folders.other, `journal/sessions/${sessionId}.jsonl`);
  expect(readFileSync(changes, 'utf8')).toBe('\n{"change":1}\n');
  expect((await store.files(sessionId)).has('lock')).toBe(false);
});

test('stores what is written while an earlier copy is under way before it resolves', async () => {
  const store = new FileStore(folders.store);
  const copy = await copyTo(store);
  for (let line = 0; line < 50; line += 1) {
    write('session.jsonl', `${line}\n`);
    copy.changed();
    if (line % 10 !== 9) continue;
    await copy.flushed();
    const { size = 0 } = { size: (await store.files(sessionId)).get('session.jsonl') };
    expect(size).toBe(readFileSync(pathOf(folders.engine, 'session.jsonl')).length);
  }
});

test('continues where an earlier copy has stopped', async () => {
  const store = new FileStore(folders.store);
  write('session.jsonl', 'one\n');
  await (await copyTo(store)).flushed();
  write('session.jsonl', 'two\n');
  await (await copyTo(store)).flushed();
  expect(readFileSync(pathOf(folders.store, 'session.jsonl'), 'utf8')).toBe('one\ntwo\n');
});

test('stores nothing more once another owns the session, and says so once', async () => {
  const store = new FileStore(folders.store);
  const failures: unknown[] = [];
  const copy = await copyTo(store, (error) => failures.push(error));
  write('session.jsonl', 'one\n');
  await copy.flushed();
  await store.claim(sessionId);
  write('session.jsonl', 'late\n');
  await expect(copy.flushed()).rejects.toBeInstanceOf(SessionLost);
  await expect(copy.flushed()).rejects.toBeInstanceOf(SessionLost);
  expect(failures).toHaveLength(1);
  expect(readFileSync(pathOf(folders.store, 'session.jsonl'), 'utf8')).toBe('one\n');
});

test('replaces a folder with records that were rejected', async () => {
  const store = new FileStore(folders.store);
  write('session.jsonl', 'one\n');
  await (await copyTo(store)).flushed();
  write('session.jsonl', 'rejected\n');
  await fetchSession(store, folders.engine, sessionId);
  expect(readFileSync(pathOf(folders.engine, 'session.jsonl'), 'utf8')).toBe('one\n');
});

test('copies an audit log that is complete and can be continued', async () => {
  const store = new FileStore(folders.store);
  const log = (dataFolder: string) => createAuditLog({ dataFolder, sessionId, root: '/project' });
  const first = log(folders.engine);
  first.take({ type: 'tool_start', callId: 'a', tool: 'Bash' });
  first.close();
  await (await copyTo(store)).flushed();
  await fetchSession(store, folders.other, sessionId);
  log(folders.other).close();
  const second = log(folders.other);
  second.take({ type: 'tool_start', callId: 'b', tool: 'Bash' });
  second.close();
  const text = readAudit(join(folders.other, 'sessions', sessionId));
  const { entries, problems } = checkAudit(text ?? { lines: [], isCut: false });
  expect(problems).toEqual([]);
  expect(entries.filter(({ type }) => type === 'start').map(({ call }) => call)).toEqual(['a', 'b']);
});
