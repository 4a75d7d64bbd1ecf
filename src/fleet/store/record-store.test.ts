import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestPostgres, withoutPostgres } from '../../../test/fleet/run-postgres.js';
import { randomHex, randomId } from '../../platform/crypto.js';
import { type Database, openDatabase } from '../postgres.js';
import { FileStore } from './file-store.js';
import { PostgresStore } from './postgres-store.js';
import { PART_BYTES, type RecordStore, SessionLost, WrongPosition } from './record-store.js';
import { keyFrom, sealWith } from './seal.js';

const KEY = keyFrom('0f'.repeat(32), 'the test key');

let postgres: TestPostgres;
let database: Database;
let dataFolder: string;

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'helve-store-'));
  if (withoutPostgres !== undefined) return;
  postgres = await TestPostgres.start();
  database = await openDatabase(postgres.url);
});

afterAll(async () => {
  rmSync(dataFolder, { recursive: true, force: true });
  await database?.end();
  await postgres?.remove();
});

const stores: Array<[string, () => RecordStore]> = [['files', () => new FileStore(dataFolder)]];
if (withoutPostgres === undefined) {
  stores.push(['PostgreSQL', () => new PostgresStore(database)]);
  stores.push(['PostgreSQL with encryption', () => new PostgresStore(database, { seal: sealWith(KEY) })]);
} else test.skip(withoutPostgres, () => {});

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

async function textOf(store: RecordStore, sessionId: string, file: string, from?: number): Promise<string> {
  return Buffer.concat(await Array.fromAsync(store.read(sessionId, file, from))).toString();
}

describe.each(stores)('a store in %s', (_, open) => {
  test('keeps the files of a session byte for byte: log, agents, audit, changes, spending and results', async () => {
    const store = open();
    const owner = await store.claim(randomId());
    const names = ['session.jsonl', 'agents/a1/session.jsonl', 'audit.jsonl', 'changes.jsonl', 'spending.jsonl'];
    const results = [`results/${'ab'.repeat(32)}`, 'results/call_1.txt', 'agents/a1/results/call_2.txt'];
    const files = [...names, ...results].map((file) => ({ file, position: 0, bytes: bytesOf(`${file} äöü\n`) }));
    await store.append(owner, files);
    expect(new Map([...(await store.files(owner.sessionId))].toSorted())).toEqual(
      new Map(files.map(({ file, bytes }) => [file, bytes.length] as const).toSorted()),
    );
    for (const { file } of files) expect(await textOf(store, owner.sessionId, file)).toBe(`${file} äöü\n`);
  });

  test('continues files where they end, and reads them from any position', async () => {
    const store = open();
    const owner = await store.claim(randomId());
    await store.append(owner, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('one\n') }]);
    await store.append(owner, [
      { file: 'session.jsonl', position: 4, bytes: bytesOf('two\n') },
      { file: 'session.jsonl', position: 8, bytes: bytesOf('three\n') },
      { file: 'audit.jsonl', position: 0, bytes: bytesOf('a\n') },
    ]);
    expect(await textOf(store, owner.sessionId, 'session.jsonl')).toBe('one\ntwo\nthree\n');
    expect(await textOf(store, owner.sessionId, 'session.jsonl', 6)).toBe('o\nthree\n');
    expect(await textOf(store, owner.sessionId, 'session.jsonl', 14)).toBe('');
    expect(await textOf(store, owner.sessionId, 'other.jsonl')).toBe('');
  });

  test('keeps the order of appends that were sent without waiting', async () => {
    const store = open();
    const owners = await Promise.all([store.claim(randomId()), store.claim(randomId())]);
    const sent = owners.flatMap((owner) =>
      Array.from({ length: 40 }, (_unused, index) => {
        const bytes = bytesOf(`${String(index).padStart(3)}\n`);
        return store.append(owner, [{ file: 'session.jsonl', position: index * 4, bytes }]);
      }),
    );
    await Promise.all(sent);
    const lines = Array.from({ length: 40 }, (_unused, index) => `${String(index).padStart(3)}\n`).join('');
    for (const { sessionId } of owners) expect(await textOf(store, sessionId, 'session.jsonl')).toBe(lines);
  });

  test('rejects bytes that do not continue their file, with all that came with them', async () => {
    const store = open();
    const owner = await store.claim(randomId());
    await store.append(owner, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('one\n') }]);
    for (const position of [0, 3, 5]) {
      const appended = [
        { file: 'audit.jsonl', position: 0, bytes: bytesOf('a\n') },
        { file: 'session.jsonl', position, bytes: bytesOf('another\n') },
      ];
      await expect(store.append(owner, appended)).rejects.toBeInstanceOf(WrongPosition);
    }
    expect(await store.files(owner.sessionId)).toEqual(new Map([['session.jsonl', 4]]));
  });

  test('rejects appends of an owner that another has followed, also in the middle of its appends', async () => {
    const store = open();
    const sessionId = randomId();
    const first = await store.claim(sessionId);
    await store.append(first, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('one\n') }]);
    const second = await store.claim(sessionId);
    expect(second.epoch).toBeGreaterThan(first.epoch);
    const late = store.append(first, [{ file: 'session.jsonl', position: 4, bytes: bytesOf('late\n') }]);
    await expect(late).rejects.toBeInstanceOf(SessionLost);
    await store.append(second, [{ file: 'session.jsonl', position: 4, bytes: bytesOf('two\n') }]);
    expect(await textOf(store, sessionId, 'session.jsonl')).toBe('one\ntwo\n');
  });

  test('gives owners that claim at the same time different epochs, and lets the last one append', async () => {
    const store = open();
    const sessionId = randomId();
    const owners = await Promise.all(Array.from({ length: 5 }, () => store.claim(sessionId)));
    const sorted = owners.toSorted((one, other) => one.epoch - other.epoch);
    expect(new Set(owners.map(({ epoch }) => epoch)).size).toBe(5);
    const appends = await Promise.allSettled(
      sorted.map((owner) => store.append(owner, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('x\n') }])),
    );
    expect(appends.map(({ status }) => status)).toEqual([...Array(4).fill('rejected'), 'fulfilled']);
  });

  test('rejects appends to a removed session, and begins again when it is claimed', async () => {
    const store = open();
    const owner = await store.claim(randomId());
    await store.append(owner, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('one\n') }]);
    expect((await store.sessions()).map(({ sessionId }) => sessionId)).toContain(owner.sessionId);
    await store.remove(owner.sessionId);
    const late = store.append(owner, [{ file: 'session.jsonl', position: 4, bytes: bytesOf('late\n') }]);
    await expect(late).rejects.toBeInstanceOf(SessionLost);
    expect((await store.sessions()).map(({ sessionId }) => sessionId)).not.toContain(owner.sessionId);
    await store.claim(owner.sessionId);
    expect(await store.files(owner.sessionId)).toEqual(new Map());
  });

  test('keeps large results in parts', async () => {
    const store = open();
    const owner = await store.claim(randomId());
    const text = randomHex(PART_BYTES); // two parts
    const parts = [0, PART_BYTES].map((position) => ({
      file: 'results/call_1.txt',
      position,
      bytes: bytesOf(text.slice(position, position + PART_BYTES)),
    }));
    await store.append(owner, parts);
    expect(await textOf(store, owner.sessionId, 'results/call_1.txt')).toBe(text);
  });

  test.each(['../session.jsonl', '/etc/passwd', 'a//b', 'results/..', 'lock\n'])(
    'refuses %j as the name of a file',
    async (file) => {
      const store = open();
      const owner = await store.claim(randomId());
      await expect(store.append(owner, [{ file, position: 0, bytes: bytesOf('x') }])).rejects.toThrow(/not the name/);
    },
  );
});

describe.skipIf(withoutPostgres !== undefined)('PostgreSQL', () => {
  test('stores one append once when the server restarts in the middle of it', async () => {
    const store = new PostgresStore(database);
    const owner = await store.claim(randomId());
    let position = 0;
    const sent: Array<Promise<void>> = [];
    const send = (): void => {
      const bytes = bytesOf(`${position}\n`);
      sent.push(store.append(owner, [{ file: 'session.jsonl', position, bytes }]));
      position += bytes.length;
    };
    for (let count = 0; count < 20; count += 1) send();
    const killed = postgres.kill();
    for (let count = 0; count < 20; count += 1) send();
    await killed;
    await postgres.run();
    await Promise.all(sent);
    const text = await textOf(store, owner.sessionId, 'session.jsonl');
    expect(text).toHaveLength(position);
    let at = 0;
    for (const line of text.split('\n').slice(0, -1)) {
      expect(line).toBe(String(at));
      at += line.length + 1;
    }
  });

  test('holds nothing readable if contents are encrypted, and says which key is missing', async () => {
    const store = new PostgresStore(database, { seal: sealWith(KEY) });
    const owner = await store.claim(randomId());
    await store.append(owner, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('the secret text\n') }]);
    const { rows } = await database.query('select content from helve.record where session = $1', [owner.sessionId]);
    expect(rows[0].content.includes('secret')).toBe(false);
    await expect(textOf(new PostgresStore(database), owner.sessionId, 'session.jsonl')).rejects.toThrow(/no key/);
  });

  test('rejects encrypted parts that were exchanged in the database', async () => {
    const store = new PostgresStore(database, { seal: sealWith(KEY) });
    const owner = await store.claim(randomId());
    await store.append(owner, [{ file: 'session.jsonl', position: 0, bytes: bytesOf('one\n') }]);
    await store.append(owner, [{ file: 'audit.jsonl', position: 0, bytes: bytesOf('two\n') }]);
    await database.query(
      `update helve.record r set content = o.content from helve.record o
       where r.session = $1 and o.session = $1 and r.file = 'session.jsonl' and o.file = 'audit.jsonl'`,
      [owner.sessionId],
    );
    await expect(textOf(store, owner.sessionId, 'session.jsonl')).rejects.toThrow(/can't be decrypted/);
  });
});
