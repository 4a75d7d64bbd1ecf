import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from './define-tool.js';

const parts = { name: 'Count', description: 'Counts.', execute: async () => 1, toModel: String };

const define = (spec: object) => (): unknown => Reflect.apply(defineTool, undefined, [spec]);

test.each([
  [
    { ...parts, input: z.object({}), efects: () => [] },
    'has "efects", which is not a part of a tool. Did you mean effects?',
  ],
  [{ ...parts, inputSchema: z.object({}) }, 'Did you mean input, with a zod schema, or inputJsonSchema?'],
  [{ ...parts, input: z.object({}), handler() {} }, 'Did you mean execute?'],
  [{ ...parts, input: z.object({}), colour: 'red' }, 'It has: name, title, about, description'],
  [{ ...parts, input: z.object({}), inputJsonSchema: { type: 'object' } }, 'has both input and inputJsonSchema'],
  [{ ...parts, input: z.object({}), isEnabled: false }, 'isEnabled of the tool Count must be a function'],
  [{ ...parts, input: { a: z.string() } }, 'is a plain object of zod schemas. Wrap it: z.object({ … }).'],
  [{ ...parts, inputSchema: { a: z.string() } }, 'Wrap it: input: z.object({ … }).'],
  [{ ...parts, input: { type: 'object' } }, 'is not a zod schema. Give a JSON Schema as inputJsonSchema.'],
  [{ ...parts, input: z.string() }, 'must be an object, but its "type" is "string"'],
  [{ ...parts, inputJsonSchema: z.object({}) }, 'is a zod schema. Give it as input.'],
  [{ ...parts, inputJsonSchema: { a: z.string() } }, 'Wrap it: z.object({ … }), as input.'],
  [{ ...parts, inputJsonSchema: 'object' }, 'must be an object, but was "object"'],
  [
    { ...parts, inputJsonSchema: { type: 'strng' } },
    'type must be one of array, boolean, integer, null, number, object, string, but was "strng"',
  ],
  [{ ...parts, inputJsonSchema: { type: 'array' } }, 'must describe an object, but its "type" is "array"'],
  [
    { ...parts, inputJsonSchema: { type: 'object', properties: { a: { type: 'text' } } } },
    'inputJsonSchema of the tool Count is not a valid JSON Schema: properties.a.type must be one of',
  ],
  [{ ...parts, inputJsonSchema: { type: 'object', required: 'a' } }, 'required must be a list of strings, but was "a"'],
  [{ ...parts, inputJsonSchema: { type: 'object', properties: ['a'] } }, 'properties must be an object of schemas'],
  [
    { ...parts, inputJsonSchema: { type: 'object', properties: { a: { anyOf: [{ enum: 'x' }] } } } },
    'properties.a.anyOf[0].enum must be a list, but was "x"',
  ],
  [
    { ...parts, inputJsonSchema: { type: 'object', properties: { a: { pattern: '(' } } } },
    'properties.a.pattern must be a regular expression, but was "("',
  ],
  [{ ...parts, input: z.object({}), title: 5 }, '"title" of the tool Count must be a string, but was 5.'],
  [{ ...parts, input: z.object({}), about: 5 }, '"about" of the tool Count must be a string, but was 5.'],
  [{ ...parts, input: z.object({}), exposure: 'shown' }, 'must be one of direct, deferred, hidden, but was "shown".'],
  [{ ...parts, input: z.object({}), maxResultChars: '9' }, '"maxResultChars" of the tool Count must be a whole number'],
  [{ ...parts, input: z.object({}), validate: true }, '"validate" of the tool Count must be a function, but was true.'],
  [parts, 'says nothing about its input'],
  [undefined, 'takes an object'],
  [{ ...parts, name: undefined, input: z.object({}) }, 'needs a "name"'],
  [{ ...parts, input: z.object({}), effects: [] }, 'must be a function of its input'],
  [{ ...parts, input: z.object({}), execute: 1 }, 'needs "execute", a function'],
])('refuses %o', (spec, sentence) => {
  expect(define(spec as object)).toThrow(sentence);
});

test('a tool has its sentence for people, beside the description for the model', () => {
  const input = z.object({});
  expect(define({ ...parts, input, about: 'Counts the lines.' })()).toMatchObject({ about: 'Counts the lines.' });
  expect(define({ ...parts, input })()).not.toHaveProperty('about');
});

test('accepts JSON Schemas of any draft', () => {
  const inputJsonSchema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions: { name: { type: ['string', 'null'], pattern: '^\\p{L}+$' } },
    properties: { a: { $ref: '#/definitions/name' }, b: true, c: { items: [{ const: 1 }], 'x-unit': 5 } },
    additionalProperties: false,
    required: ['a'],
  };
  expect(defineTool({ ...parts, inputJsonSchema }).inputSchema).toBe(inputJsonSchema);
});

test('accepts all parts of a tool', () => {
  const spec = {
    ...parts,
    title: 'Counter',
    input: z.object({}),
    isEnabled: async () => true,
    description: async () => 'x',
  };
  expect(defineTool(spec)).toMatchObject({ name: 'Count', title: 'Counter' });
});
