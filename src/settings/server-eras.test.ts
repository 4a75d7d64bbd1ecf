import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KnownEra } from '../mcp/client/eras.js';
import { serverEras } from './server-eras.js';

const newFolder = async (): Promise<string> => mkdtemp(join(tmpdir(), 'helve-eras-'));
const modern: KnownEra = { era: 'modern', versions: ['2026-07-28'], capabilities: { tools: {} } };
const DAY_MS = 24 * 60 * 60_000;

test('a known era is found by later readers, in a file of the user alone', async () => {
  const folder = await newFolder();
  await serverEras(folder).set('one', modern);
  await serverEras(folder).set('two', { era: 'legacy' });
  expect(await serverEras(folder).get('one')).toEqual(modern);
  expect(await serverEras(folder).get('two')).toEqual({ era: 'legacy' });
  expect(await serverEras(folder).get('__proto__')).toBeUndefined();
  expect((await stat(join(folder, 'mcp-eras.json'))).mode & 0o777).toBe(0o600);
});

test('an old era is asked about again after a week, although it was confirmed in between', async () => {
  const folder = await newFolder();
  let day = 0;
  const eras = serverEras(folder, () => day * DAY_MS);
  await eras.set('one', { era: 'legacy' });
  await eras.set('two', modern);
  day = 6;
  await eras.set('one', { era: 'legacy' });
  expect(await eras.get('one')).toEqual({ era: 'legacy' });
  day = 8;
  expect(await eras.get('one')).toBeUndefined();
  expect(await eras.get('two')).toEqual(modern);
});

test('an era that is forgotten is gone, and others stay', async () => {
  const eras = serverEras(await newFolder());
  await eras.set('one', modern);
  await eras.set('two', modern);
  await eras.forget('one');
  expect(await eras.get('one')).toBeUndefined();
  expect(await eras.get('two')).toEqual(modern);
});

test.each([
  '',
  '[]',
  'null',
  '{"servers": 5}',
  '{"servers": {"one": {"era": "modern", "at": "today"}}}',
  '{"servers": {"one": {"era": "new", "at": 1}}}',
])('the file %j counts as empty, and is replaced', async (text) => {
  const folder = await newFolder();
  await writeFile(join(folder, 'mcp-eras.json'), text, { mode: 0o600 });
  expect(await serverEras(folder).get('one')).toBeUndefined();
  await serverEras(folder).set('one', modern);
  expect(await serverEras(folder).get('one')).toEqual(modern);
});

test('the file is bounded: too much about one server is not kept, and of too many servers the last', async () => {
  const folder = await newFolder();
  const file = join(folder, 'mcp-eras.json');
  const servers = Object.fromEntries(
    Array.from({ length: 700 }, (_, number) => [`s${number}`, { era: 'legacy', at: Date.now() }]),
  );
  await writeFile(file, JSON.stringify({ version: 1, servers }), { mode: 0o600 });
  const eras = serverEras(folder);
  await eras.set('huge', { ...modern, capabilities: { x: 'x'.repeat(100_000) } });
  expect(await eras.get('huge')).toBeUndefined();
  await eras.set('one', modern);
  const kept = Object.keys(JSON.parse(await readFile(file, 'utf8')).servers);
  expect(kept).toHaveLength(500);
  expect(kept.at(-1)).toBe('one');
});
