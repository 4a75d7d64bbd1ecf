import { expect, test } from 'vitest';
import { jsonSchemaIssues } from './json-schema.js';

const schema = {
  type: 'object',
  properties: { count: { type: 'integer' }, name: { type: 'string', format: 'made-up' } },
  required: ['count'],
  additionalProperties: false,
};

test('accepts an input that fits, whatever formats the schema names', async () => {
  expect(await jsonSchemaIssues(schema, { count: 1, name: 'x' })).toEqual([]);
});

test('names each field that does not fit', async () => {
  expect(await jsonSchemaIssues(schema, { count: 'one', other: 1 })).toEqual([
    { path: '', message: 'must NOT have additional properties: "other"' },
    { path: 'count', message: 'must be integer' },
  ]);
});

test('understands the older drafts that servers still send', async () => {
  const draft7 = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
  expect(await jsonSchemaIssues(draft7, {})).toEqual([{ path: '', message: "must have required property 'count'" }]);
});

test('lets everything through a schema that can not be compiled', async () => {
  expect(await jsonSchemaIssues({ type: 'object', properties: { a: { pattern: '(?i)x' } } }, { a: 1 })).toEqual([]);
});
