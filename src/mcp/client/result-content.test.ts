import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { ContentBlock } from '../../contract/message.js';
import { contentBlocks, type ResultSession, resourceContents, resultBlocks } from './result-content.js';

async function newSession(): Promise<ResultSession> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-results-'));
  return { resultFile: async (name) => join(folder, name) };
}

const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64');
const textsOf = (blocks: readonly ContentBlock[]): string[] =>
  blocks.map((block) => (block.type === 'text' ? block.text : '(image)'));
const text = (words: string, annotations: object = {}) => ({ type: 'text', text: words, annotations });
const resource = (uri: string, mimeType: string, bytes: string | Uint8Array) => ({
  type: 'resource',
  resource: { uri, mimeType, blob: base64(bytes) },
});

test.each<[string, object, RegExp]>([
  ['a sound', { type: 'audio', mimeType: 'audio/mpeg', data: base64('ID3 sound') }, /mcp-audio\.mp3/],
  ['a drawing', { type: 'image', mimeType: 'image/svg+xml', data: base64('<svg/>') }, /mcp-image\.svg/],
  ['a PDF', resource('db://report?year=1', 'application/pdf', '%PDF-1.7 \0'), /mcp-report\.pdf/],
  ['a name with an ending', resource('file:///a/b%20c.tar.gz', 'application/gzip', '\x1f\x8b\0'), /mcp-b_20c\.tar\.gz/],
  ['a hostile name', resource('x://a/..\\..\\\n.bashrc', 'application/x-sh', '\0'), /mcp-_\.bashrc/],
  ['an unknown type', resource('x://blob', 'application/vnd.example.thing', '\0'), /mcp-blob[,. ]/],
])('%s is saved under a name that other programs can open', async (_, item, name) => {
  const [said = ''] = textsOf(await contentBlocks([item], await newSession()));
  expect(said).toMatch(name);
  const file = /saved to (\S+?)\.\)$/.exec(said)?.[1] ?? '';
  expect((await readFile(file)).length).toBeGreaterThan(0);
});

test.each([
  ['text/plain', 'Grüße'],
  ['application/json; charset=utf-8', '{"a": 1}'],
  ['application/vnd.api+json', '{"a": 2}'],
])('a resource of the type %s that comes as bytes is text', async (mimeType, words) => {
  expect(textsOf(await contentBlocks([resource('x://a', mimeType, words)], await newSession()))).toEqual([
    `x://a:\n${words}`,
  ]);
  expect(
    textsOf(await resourceContents([{ uri: 'x://a', mimeType, blob: base64(words) }], await newSession())),
  ).toEqual([`x://a:\n${words}`]);
});

test('bytes that are no text, whatever their type claims, are saved', async () => {
  const [said] = textsOf(
    await contentBlocks([resource('x://a', 'text/plain', Uint8Array.of(0xff, 0xfe, 0xfd))], await newSession()),
  );
  expect(said).toContain('3 bytes, text/plain, saved to');
});

test('an image in a resource is an image, and a large one is scaled', async () => {
  const png = await sharp({ create: { width: 3_000, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const noise = await sharp({
    create: {
      width: 2_000,
      height: 2_000,
      channels: 3,
      background: 'red',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer();
  const [small, large] = await contentBlocks(
    [
      resource('x://pixel', 'application/octet-stream', png),
      { type: 'image', mimeType: 'image/png', data: base64(noise) },
    ],
    await newSession(),
  );
  expect(small).toMatchObject({ type: 'image', source: { media_type: 'image/png' } });
  if (large?.type !== 'image') throw new Error('no image');
  expect(large.source.data.length).toBeLessThan(base64(noise).length / 2);
});

test('a part for the user alone is shown and not sent; one for the assistant alone is sent and shown', async () => {
  const { blocks, shown } = await resultBlocks(
    [text('for both'), text('for you', { audience: ['user'] }), text('for the model', { audience: ['assistant'] })],
    await newSession(),
    1_000,
  );
  expect(textsOf(blocks)).toEqual(['for both', 'for the model']);
  expect(textsOf(shown)).toEqual(['for both', 'for you', 'for the model']);
});

test('if a result is too long, its parts of the lowest priority go to files, as few as are needed', async () => {
  const long = (letter: string, priority?: number) => text(letter.repeat(2_000), { priority });
  const content = [long('a', 0.2), long('b', 1), long('c', 0.1), long('d'), long('e', 0.4)];
  const { blocks, shown } = await resultBlocks(content, await newSession(), 7_000);
  const said = textsOf(blocks);
  expect(said.map((words) => words[0])).toEqual(['(', 'b', '(', 'd', 'e']);
  expect(said[2]).toMatch(/^\(A part of low priority, 2000 characters, is in \S+\.\)$/);
  const file = /is in (\S+)\.\)$/.exec(said[0] ?? '')?.[1] ?? '';
  expect(await readFile(file, 'utf8')).toMatch(/^[ac]+$/);
  expect(textsOf(shown).map((words) => words[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(textsOf((await resultBlocks(content, await newSession(), 100_000)).blocks)).toEqual(textsOf(shown));
});

test('of too many links, those of the highest priority stay, in the order of the server', async () => {
  const links = Array.from({ length: 60 }, (_, n) => ({
    type: 'resource_link',
    uri: `x://${n}`,
    name: `n${n}`,
    size: n,
    annotations: { priority: n < 10 ? 0 : 0.9 },
  }));
  const said = textsOf(await contentBlocks(links, await newSession()));
  expect(said).toHaveLength(51);
  expect(said[0]).toBe('Resource x://10 (n10, 10 bytes)');
  expect(said.at(-1)).toBe('(10 more resources were left out.)');
});

test('a result of very many parts is few blocks and few files', async () => {
  const sound = () => ({ type: 'audio', mimeType: 'audio/wav', data: base64('RIFF') });
  const { blocks } = await resultBlocks(
    [...Array.from({ length: 500 }, (_, n) => text(`line ${n}`)), ...Array.from({ length: 500 }, sound)],
    await newSession(),
    1e6,
  );
  const [said = '', ...more] = textsOf(blocks);
  expect(more).toEqual([]);
  expect(said).toMatch(/^line 0\nline 1\n/);
  expect(said.match(/saved to/g)).toHaveLength(100);
  expect(said).toMatch(/\(400 more files were left out\.\)$/);
  const blobs = Array.from({ length: 150 }, (_, n) => ({ uri: `x://${n}`, mimeType: 'a/b', blob: base64('\0') }));
  expect(textsOf(await resourceContents(blobs, await newSession())).join()).toContain('50 more files were left out');
});
