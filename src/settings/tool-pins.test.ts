import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PinnedServer, PinnedTool, ToolReview } from '../mcp/client/pins.js';
import { toolPins } from './tool-pins.js';

const newFolder = async (): Promise<string> => mkdtemp(join(tmpdir(), 'helve-pins-'));

const server = (name: string): PinnedServer => ({ key: `${name} 0123456789abcdef`, name, source: 'user' });
const pay = server('pay');
const tool = (text: string): PinnedTool => ({ hash: `hash of ${text}`, text });

/** Each review is that of a new process. */
const review = async (
  folder: string,
  tools: Readonly<Record<string, PinnedTool>>,
  { of = pay, acceptsChanges = false } = {},
): Promise<ToolReview> => await toolPins(folder).review(of, new Map(Object.entries(tools)), { acceptsChanges });

const fileIn = async (folder: string): Promise<string> => {
  const [name = ''] = (await readdir(join(folder, 'mcp-tools'))).filter((file) => file.endsWith('.json'));
  return join(folder, 'mcp-tools', name);
};

test('the first list of a server is pinned, and a change of it is noticed before any tool has run', async () => {
  const folder = await newFolder();
  expect(await review(folder, { pay: tool('Pays.'), look: tool('Looks.') })).toEqual({ changed: [], added: [] });
  expect(await review(folder, { pay: tool('Pays me.'), look: tool('Looks.') })).toEqual({
    changed: [{ tool: 'pay', before: tool('Pays.'), after: tool('Pays me.') }],
    added: [],
  });
  expect(await review(folder, { pay: tool('Pays.'), look: tool('Looks.') })).toEqual({ changed: [], added: [] });
});

test('a tool that appears later is reported once, and one that comes back after it was gone is still pinned', async () => {
  const folder = await newFolder();
  await review(folder, { pay: tool('Pays.') });
  expect(await review(folder, { look: tool('Looks.') })).toEqual({ changed: [], added: ['look'] });
  expect(await review(folder, { look: tool('Looks.') })).toEqual({ changed: [], added: [] });
  expect((await review(folder, { pay: tool('Pays me.') })).changed).toMatchObject([{ tool: 'pay' }]);
});

test('pins belong to one server, and tools may be called like members of objects', async () => {
  const folder = await newFolder();
  await review(folder, { pay: tool('Pays.') });
  const of = server('other');
  expect(await review(folder, { pay: tool('Pays me.'), toString: tool('a') }, { of })).toEqual({
    changed: [],
    added: [],
  });
  const odd = JSON.parse('{"__proto__": {"hash": "b"}, "constructor": {"hash": "c"}}');
  expect(await review(folder, odd, { of })).toEqual({ changed: [], added: ['__proto__', 'constructor'] });
  expect((await review(folder, { toString: tool('d') }, { of })).changed).toHaveLength(1);
});

test('changes wait until exactly these are approved', async () => {
  const folder = await newFolder();
  await review(folder, { pay: tool('Pays.'), look: tool('Looks.') });
  await review(folder, { pay: tool('Pays me.'), look: tool('Looks away.') });
  const pins = toolPins(folder);
  const [waiting] = await pins.waiting('pay');
  expect(waiting).toMatchObject({ server: { name: 'pay', source: 'user' } });
  expect(waiting?.changes.map((change) => change.tool)).toEqual(['pay', 'look']);
  expect(await pins.waiting('other')).toEqual([]);
  if (waiting) await pins.approve(waiting.server, waiting.changes.slice(0, 1));
  expect((await pins.waiting()).flatMap(({ changes }) => changes)).toMatchObject([{ tool: 'look' }]);
  // It has changed again since the person saw it.
  expect((await review(folder, { pay: tool('Pays me twice.') })).changed).toMatchObject([
    { tool: 'pay', before: tool('Pays me.') },
  ]);
});

test('changes that were accepted in advance are pinned', async () => {
  const folder = await newFolder();
  await review(folder, { pay: tool('Pays.') });
  expect(await review(folder, { pay: tool('Pays me.') }, { acceptsChanges: true })).toEqual({ changed: [], added: [] });
  expect((await review(folder, { pay: tool('Pays.') })).changed).toHaveLength(1);
});

test('of two processes that see a server for the first time, the second compares with what the first has pinned', async () => {
  const folder = await newFolder();
  const words = Array.from({ length: 12 }, (_, number) => `Pays ${number}.`);
  const reviews = await Promise.all(words.map((word) => review(folder, { pay: tool(word) })));
  expect(reviews.filter(({ changed }) => changed.length === 0)).toHaveLength(1);
  const pinned = words[reviews.findIndex(({ changed }) => changed.length === 0)];
  for (const { changed } of reviews) for (const { before } of changed) expect(before.text).toBe(pinned);
});

test('pins of earlier versions stay valid, and their tools that never ran are pinned without a notice', async () => {
  const folder = await newFolder();
  const servers = { [pay.key]: { pay: tool('Pays.') } };
  await writeFile(join(folder, 'mcp-tools.json'), JSON.stringify({ version: 1, servers }), { mode: 0o600 });
  expect(await review(folder, { pay: tool('Pays me.'), look: tool('Looks.') })).toMatchObject({
    changed: [{ tool: 'pay' }],
    added: [],
  });
  const inProject = { ...pay, key: 'pay fedcba9876543210', legacyKey: pay.key, folder: '/project' };
  expect((await review(folder, { pay: tool('Pays me.') }, { of: inProject })).changed).toHaveLength(1);
});

test('only the user can read the record, and a record that others may write is not used', async () => {
  const folder = await newFolder();
  await review(folder, { pay: tool('Pays.') });
  const file = await fileIn(folder);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await chmod(file, 0o666);
  await expect(review(folder, { pay: tool('Pays.') })).rejects.toThrow(/can't be relied on: other users may write it/);
});

test.each<[string, string, RegExp]>([
  ['that ends too early', '{"server": ', /is not valid JSON/],
  ['without tools', `{"server": ${JSON.stringify(pay)}}`, /has no list of tools/],
  [
    'with a tool without a hash',
    `{"server": ${JSON.stringify(pay)}, "changed": {}, "tools": {"pay": {}}}`,
    /has no hash/,
  ],
  ['of another server', `{"server": ${JSON.stringify(server('x'))}, "changed": {}, "tools": {}}`, /another server/],
])('a record %s is reported and left alone', async (_, content, message) => {
  const folder = await newFolder();
  await review(folder, { pay: tool('Pays.') });
  const file = await fileIn(folder);
  await writeFile(file, content, { mode: 0o600 });
  await expect(review(folder, { pay: tool('Pays me.') })).rejects.toThrow(message);
  expect(await readFile(file, 'utf8')).toBe(content);
});

test('if the record cannot be written, pins apply to the process', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'mcp-tools'), 'a file in the place of the folder');
  const pins = toolPins(folder);
  const seen = (word: string): Promise<ToolReview> =>
    pins.review(pay, new Map([['pay', tool(word)]]), { acceptsChanges: false });
  expect(await seen('Pays.')).toMatchObject({ changed: [], unsaved: expect.any(String) });
  expect((await seen('Pays me.')).changed).toHaveLength(1);
  // And once it can be written again, the pins of this process are those that are kept.
  await rm(join(folder, 'mcp-tools'));
  await mkdir(join(folder, 'mcp-tools'), { mode: 0o700 });
  expect((await seen('Pays me.')).changed).toHaveLength(1);
  expect((await review(folder, { pay: tool('Pays me.') })).changed).toHaveLength(1);
});

test('a server with endless tools is refused, and the text of definitions is bounded', async () => {
  const folder = await newFolder();
  const many = (prefix: string, count: number): Record<string, PinnedTool> =>
    Object.fromEntries(Array.from({ length: count }, (_, number) => [`${prefix}${number}`, { hash: 'h' }]));
  await review(folder, many('a', 10_000));
  await review(folder, many('b', 10_000));
  await expect(review(folder, many('c', 1))).rejects.toThrow('more than 20,000 different tools');

  const of = server('long');
  const long = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`t${n}`, { hash: 'h', text: 'x'.repeat(64_000) }]),
  );
  await review(folder, long, { of });
  const sizes = await Promise.all(
    (await readdir(join(folder, 'mcp-tools'))).map(async (file) => (await stat(join(folder, 'mcp-tools', file))).size),
  );
  expect(Math.max(...sizes)).toBeLessThan(4_100_000);
});

test('records of servers that have not changed for longest are removed', async () => {
  const folder = await newFolder();
  const records = join(folder, 'mcp-tools');
  await mkdir(records, { mode: 0o700 });
  for (let number = 0; number < 502; number += 1) {
    await writeFile(join(records, `s${number}.json`), '{}');
    await utimes(join(records, `s${number}.json`), number, number);
  }
  await review(folder, { pay: tool('Pays.') });
  const kept = (await readdir(records)).filter((file) => file.endsWith('.json'));
  expect(kept).toHaveLength(500);
  expect(kept).toContain('pay-0123456789abcdef.json');
  expect(kept).not.toContain('s2.json');
  expect(kept).toContain('s3.json');
});
