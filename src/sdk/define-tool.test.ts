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
  [{ ...parts, input: z.object({}), colour: 'red' }, 'It has: name, title, description'],
  [{ ...parts, input: z.object({}), inputJsonSchema: { type: 'object' } }, 'has both input and inputJsonSchema'],
  [{ ...parts, input: z.object({}), isEnabled: false }, 'isEnabled of the tool Count must be a function'],
  [parts, 'says nothing about its input'],
  [undefined, 'takes an object'],
  [{ ...parts, name: undefined, input: z.object({}) }, 'needs a "name"'],
  [{ ...parts, input: z.object({}), effects: [] }, 'must be a function of its input'],
  [{ ...parts, input: z.object({}), execute: 1 }, 'needs "execute", a function'],
])('refuses %o', (spec, sentence) => {
  expect(define(spec as object)).toThrow(sentence);
});

test('takes all parts that there are', () => {
  const spec = {
    ...parts,
    title: 'Counter',
    input: z.object({}),
    isEnabled: async () => true,
    description: async () => 'x',
  };
  expect(defineTool(spec)).toMatchObject({ name: 'Count', title: 'Counter' });
});
