import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFrontMatter } from './front-matter.js';

test('separates fields and body', async () => {
  expect(await readFrontMatter('---\nname: tidy\ntools: [Read, Grep]\nlimit: 3\n---\n\nTidy up.\n')).toEqual({
    fields: { name: 'tidy', tools: ['Read', 'Grep'], limit: 3 },
    body: '\nTidy up.\n',
  });
});

test.each([
  ['a text without front matter', 'Just words.\n---\nnot: fields\n---\n'],
  ['an empty text', ''],
  ['a rule of dashes that is longer', '----\na: 1\n----\n'],
  ['dashes below the first line', '\n---\na: 1\n---\n'],
])('returns %s unchanged', async (_, text) => {
  expect(await readFrontMatter(text)).toEqual({ fields: {}, body: text });
});

test('accepts a byte order mark and CRLF', async () => {
  expect(await readFrontMatter('\uFEFF---\r\nname: tidy\r\n---  \r\nOne.\r\n---\r\n')).toEqual({
    fields: { name: 'tidy' },
    body: 'One.\r\n---\r\n',
  });
});

test.each([
  ['---\n---\nx', 'x'],
  ['---\n# nothing\n---', ''],
])('reads empty front matter as no fields', async (text, body) => {
  expect(await readFrontMatter(text)).toEqual({ fields: {}, body });
});

test('accepts sentences without quotes', async () => {
  const text = '---\ndescription: Use it for one thing: this\nargument-hint: [file] [tone]\nmodel: small\n---\n';
  expect((await readFrontMatter(text)).fields).toEqual({
    description: 'Use it for one thing: this',
    'argument-hint': '[file] [tone]',
    model: 'small',
  });
});

test.each([
  ['---\nname: x\n', 'line 1: the front matter has no end.'],
  ['---\nname: x\ntools: a: b\n---\n', 'line 3: the front matter is not valid YAML'],
  ['---\ntools: [Read\n---\n', 'the front matter is not valid YAML'],
  ['---\nname: a\nname: b\n---\n', 'line 3: the front matter is not valid YAML: Map keys must be unique.'],
  ['---\nname: !made-up x\n---\n', 'line 2: the front matter is not valid YAML: Unresolved tag: !made-up.'],
  ['---\nname: !!binary aGVsbG8=\n---\n', 'line 2: the front matter is not valid YAML: Unresolved tag'],
  ['---\na: 1\n...\nb: 2\n---\n', 'the front matter is not valid YAML'],
  ['---\na: &a [1, 1]\nb: [*a, *a]\n---\n', 'an alias'],
  ['---\na: &a [*a]\n---\n', 'an alias'],
  ['---\n- a\n---\n', 'line 2: the front matter is not made of "name: value" lines.'],
  ['---\nwords\n---\n', 'line 2: the front matter is not made of "name: value" lines.'],
  [`---\na: ${'x'.repeat(100_001)}\n---\n`, 'at most 100000 are read'],
])('reports the problem with %j', async (text, sentence) => {
  await expect(readFrontMatter(text)).rejects.toThrow(sentence);
});

test('reads plain words like a YAML parser', async () => {
  const { parse } = await import('yaml');
  const word = fc.stringMatching(/^[A-Za-z0-9 .,;()/'_-]{0,12}$/);
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/), word), async (fields) => {
      const written = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
      const expected: unknown = await Promise.resolve(written.join(''))
        .then((yaml) => parse(yaml))
        .catch(() => undefined);
      if (expected === undefined) return; // not valid, which is another test's affair
      const read = await readFrontMatter(`---\n${written.join('')}---\n`);
      expect(read.fields).toEqual(expected ?? {});
    }),
    { numRuns: 500 },
  );
});

test('reads back any fields that were written as JSON, and any body', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string()),
      fc.string(),
      async (fields, body) => {
        const written = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
        const read = await readFrontMatter(`---\n${written.join('')}---\n${body}`);
        expect(read).toEqual({ fields: { ...fields }, body });
      },
    ),
  );
});
