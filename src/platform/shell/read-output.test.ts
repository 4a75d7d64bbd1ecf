import { mkdtemp, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLastLines, readOutput } from './read-output.js';

async function fileWith(content: string | Uint8Array): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'helve-read-output-')), 'output');
  await writeFile(file, content);
  return file;
}

async function shown(content: string | Uint8Array, maxChars = 30_000): Promise<string> {
  return (await readOutput(await fileWith(content), { maxChars })).text;
}

test('returns short output completely', async () => {
  const file = await fileWith('one\ntwo\n');
  expect(await readOutput(file, { maxChars: 8 })).toEqual({ text: 'one\ntwo\n', totalBytes: 8, cut: false });
});

test('returns nothing for an empty file', async () => {
  expect(await readOutput(await fileWith(''), { maxChars: 100 })).toEqual({ text: '', totalBytes: 0, cut: false });
});

test('keeps the beginning and end of long output and says what is missing and where all of it is', async () => {
  const file = await fileWith(`${'a'.repeat(500)}${'b'.repeat(500)}`);
  const { text, totalBytes, cut } = await readOutput(file, { maxChars: 400 });
  const [, head = '', leftOut, tail = ''] =
    /^(a+)\n\[\.\.\. (\d+) characters are left out here.*\]\n(b+)$/.exec(text) ?? [];
  expect({ totalBytes, cut }).toEqual({ totalBytes: 1_000, cut: true });
  expect(text).toContain(`the whole output is in ${file} `);
  expect(Number(leftOut)).toBe(1_000 - head.length - tail.length);
  expect(Math.abs(head.length - tail.length)).toBeLessThanOrEqual(1);
  expect(text.length).toBeLessThanOrEqual(400);
});

test('reads only the ends of a file of 5 GB', async () => {
  const file = await fileWith('beginning\n');
  const handle = await open(file, 'r+');
  await handle.write('\nthe end', 5_000_000_000); // a sparse file: the middle takes no room on disk
  await handle.close();
  const before = process.memoryUsage.rss();
  const { text, totalBytes, cut } = await readOutput(file, { maxChars: 30_000 });
  expect({ totalBytes, cut }).toEqual({ totalBytes: 5_000_000_008, cut: true });
  expect(text).toMatch(/^beginning\n/);
  expect(text).toMatch(/about 4,999,\d{3},\d{3} characters are left out/);
  expect(text).toMatch(/\nthe end$/);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});

test.each([
  ['colours', '\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m', 'red and blue'],
  ['cursor movement', '\x1b[2K\x1b[1Gdone\x1b[?25h', 'done'],
  ['window titles', '\x1b]0;title\x07text\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\', 'textlink'],
  ['character sets', '\x1b(Bplain\x1b=', 'plain'],
  ['bells', 'ding\x07', 'ding'],
  ['progress bars', '10%\r50%\r100%\nok\n', '100%\nok\n'],
  ['a progress bar that clears its line', 'working\r\x1b[K\rdone', 'done'],
  ['a progress bar that is not finished', '10%\r20%\r', '20%'],
  ['a spinner that goes back', 'wait |\b/\b-\b\\\bdone', 'wait done'],
  ['overstriking', 'b\bbo\bol\bld', 'bold'],
  ['Windows line ends', 'a\r\nb\r\r\n', 'a\nb\n'],
])('omits %s', async (_, content, text) => {
  expect(await shown(content)).toBe(text);
});

test('replaces bytes that are not text by a marker', async () => {
  expect(await shown(Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x62, 0x1b]))).toBe('a\ufffd\ufffd\ufffdb\ufffd');
});

test('keeps tabs, other scripts and a byte order mark', async () => {
  expect(await shown('\ufeffa\tñ 語 😀')).toBe('\ufeffa\tñ 語 😀');
});

test('never splits a character when it truncates', async () => {
  for (const size of [400, 401, 402, 403]) {
    expect((await shown('😀'.repeat(1_000), size)).isWellFormed()).toBe(true);
  }
  // Three bytes each, so that neither end of a window falls between two.
  expect(await shown('語'.repeat(1_000_000))).not.toContain('\ufffd');
});

test('starts the end of a very long output with a whole line', async () => {
  const line = `${'x'.repeat(99)}\r${'y'.repeat(99)}\n`; // folds to half, so that all that is read is shown
  const [, end = ''] = (await shown(line.repeat(20_000), 2_000_000)).split(' ...]\n');
  expect(new Set(end.split('\n'))).toEqual(new Set(['y'.repeat(99), '']));
});

test('is never longer than requested, and complete if it fits', async () => {
  const content = fc.string({ unit: 'grapheme', maxLength: 3_000 });
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 500, max: 2_000 }), async (text, maxChars) => {
      const result = await readOutput(await fileWith(text), { maxChars });
      expect(result.text.length).toBeLessThanOrEqual(maxChars);
      expect(result.cut).toBe(text.length > maxChars);
      if (!result.cut) expect(result.text).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test('returns the last lines, and whether there are more', async () => {
  const file = await fileWith('one\ntwo\nthree\n\n');
  expect(await readLastLines(file, { lines: 2, maxChars: 100 })).toEqual({
    text: 'two\nthree',
    totalBytes: 15,
    cut: true,
  });
  expect(await readLastLines(file, { lines: 9, maxChars: 100 })).toMatchObject({ text: 'one\ntwo\nthree', cut: false });
  expect(await readLastLines(file, { lines: 9, maxChars: 4 })).toMatchObject({ text: 'hree', cut: true });
});

test('returns the last lines of a long file without reading all of it', async () => {
  const file = await fileWith(`${'line\n'.repeat(1_000_000)}last`);
  expect(await readLastLines(file, { lines: 2, maxChars: 100 })).toMatchObject({ text: 'line\nlast', cut: true });
});

test('returns no lines for a file that does not exist yet', async () => {
  const file = join(tmpdir(), 'helve-read-output-missing', 'output');
  expect(await readLastLines(file, { lines: 2, maxChars: 100 })).toEqual({ text: '', totalBytes: 0, cut: false });
});

test('reports bytes that are not UTF-8, and only those', async () => {
  const read = async (content: string | Uint8Array) => await readOutput(await fileWith(content), { maxChars: 100 });
  expect(await read(Buffer.from('f\xfcr', 'latin1'))).toMatchObject({ text: 'f\ufffdr', hasOtherBytes: true });
  expect(await read('a genuine \ufffd')).not.toHaveProperty('hasOtherBytes');
});

test('shows a last byte that starts no character', async () => {
  expect(await shown(Buffer.from('caf\xe9', 'latin1'))).toBe('caf\ufffd');
});

test('holds back an incomplete character while the output grows', async () => {
  const bytes = Buffer.from('ab語');
  for (const missing of [1, 2]) {
    const file = await fileWith(bytes.subarray(0, -missing));
    expect(await readOutput(file, { maxChars: 100, growing: true })).toMatchObject({
      text: 'ab',
      heldBack: 3 - missing,
    });
  }
  expect(await readOutput(await fileWith(bytes), { maxChars: 100, growing: true })).not.toHaveProperty('heldBack');
});

test('starts at the given offset', async () => {
  const file = await fileWith('one\ntwo\n');
  expect(await readOutput(file, { maxChars: 100, from: 4 })).toEqual({ text: 'two\n', totalBytes: 8, cut: false });
  expect(await readOutput(file, { maxChars: 100, from: 8 })).toEqual({ text: '', totalBytes: 8, cut: false });
});

test('keeps colours for surfaces that can show them', async () => {
  const file = await fileWith('\x1b[31mred\x1b[0m\n');
  expect(await readOutput(file, { maxChars: 100 })).toMatchObject({ text: 'red\n', styled: '\x1b[31mred\x1b[0m\n' });
  expect(await readOutput(await fileWith('plain'), { maxChars: 100 })).not.toHaveProperty('styled');
});
