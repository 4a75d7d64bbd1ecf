import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSchemaIssues, jsonSchemaProblem } from '../../platform/json-schema.js';
import { repairSchema, withServerNames } from './repair-schema.js';

const repaired = (sent: unknown) => {
  const result = repairSchema(sent);
  if ('hopeless' in result) throw new Error(result.hopeless);
  return result;
};

test('a good schema stays as it is', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', minLength: 1 }, b: { $ref: '#/$defs/b' } },
    required: ['a'],
    additionalProperties: false,
    $defs: { b: { type: 'integer' } },
  };
  expect(repaired(schema).schema).toEqual(schema);
});

test('a schema of JSON Schema 2020-12 is usable; what is not sent on of it is left to the server', async () => {
  const { schema } = repaired({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
      id: { $ref: '#/$defs/id' },
      part: { type: 'object', dependentRequired: { a: ['b'] }, unevaluatedProperties: false },
      tree: { $dynamicRef: '#node' },
    },
    $defs: { id: { type: 'string', pattern: '^[a-z]+$' }, tree: { $dynamicAnchor: 'node', type: 'object' } },
  });
  expect(await jsonSchemaIssues(schema, { pair: ['x', 1], id: 'ab', part: { a: 1, b: 2 }, tree: {} })).toEqual([]);
  expect(await jsonSchemaIssues(schema, { pair: ['x', 1, 2] })).not.toEqual([]);
  expect(await jsonSchemaIssues(schema, { id: 'A1' })).not.toEqual([]);
});

test('a tool without a schema takes an object', () => {
  expect(repaired(undefined).schema).toEqual({ type: 'object', properties: {} });
  expect(repaired({}).schema).toEqual({ type: 'object', properties: {} });
  expect(repaired({ properties: { a: {} } }).schema).toMatchObject({ type: 'object' });
});

test.each([
  ['a list', []],
  ['a text', 'object'],
  ['a schema of texts', { type: 'string' }],
  ['alternatives without an object', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
])('%s is unusable, with the reason', (_, sent) => {
  expect(repairSchema(sent)).toHaveProperty('hopeless');
});

test('alternatives at the top become one object, with a sentence on the lost constraints', async () => {
  const { schema, note } = repaired({
    oneOf: [
      { type: 'object', properties: { id: { type: 'string' }, deep: { type: 'boolean' } }, required: ['id'] },
      { type: 'object', properties: { url: { type: 'string' }, id: { type: 'integer' } }, required: ['url'] },
    ],
  });
  expect(Object.keys(schema)).not.toContain('oneOf');
  expect(Object.keys(schema['properties'] as object)).toEqual(['id', 'deep', 'url']);
  expect(note).toBe('The input is one of several forms: give (id) or (url).');
  expect(await jsonSchemaIssues(schema, { id: 5 })).toEqual([]);
  expect(await jsonSchemaIssues(schema, { id: true })).not.toEqual([]);
});

test('a property that every alternative requires stays required', () => {
  const either = (name: string) => ({ properties: { kind: {}, [name]: {} }, required: ['kind', name] });
  expect(repaired({ type: 'object', anyOf: [either('a'), either('b')] }).schema['required']).toEqual(['kind']);
});

test('allOf is merged, through references', () => {
  const { schema, note } = repaired({
    allOf: [{ $ref: '#/definitions/base' }, { properties: { b: { type: 'number' } }, required: ['b'] }],
    definitions: { base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
  });
  expect(schema).toMatchObject({ properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a', 'b'] });
  expect(note).toBeUndefined();
});

test('an unresolved reference in a schema allows anything', async () => {
  const { schema } = repaired({ properties: { a: { $ref: '#/$defs/gone' }, b: { $ref: 'https://example.com/x' } } });
  expect(await jsonSchemaProblem(schema)).toBeUndefined();
  expect(await jsonSchemaIssues(schema, { a: 1, b: [] })).toEqual([]);
});

test('odd property names are replaced, and restored in an input', () => {
  const { schema, renamed } = repaired({
    type: 'object',
    properties: { $filter: { type: 'string' }, 'a b': { type: 'array', items: { properties: { 'c[]': {} } } } },
    required: ['$filter'],
  });
  const [filter, list] = Object.keys(schema['properties'] as object);
  expect([filter, list].every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(String(name)))).toBe(true);
  expect(schema['required']).toEqual([filter]);
  const inner = [...renamed].find(([, original]) => original === 'c[]')?.[0];
  const input = { [String(filter)]: 'x', [String(list)]: [{ [String(inner)]: 1 }], other: 2 };
  expect(withServerNames(input, renamed)).toEqual({ $filter: 'x', 'a b': [{ 'c[]': 1 }], other: 2 });
});

test('descriptions in a schema contain no hidden text', () => {
  const { schema } = repaired({ properties: { a: { description: 'safe\u200b\u{e0041}\u202e' } } });
  expect(JSON.stringify(schema)).toContain('safe\\\\u{200b}\\\\u{e0041}\\\\u202e');
});

test('older and sloppy forms are accepted', async () => {
  const { schema } = repaired({
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: 'x',
    properties: {
      a: { type: 'int', minimum: 1, exclusiveMinimum: true, required: true },
      b: { type: 'any' },
      c: { type: 'string', pattern: '(?<x' },
      d: { type: 'array', items: [{ type: 'str' }], additionalItems: false },
      e: { type: 'string', nullable: true },
      f: 'string',
    },
    required: 'a',
  });
  expect(await jsonSchemaProblem(schema)).toBeUndefined();
  expect(await jsonSchemaIssues(schema, { a: 2, b: {}, c: 'x', d: ['y'], e: null, f: 1 })).toEqual([]);
  expect(await jsonSchemaIssues(schema, { a: 1 })).not.toEqual([]);
});

test('any input is unusable, or becomes a schema that compiles and has only names that providers accept', async () => {
  const keyword = fc.constantFrom(
    ...'type properties required items anyOf oneOf allOf $ref enum pattern minimum additionalProperties $defs not'.split(
      ' ',
    ),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('object', 'string', '#/$defs/a', '#', '(', 1, -1, true, false, null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', 'a b', '$x')), tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  await fc.assert(
    fc.asyncProperty(value, async (sent) => {
      const result = repairSchema(sent);
      if ('hopeless' in result) return;
      expect(result.schema['type']).toBe('object');
      for (const name of ['anyOf', 'oneOf', 'allOf']) expect(result.schema).not.toHaveProperty(name);
      expect(await jsonSchemaProblem(result.schema)).toBeUndefined();
      for (const name of Object.keys(result.schema['properties'] as object)) expect(name).toMatch(/^[\w.-]{1,64}$/);
    }),
    { numRuns: 150 },
  );
});
