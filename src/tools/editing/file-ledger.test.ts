import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashOf } from '../../platform/crypto.js';
import { createFileLedger } from './file-ledger.js';

const MB = 1024 * 1024;
const seen = (bytes: Buffer) => ({ hash: hashOf(bytes), size: bytes.length, at: new Date(), lines: 'all' as const });

test('keeps the bytes of a small file, passed in or read from disk', async () => {
  const ledger = createFileLedger();
  const real = join(await mkdtemp(join(tmpdir(), 'helve-ledger-')), 'a.txt');
  await writeFile(real, 'one');
  ledger.set(real, seen(Buffer.from('one')));
  ledger.set('/given', { ...seen(Buffer.from('two')), bytes: Buffer.from('two') });
  expect([ledger.get(real)?.bytes, ledger.get('/given')?.bytes]).toEqual([Buffer.from('one'), Buffer.from('two')]);
});

test('keeps no bytes for a file that has changed, is missing or is large', async () => {
  const ledger = createFileLedger();
  const real = join(await mkdtemp(join(tmpdir(), 'helve-ledger-')), 'a.txt');
  await writeFile(real, 'two');
  ledger.set(real, seen(Buffer.from('one')));
  ledger.set('/gone', seen(Buffer.from('one')));
  const large = Buffer.alloc(MB + 1);
  ledger.set('/large', { ...seen(large), bytes: large });
  expect([real, '/gone', '/large'].map((name) => ledger.get(name)?.bytes)).toEqual([undefined, undefined, undefined]);
  expect(ledger.get(real)?.size).toBe(3);
});

test('forgets a file together with its bytes', () => {
  const ledger = createFileLedger();
  ledger.set('/a', { ...seen(Buffer.from('one')), bytes: Buffer.from('one') });
  ledger.forget('/a');
  ledger.forget('/unknown');
  expect(ledger.get('/a')).toBeUndefined();
});

test('drops the oldest bytes if there are too many', () => {
  const ledger = createFileLedger();
  const names = Array.from({ length: 34 }, (_, index) => `/${index}`);
  for (const [index, name] of names.entries()) {
    const bytes = Buffer.alloc(MB, index);
    ledger.set(name, { ...seen(bytes), bytes });
    const first = ledger.get('/0');
    if (index === 20 && first) ledger.set('/0', first); // set again, it is no longer the oldest
  }
  expect(names.filter((name) => ledger.get(name)?.bytes === undefined)).toEqual(['/1', '/2']);
});
