import { expect, test } from 'vitest';
import { jsonSchemaIssues } from './json-schema.js';

const schema = {
  type: 'object',
  properties: { count: { type: 'integer' }, name: { type: 'string', format: 'made-up' } },
  required: ['count'],
  additionalProperties: false,
};

test('accepts valid input, for any format that the schema names', async () => {
  expect(await jsonSchemaIssues(schema, { count: 1, name: 'x' })).toEqual([]);
});

test('names each invalid field', async () => {
  expect(await jsonSchemaIssues(schema, { count: 'one', other: 1 })).toEqual([
    { path: '', message: 'must NOT have additional properties: "other"', unknown: ['other'] },
    { path: 'count', message: 'must be integer, but was "one"' },
  ]);
});

test('supports the older drafts that servers still send', async () => {
  const draft7 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
  expect(await jsonSchemaIssues(draft7, {})).toEqual([{ path: '', message: "must have required property 'count'" }]);
});

test('accepts any input if a schema cannot be compiled', async () => {
  expect(await jsonSchemaIssues({ type: 'object', properties: { a: { pattern: '(?i)x' } } }, { a: 1 })).toEqual([]);
});

test('input on which a pattern would run forever is invalid', async () => {
  const evil = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' } } };
  expect(await jsonSchemaIssues(evil, { name: 'aaa' })).toEqual([]);
  expect(await jsonSchemaIssues(evil, { name: `${'a'.repeat(60)}!` })).toEqual([
    { path: 'name', message: expect.stringMatching(/^must match pattern "\^\(a\+\)\+\$", but was "a{60}!"$/) },
  ]);
});

test('checks each field against its own pattern', async () => {
  const field = (pattern: string) => ({ type: 'string', pattern });
  const two = {
    type: 'object',
    properties: { a: field('^a+$'), b: field('^b+$') },
    patternProperties: { '^c': field('d') },
  };
  expect(await jsonSchemaIssues(two, { a: 'a', b: 'b', c: 'd' })).toEqual([]);
  const issues = await jsonSchemaIssues(two, { a: 'b', b: 'a', c: 'c' });
  expect(issues.map(({ path }) => path).toSorted()).toEqual(['a', 'b', 'c']);
});

test('names the allowed values, and the actual one', async () => {
  const choice = {
    type: 'object',
    properties: { size: { enum: ['small', 'large'] }, kind: { const: 'box' }, age: { type: 'integer', minimum: 0 } },
  };
  expect(await jsonSchemaIssues(choice, { size: 'huge', kind: 'bag', age: -1 })).toEqual([
    { path: 'size', message: 'must be one of "small", "large", but was "huge"' },
    { path: 'kind', message: 'must be "box", but was "bag"' },
    { path: 'age', message: 'must be >= 0, but was -1' },
  ]);
});
