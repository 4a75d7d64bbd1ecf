import { createHash } from 'node:crypto';
import { mkdtemp, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanLines } from './scan-lines.js';

async function scan(content: string | Buffer, maxLineChars = 1_000, signal = new AbortController().signal) {
  const path = join(await mkdtemp(join(tmpdir(), 'helve-scan-')), 'file');
  await writeFile(path, content);
  const handle = await open(path);
  const seen: Array<[number, string, number]> = [];
  try {
    const scanned = await scanLines(handle, maxLineChars, signal, (...line) => seen.push(line));
    return { ...scanned, seen };
  } finally {
    await handle.close();
  }
}

test('ends lines at \\n, \\r\\n and \\r, and counts a last line without an end', async () => {
  const { seen, lines } = await scan('a\nb\r\nc\rd');
  expect([lines, seen.map(([, text]) => text)]).toEqual([4, ['a', 'b', 'c', 'd']]);
});

test('gives a long line cut, with its full length', async () => {
  expect((await scan('abcdef\ng\n', 3)).seen).toEqual([
    [1, 'abc', 6],
    [2, 'g', 1],
  ]);
});

test('hashes the bytes on disk, mark included', async () => {
  const bytes = Buffer.from('\ufeffa\n');
  const { hash, size, seen } = await scan(bytes);
  expect([hash, size, seen]).toEqual([createHash('sha256').update(bytes).digest('hex'), 5, [[1, 'a', 1]]]);
});

test('finds the same lines wherever the chunks of a large file fall', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('\n', '\r\n', '\r'), fc.integer({ min: 0, max: 3 }), async (ending, shift) => {
      const content = `${'x'.repeat(shift)}${`é👍${ending}`.repeat(80_000)}`;
      const { lines, seen } = await scan(content);
      expect([lines, seen.at(-1)]).toEqual([80_000, [80_000, 'é👍', 3]]);
    }),
    { numRuns: 6 },
  );
});

test('says after which line the bytes stop being text', async () => {
  await expect(scan(Buffer.from('a\nb\ncaf\xe9\n', 'latin1'))).rejects.toThrow(/not valid utf-8/);
});

test('stops when it is told to', async () => {
  await expect(scan('a', 10, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
