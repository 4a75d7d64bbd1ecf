import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FilterTimeout, filterOutput } from './filter-output.js';

async function fileWith(content: string | Uint8Array): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'helve-filter-')), 'output');
  await writeFile(file, content);
  return file;
}

const whole = { maxChars: 30_000, from: 0, growing: false };

test('returns the lines that match, without colours', async () => {
  const file = await fileWith('\x1b[31merror: a\x1b[0m\nfine\nerror: b\n');
  expect(await filterOutput(file, { ...whole, pattern: '^error' })).toEqual({ text: 'error: a\nerror: b', end: 32 });
});

test('starts at the given offset, and leaves an incomplete line for later', async () => {
  const file = await fileWith('x1\nx2\nx3');
  expect(await filterOutput(file, { ...whole, pattern: 'x', from: 3, growing: true })).toEqual({ text: 'x2', end: 6 });
  expect(await filterOutput(file, { ...whole, pattern: 'x', from: 6 })).toEqual({ text: 'x3', end: 8 });
});

test('reads lines across its chunks', async () => {
  const lines = Array.from({ length: 60_000 }, (_, number) => `${number}${'語'.repeat(10)}`);
  const file = await fileWith(lines.join('\n'));
  const { text, end } = await filterOutput(file, { ...whole, pattern: '^5\\d?999\\D', maxChars: 1_000_000 });
  expect(text.split('\n')).toEqual(lines.filter((line) => /^5\d?999\D/.test(line)));
  expect(end).toBe(Buffer.byteLength(lines.join('\n')));
});

test('processes 50 MB without a line break in pieces', async () => {
  const file = await fileWith(Buffer.alloc(50_000_000, 'a'));
  const before = process.memoryUsage.rss();
  const { text, end } = await filterOutput(file, { ...whole, pattern: 'a' });
  expect(end).toBe(50_000_000);
  expect(text.length).toBeLessThanOrEqual(30_100);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});

test('omits the middle of many lines and says how many', async () => {
  const file = await fileWith(Array.from({ length: 10_000 }, (_, number) => `line ${number}\n`).join(''));
  const { text } = await filterOutput(file, { ...whole, pattern: 'line', maxChars: 1_000 });
  expect(text).toMatch(/^line 0\n/);
  expect(text).toMatch(/\n\[\.\.\. 9,\d{3} lines that match are left out here \.\.\.\]\n/);
  expect(text).toMatch(/\nline 9999$/);
  expect(text.length).toBeLessThan(1_100);
});

test('stops an expression that would run forever', async () => {
  const file = await fileWith(`${'a'.repeat(60)}b\n`);
  await expect(filterOutput(file, { ...whole, pattern: '(a+)+$' })).rejects.toThrow(FilterTimeout);
});

test('finds the same lines as a search of the whole text would', async () => {
  const line = fc.stringMatching(/^[ab語 ]{0,8}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1 }), async (lines) => {
      const file = await fileWith(`${lines.join('\n')}\n`);
      const { text } = await filterOutput(file, { ...whole, pattern: 'a' });
      expect(text).toBe(lines.filter((each) => each.includes('a')).join('\n'));
    }),
    { numRuns: 50 },
  );
});
