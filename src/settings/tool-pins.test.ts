import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolPins } from './tool-pins.js';

const newFolder = async (): Promise<string> => mkdtemp(join(tmpdir(), 'helve-pins-'));

test('a recorded tool is found by later readers, under its own server only', async () => {
  const folder = await newFolder();
  await toolPins(folder).set('one', 'pay', { hash: 'a', text: 'Pays.' });
  expect(await toolPins(folder).get('one', 'pay')).toEqual({ hash: 'a', text: 'Pays.' });
  expect(await toolPins(folder).get('other', 'pay')).toBeUndefined();
  expect(await toolPins(folder).get('one', 'toString')).toBeUndefined();
});

test('concurrent writes are all kept', async () => {
  const folder = await newFolder();
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  await Promise.all(numbers.map((number) => toolPins(folder).set('s', `t${number}`, { hash: String(number) })));
  for (const number of numbers) expect(await toolPins(folder).get('s', `t${number}`)).toEqual({ hash: String(number) });
});

test('only the user can read the record, and a record that others may write is not used', async () => {
  const folder = await newFolder();
  const file = join(folder, 'mcp-tools.json');
  await toolPins(folder).set('s', 't', { hash: 'a' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await chmod(file, 0o666);
  await expect(toolPins(folder).get('s', 't')).rejects.toThrow(/can't be relied on: other users may write it/);
});

test('a broken record is reported and left alone', async () => {
  const folder = await newFolder();
  const file = join(folder, 'mcp-tools.json');
  await writeFile(file, '{"servers": ', { mode: 0o600 });
  await expect(toolPins(folder).set('s', 't', { hash: 'a' })).rejects.toThrow(/is not valid JSON/);
  expect(await readFile(file, 'utf8')).toBe('{"servers": ');
});
