import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FailureKind } from '../../contract/failure.js';
import { toolTable } from '../../tools/index.js';
import { compare } from './compare.js';
import { renamed, renamedIn } from './rename.js';
import { volatileParts, withoutVolatile } from './volatile-parts.js';

const traitsOf = (tool: string) => toolTable().traits.get(tool) ?? {};

test.each(volatileParts.map((part) => [part.by, part] as const))('recognises the volatile part of %s', (_by, part) => {
  const tool = part.in === 'commands' ? 'Bash' : 'Edit';
  const { text, found } = withoutVolatile(part.example, traitsOf(tool));
  expect(found).toContain(part.what);
  expect(text).toContain(`<${part.what}>`);
  expect(withoutVolatile(part.example, traitsOf('Read'))).toEqual({ text: part.example, found: [] });
});

test.each(volatileParts.map((part) => [part.by, part] as const))('the documentation names %s', async (_by, part) => {
  const documented = await readFile('docs/replay.md', 'utf8');
  expect(documented).toContain(`| ${part.what} | ${part.by} | \`${part.example}\` |`);
});

test.each([
  'took 12ms',
  'timeout (30s) reached',
  'version 1.2s',
  'found in 3 files',
  '3 passed in total',
  'PORT 8080',
  '[1] 12 apples',
  'ok 1 - adds up',
  'Time: 12:30',
  '/tmp/tmp.conf',
])('does not treat "%s" as volatile', (text) => {
  expect(withoutVolatile(text, traitsOf('Bash'))).toEqual({ text, found: [] });
});

const played = (
  recorded: string,
  now: string,
  facts: { tool?: string; before?: FailureKind; failure?: FailureKind; isError?: boolean; input?: unknown } = {},
) => ({
  call: {
    id: 'call_1',
    began: true,
    tool: facts.tool ?? 'Bash',
    input: facts.input ?? { command: 'x' },
    result: { content: recorded, ...(facts.before && { is_error: true }) },
    ...(facts.before && { failure: facts.before }),
  },
  now: {
    result: { content: now, ...((facts.failure || facts.isError) && { is_error: true }) },
    failure: facts.failure,
  },
});

test('equal texts are equal, and a failure differs from a success with the same text', () => {
  expect(compare(played('a', 'a'))).toEqual({ verdict: 'same' });
  expect(compare(played('a', 'a', { isError: true }))).toMatchObject({ verdict: 'different', now: '(failed)\na' });
});

test('a difference is shown as a patch from the recorded result to the new one', () => {
  expect(compare(played('one\ntwo', 'one\n2'))).toEqual({
    verdict: 'different',
    recorded: 'one\ntwo',
    now: 'one\n2',
    diff: '--- recorded\n+++ now\n@@ -1,2 +1,2 @@\n one\n-two\n+2',
  });
});

test('a duration does not count, unless the comparison is strict or something else differs as well', () => {
  expect(compare(played('✔ adds (1.5ms)', '✔ adds (22ms)'))).toEqual({ verdict: 'alike', butFor: ['duration'] });
  expect(compare(played('✔ adds (1.5ms)', '✔ adds (22ms)'), { strict: true })).toMatchObject({ verdict: 'different' });
  expect(compare(played('✔ adds (1.5ms)', '✖ adds (22ms)'))).toMatchObject({ verdict: 'different' });
  expect(compare(played('✔ adds (1.5ms)', '✔ adds (22ms)', { tool: 'Read' }))).toMatchObject({ verdict: 'different' });
});

test('a listing is compared by its files, not by dates, widths and sizes of folders', () => {
  const recorded = `total 16
drwxr-xr-x 3 me me 4096 Nov 15 14:41 .
drwx------ 5 me me 4096 Nov 15 14:41 ..
-rw-r--r-- 1 me me    6 Nov 15 14:41 a.txt`;
  const listing = (file: string) => `total 4
drwxr-xr-x 3 me me   60 Nov 16 09:12 .
drwx------ 11 me me 120 Nov 16 09:12 ..
${file}`;
  const same = played(recorded, listing('-rw-r--r--  1 me me   6 Nov 16  2025 a.txt'));
  expect(compare(same)).toEqual({ verdict: 'alike', butFor: ['details of a listing'] });
  for (const other of ['-rw-r--r-- 1 me me 7 Nov 15 14:41 a.txt', '-rwxr-xr-x 1 me me 6 Nov 15 14:41 a.txt']) {
    expect(compare(played(recorded, listing(other)))).toMatchObject({ verdict: 'different' });
  }
});

test('two refusals are equal with any text, and a refusal differs from a failure of another kind', () => {
  const denied = { before: 'permission_denied', failure: 'permission_denied' } as const;
  expect(compare(played('no one is here', 'the user said no', denied))).toEqual({ verdict: 'same' });
  const other = { before: 'permission_denied', failure: 'exception' } as const;
  expect(compare(played('no one is here', 'it broke', other))).toMatchObject({ verdict: 'different' });
});

test('an unreadable input counts as equal to its placeholder', () => {
  const invalid = { before: 'invalid_input', failure: 'invalid_input' } as const;
  expect(compare(played('not JSON', 'command is missing', { ...invalid, input: {} }))).toEqual({ verdict: 'same' });
  expect(compare(played('a', 'b', { ...invalid, input: { command: 5 } }))).toMatchObject({ verdict: 'different' });
});

test('images are compared by content', () => {
  const image = (data: string) => ({
    content: [{ type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data } }],
  });
  const both = (one: string, other: string) => ({
    call: { id: 'x', tool: 'Read', input: {}, result: image(one), began: true },
    now: { result: image(other) },
  });
  expect(compare(both('AAAA', 'AAAA'))).toEqual({ verdict: 'same' });
  expect(compare(both('AAAA', 'AAAB'))).toMatchObject({ verdict: 'different' });
});

test('only whole names are renamed', () => {
  const names = [{ from: '/home/me/shop', to: '/tmp/x/shop' }];
  const text = '/home/me/shop /home/me/shop/a.txt "/home/me/shop" in /home/me/shop. file:///home/me/shop/b';
  expect(renamed(text, names)).toBe('/tmp/x/shop /tmp/x/shop/a.txt "/tmp/x/shop" in /tmp/x/shop. file:///tmp/x/shop/b');
  const others = '/home/me/shop2 /home/me/shop.old /home/me/shop-a /backup/home/me/shop';
  expect(renamed(others, names)).toBe(others);
});

test('the longer of two names is replaced first, and names may contain special characters of patterns', () => {
  const names = [
    { from: '/a', to: '/x' },
    { from: '/a/b', to: '/y' },
    { from: '/c++ (1)', to: '/z' },
  ];
  expect(renamed('/a/b/c /a/c /c++ (1)/d', names)).toBe('/y/c /x/c /z/d');
  expect(renamed('/a', [])).toBe('/a');
});

test('texts at any depth of a value are renamed, and everything else is kept', () => {
  const names = [{ from: '/a', to: '/x' }];
  const value = { path: '/a/b', edits: [{ text: 'in /a' }, 5, null, true] };
  expect(renamedIn(value, names)).toEqual({ path: '/x/b', edits: [{ text: 'in /x' }, 5, null, true] });
});

test('renaming can be reversed', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      const [from, to] = ['/home/me/shop', '/tmp/helve-replay-1/shop'];
      const text = words.map((each) => `${from}/${each} ${each}`).join('\n');
      expect(renamed(renamed(text, [{ from, to }]), [{ from: to, to: from }])).toBe(text);
    }),
  );
});
