import { expect, test } from 'vitest';
import * as z from 'zod';
import { pathText, withAliases } from './input.js';

const schema = withAliases(
  { path: 'file_path' },
  z.strictObject({ file_path: pathText.describe('The file'), limit: z.int().min(1).optional() }),
);

test('accepts a field under its other name', () => {
  expect(schema.parse({ path: 'a' })).toEqual({ file_path: 'a' });
});

test('refuses a field that is given under both names', () => {
  expect(schema.safeParse({ path: 'a', file_path: 'b' }).error?.issues).toMatchObject([{ keys: ['path'] }]);
});

test('refuses unknown fields, and paths that are empty or contain a NUL', () => {
  for (const input of [{ file_path: 'a', lines: 3 }, { file_path: '' }, { file_path: 'a\0b' }, 'a', null]) {
    expect(schema.safeParse(input).success).toBe(false);
  }
});

test('shows models only the real names', () => {
  expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
    type: 'object',
    properties: { file_path: { type: 'string', description: 'The file' }, limit: { type: 'integer', minimum: 1 } },
    required: ['file_path'],
    additionalProperties: false,
  });
  expect(Object.keys(z.toJSONSchema(schema, { io: 'input' }).properties ?? {})).toEqual(['file_path', 'limit']);
});
