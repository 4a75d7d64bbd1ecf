import { expect, test } from 'vitest';
import { toolNames } from '../names.js';
import { readTools } from './tool-from-server.js';

const read = (...tools: unknown[]) => readTools(tools, (names) => toolNames('s', names));

const plain = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object', properties: { a: {}, b: {} } } };

test('a definition with endless nesting disables one tool', () => {
  let schema: object = {};
  for (let depth = 0; depth < 20_000; depth += 1) schema = { not: schema };
  const { tools, setAside } = read({ name: 'deep', inputSchema: schema }, plain);
  expect(tools.map(({ name }) => name)).toEqual(['mcp__s__pay']);
  expect(setAside).toEqual([{ tool: 'deep', why: expect.stringContaining('schema') }]);
});

test('a description is cut at 2 KB, without hidden text', () => {
  const [long] = read({ ...plain, description: 'y'.repeat(5_000) }).tools;
  expect(long?.description).toHaveLength(2_048);
  const [hidden] = read({ ...plain, description: 'Pays.\u200b\u{e0069}\u001b[8m' }).tools;
  expect(hidden?.description).toBe('Pays.\\u{200b}\\u{e0069}\\u001b[8m');
});

test('the sentence on lost alternatives stays within the 2 KB', () => {
  const inputSchema = { oneOf: [{ required: ['a'] }, { required: ['b'] }] };
  const [tool] = read({ ...plain, description: 'y'.repeat(5_000), inputSchema }).tools;
  expect(tool?.description.length).toBeLessThanOrEqual(2_048);
  expect(tool?.description).toMatch(/give \(a\) or \(b\)\.$/);
});

test('the pin of a tool changes with its description and its schema, not with the order of names', () => {
  const hashOf = (tool: object) => read(tool).tools[0]?.pin.hash;
  const same = { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'Pays.', name: 'pay' };
  expect(hashOf(same)).toBe(hashOf(plain));
  expect(hashOf({ ...plain, description: 'Pays!' })).not.toBe(hashOf(plain));
  expect(hashOf({ ...plain, inputSchema: { type: 'object' } })).not.toBe(hashOf(plain));
  expect(hashOf({ ...plain, annotations: { readOnlyHint: true } })).not.toBe(hashOf(plain));
});
