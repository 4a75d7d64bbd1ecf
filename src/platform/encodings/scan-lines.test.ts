import { createHash } from 'node:crypto';
import { mkdtemp, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHead, scanLines } from './scan-lines.js';
import { encodeText } from './text-file.js';

async function scan(content: string | Buffer, maxLineChars = 1_000, signal = new AbortController().signal) {
  const path = join(await mkdtemp(join(tmpdir(), 'helve-scan-')), 'file');
  await writeFile(path, content);
  const handle = await open(path);
  const seen: Array<[number, string, number]> = [];
  try {
    const { size } = await handle.stat();
    const scanned = await scanLines(await readHead(handle, size), maxLineChars, signal, (...line) => seen.push(line));
    return { ...scanned, seen };
  } finally {
    await handle.close();
  }
}

test('ends lines at \\n, \\r\\n and \\r, and counts a last line without an end', async () => {
  const { seen, lines } = await scan('a\nb\r\nc\rd');
  expect([lines, seen.map(([, text]) => text)]).toEqual([4, ['a', 'b', 'c', 'd']]);
});

test('truncates a long line and returns its full length', async () => {
  expect((await scan('abcdef\ng\n', 3)).seen).toEqual([
    [1, 'abc', 6],
    [2, 'g', 1],
  ]);
});

test('hashes the bytes on disk, byte order mark included', async () => {
  const bytes = Buffer.from('\ufeffa\n');
  const { hash, size, seen } = await scan(bytes);
  expect([hash, size, seen]).toEqual([createHash('sha256').update(bytes).digest('hex'), 5, [[1, 'a', 1]]]);
});

test('finds the same lines for any chunk boundaries of a large file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('\n', '\r\n', '\r'), fc.integer({ min: 0, max: 3 }), async (ending, shift) => {
      const content = `${'x'.repeat(shift)}${`é👍${ending}`.repeat(80_000)}`;
      const { lines, seen } = await scan(content);
      expect([lines, seen.at(-1)]).toEqual([80_000, [80_000, 'é👍', 3]]);
    }),
    { numRuns: 6 },
  );
});

test('reports after which line the bytes stop being text', async () => {
  await expect(scan(Buffer.from('gr\xc3\xb6\xc3\x9fe\nb\nf\xc3\xbcr \xff\n', 'latin1'))).rejects.toThrow(
    'bytes of it are not valid UTF-8',
  );
  const late = Buffer.concat([Buffer.from(`é${'\n'.repeat(300_000)}`), Buffer.from([0xff])]);
  await expect(scan(late)).rejects.toThrow(/after line \d+ are not valid UTF-8/);
});

test('reads a legacy encoding, and names it', async () => {
  const { seen, format } = await scan(Buffer.from('a\nb\ncaf\xe9\n', 'latin1'));
  expect([seen.at(-1), format]).toEqual([[3, 'café', 4], { encoding: 'windows-1252', bom: false, sure: false }]);
});

test.each([0, 1, 2, 3])('decodes multi-byte characters across chunk boundaries (%i)', async (shift) => {
  const text = `${'x'.repeat(shift)}${'日本語のテキスト\n'.repeat(40_000)}`;
  for (const encoding of ['shift_jis', 'euc-jp', 'utf-8'] as const) {
    const { lines, seen, format } = await scan(encodeText(text, encoding));
    expect([lines, seen.at(-1)?.[1], format.encoding]).toEqual([40_000, '日本語のテキスト', encoding]);
  }
});

test('decides by the first non-ASCII bytes, even if they come late or are split', async () => {
  const plain = 'x'.repeat(262_143); // one byte short of a chunk
  const inUtf8 = await scan(Buffer.from(`${plain}é`), 300_000);
  expect([inUtf8.seen[0]?.[1].at(-1), inUtf8.format.encoding]).toEqual(['é', 'utf-8']);
  const inLatin = await scan(Buffer.from(`${plain}\xe9`, 'latin1'), 300_000);
  expect([inLatin.seen[0]?.[1].at(-1), inLatin.format.encoding]).toEqual(['é', 'windows-1252']);
});

test('reads UTF-16 without a byte order mark if it is certainly text', async () => {
  const { seen, format } = await scan(Buffer.from('A line of text\nand another\n', 'utf16le'));
  expect([seen.map(([, text]) => text), format]).toEqual([
    ['A line of text', 'and another'],
    { encoding: 'utf-16le', bom: false },
  ]);
});

test('stops when it is aborted', async () => {
  await expect(scan('a', 10, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
