import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../contract/tool.js';
import { jsonSchemaIssues } from '../../platform/json-schema.js';
import { chatViolations } from '../../testing/chat-violations.js';
import { builtInTools } from '../../tools/index.js';
import { quirksOf } from './chat/quirks.js';
import { levelSchema, type SchemaLimits } from './tool-schema.js';

const string = { type: 'string' };
const number = { type: 'number' };
const none: SchemaLimits = { strict: false };

test('keeps a supported schema unchanged, except for the name of its dialect', () => {
  const schema = { type: 'object', properties: { '-A': number }, $defs: { a: { const: 1 } }, oneOf: [{}] };
  const levelled = levelSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }, none);
  expect(levelled).toMatchObject({ schema, strict: false, renames: false });
  expect(levelled.fromWire({ '-A': 1 })).toEqual({ '-A': 1 });
});

test.each<[string, Partial<SchemaLimits>, object, object]>([
  ['a constant', { constAsEnum: true }, { const: 'a' }, { enum: ['a'] }],
  ['alternatives', { oneOfAsAnyOf: true }, { oneOf: [string, number] }, { anyOf: [string, number] }],
  [
    'a tuple',
    { tuplesAsArrays: true },
    { type: 'array', prefixItems: [string, number, string] },
    { type: 'array', items: { anyOf: [string, number] } },
  ],
  [
    'a tuple of one kind in the older words',
    { tuplesAsArrays: true },
    { type: 'array', items: [number, number], additionalItems: false },
    { type: 'array', items: number },
  ],
  [
    'a schema in parts',
    { mergeAllOf: true },
    {
      description: 'Both',
      properties: { c: string },
      required: ['c'],
      allOf: [
        { type: 'object', properties: { a: string }, required: ['a'], description: 'A' },
        { properties: { b: number, c: number } },
      ],
    },
    { type: 'object', description: 'Both', properties: { a: string, b: number, c: string }, required: ['a', 'c'] },
  ],
  ['an enumeration', { plainEnums: true }, { enum: ['a', null, true, 1] }, { enum: ['a', 1] }],
  ['a constant that is not a text', { constAsEnum: true, plainEnums: true }, { const: true }, {}],
  ['a keyword', { drop: ['propertyNames'] }, { type: 'object', propertyNames: string }, { type: 'object' }],
  [
    'a reference',
    { inlineRefs: true },
    { $defs: { 'a/b': string }, properties: { x: { $ref: '#/$defs/a~1b', description: 'X' } } },
    { properties: { x: { type: 'string', description: 'X' } } },
  ],
  [
    'a reference to what holds it',
    { inlineRefs: true },
    { $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } } }, $ref: '#/$defs/tree' },
    { type: 'object', properties: { left: {} } },
  ],
  ['a reference to another document', { inlineRefs: true }, { $ref: 'https://example.org/x' }, {}],
])('rewrites %s, at the top level and in nested schemas', (_, limits, schema, expected) => {
  expect(levelSchema({ ...schema }, { ...none, ...limits }).schema).toEqual(expected);
  if ('$defs' in schema) return; // references are resolved from the top
  const inside = levelSchema({ properties: { a: { items: schema } }, anyOf: [schema] }, { ...none, ...limits }).schema;
  expect(inside).toEqual({ properties: { a: { items: expected } }, anyOf: [expected] });
});

test('a part of a schema may be a reference', () => {
  const schema = { $defs: { a: { type: 'object', properties: { x: string } } }, allOf: [{ $ref: '#/$defs/a' }] };
  const { schema: levelled } = levelSchema(schema, { ...none, mergeAllOf: true, inlineRefs: true });
  expect(levelled).toEqual({ type: 'object', properties: { x: string } });
});

test('limits the expansion of references that double at every step', () => {
  const steps = Array.from({ length: 40 }, (_, at) => [
    `s${at}`,
    { properties: { a: { $ref: `#/$defs/s${at + 1}` }, b: { $ref: `#/$defs/s${at + 1}` } } },
  ]);
  const schema = { $defs: Object.fromEntries(steps), $ref: '#/$defs/s0' };
  expect(JSON.stringify(levelSchema(schema, { ...none, inlineRefs: true }).schema).length).toBeLessThan(200_000);
});

test('makes optional properties nullable, and all of them required, for strict mode', () => {
  const { schema, strict } = levelSchema(
    {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Where' },
        limit: { type: 'integer', minimum: 1, default: 5 },
        mode: { type: 'string', enum: ['a', 'b'] },
        either: { anyOf: [string, number] },
        deep: { type: 'object', properties: { x: number } },
        list: { type: 'array', items: { type: 'object', properties: { y: string }, required: ['y'] } },
      },
      required: ['path', 'list'],
    },
    { strict: true },
  );
  expect(strict).toBe(true);
  expect(schema).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where' },
      limit: { type: ['integer', 'null'] },
      mode: { type: ['string', 'null'], enum: ['a', 'b', null] },
      either: { anyOf: [string, number, { type: 'null' }] },
      deep: {
        type: ['object', 'null'],
        properties: { x: { type: ['number', 'null'] } },
        required: ['x'],
        additionalProperties: false,
      },
      list: {
        type: 'array',
        items: { type: 'object', properties: { y: string }, required: ['y'], additionalProperties: false },
      },
    },
    required: ['path', 'limit', 'mode', 'either', 'deep', 'list'],
    additionalProperties: false,
  });
});

test.each([
  ['free names', { type: 'object', additionalProperties: string }],
  ['no properties named', { type: 'object' }],
  ['anything at all in a place', { type: 'object', properties: { a: {} } }],
  ['a combination', { type: 'object', properties: { a: { allOf: [string] } } }],
  ['a condition inside', { type: 'object', properties: { a: { type: 'array', items: { not: string } } } }],
])('does not use strict mode with %s', (_, schema) => {
  expect(levelSchema(schema, { strict: true })).toMatchObject({ schema, strict: false });
});

test('replaces unusual names by plain ones, and restores them', () => {
  const inner = { type: 'object', properties: { '$x-y': number }, required: ['$x-y'] };
  const { schema, fromWire, toWire, renames } = levelSchema(
    {
      type: 'object',
      properties: { '-A': number, '-a': number, flag_a: number, '2nd': string, '-': string, list: { items: inner } },
      required: ['-A', 'list'],
    },
    { strict: false, plainNames: true },
  );
  expect(renames).toBe(true);
  expect(schema).toEqual({
    type: 'object',
    properties: {
      flag_A: number,
      flag_a_2: number,
      flag_a: number,
      field_2nd: string,
      flag_field: string,
      list: { items: { type: 'object', properties: { x_y: number }, required: ['x_y'] } },
    },
    required: ['flag_A', 'list'],
  });
  const own = { '-A': 1, '-a': 2, flag_a: 3, '2nd': 'x', list: [{ '$x-y': 4 }], other: 5 };
  const wire = { flag_A: 1, flag_a_2: 2, flag_a: 3, field_2nd: 'x', list: [{ x_y: 4 }], other: 5 };
  expect(toWire(own)).toEqual(wire);
  expect(fromWire(wire)).toEqual(own);
  expect(fromWire(own)).toEqual(own); // a model that knows the tool's own names may use them
  expect(fromWire({ '-A': 1, flag_A: 2 })).toEqual({ '-A': 1, flag_A: 2 }); // neither is lost
});

test('a round trip to the wire and back changes nothing', () => {
  const names = fc.constantFrom('-A', '-B', 'a', 'a b', 'b.c', 'flag_A', '1');
  fc.assert(
    fc.property(fc.uniqueArray(names), fc.dictionary(names, fc.jsonValue({ maxDepth: 1 })), (known, input) => {
      const properties = Object.fromEntries(known.map((name) => [name, {}]));
      const { toWire, fromWire } = levelSchema({ type: 'object', properties }, { strict: false, plainNames: true });
      const taken = new Set(Object.keys(input));
      fc.pre(!taken.has('flag_A') || known.includes('flag_A')); // otherwise it is ambiguous which of the two was meant
      expect(fromWire(toWire(input))).toEqual(input);
    }),
  );
});

const providers = ['openai', 'openrouter', 'deepseek', 'qwen', 'glm', 'kimi', 'mistral', 'ollama', 'llamacpp', 'vllm'];

test.each(providers)('writes the schemas of all built-in tools as %s accepts them', (provider) => {
  const limits = quirksOf(provider, 'https://api.openai.com/v1').schema;
  for (const strict of [false, true]) {
    const tools = builtInTools().map(({ name, inputSchema }) => {
      const levelled = levelSchema(inputSchema, { ...limits, strict });
      return { type: 'function', function: { name, parameters: levelled.schema, strict: levelled.strict } };
    });
    expect(chatViolations({ model: 'm', tools, messages: [{ role: 'user', content: 'x' }] })).toEqual([]);
  }
});

test('the tool accepts everything that a strict provider may send, once nulls are removed', async () => {
  const tool = defineTool({
    name: 'Try',
    description: 'Tries.',
    input: z.strictObject({ a: z.string(), b: z.int().optional(), c: z.enum(['x', 'y']).optional() }),
    execute: async () => '',
    toModel: () => '',
  });
  const { schema } = levelSchema(tool.inputSchema, { strict: true });
  const sent = { a: 'a', b: null, c: null };
  expect(await jsonSchemaIssues(schema, sent)).toEqual([]);
  expect(await jsonSchemaIssues(schema, { a: 'a' })).not.toEqual([]);
  expect(tool.accept({ a: 'a' }).ok).toBe(true);
});
