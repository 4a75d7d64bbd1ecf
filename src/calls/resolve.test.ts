import { expect, test } from 'vitest';
import * as z from 'zod';
import { ToolFailure } from '../contract/failure.js';
import { defineTool, type Tool } from '../contract/tool.js';
import { builtInTools } from '../tools/index.js';
import type { CallEnvironment } from './environment.js';
import { resolve } from './resolve.js';

const count = defineTool({
  name: 'Count',
  description: 'Counts.',
  input: z.strictObject({
    upTo: z.int().min(1),
    loud: z.boolean().optional(),
    words: z.array(z.string()).optional(),
  }),
  execute: async () => '',
  toModel: () => '',
});
const brought = defineTool({
  name: 'mcp__server__count',
  description: 'Counts.',
  inputJsonSchema: { type: 'object', properties: { upTo: { type: 'integer' } }, required: ['upTo'] },
  execute: async () => '',
  toModel: () => '',
});

test.each<[string, unknown, unknown]>([
  ['a valid input', { upTo: 3 }, { upTo: 3 }],
  ['numbers and truth in texts', { upTo: '3', loud: 'true' }, { upTo: 3, loud: true }],
  ['one value for a list', { upTo: 3, words: 'one' }, { upTo: 3, words: ['one'] }],
  ['null for what is left out', { upTo: 3, loud: null, words: null }, { upTo: 3 }],
])('takes %s', async (_, input, expected) => {
  const { bound } = await resolve({ id: 'c', name: 'Count', input: { ...Object(input) } }, environmentWith([count]));
  expect(bound.input).toEqual(expected);
});

test('coerces for a tool that brought its own schema', async () => {
  const call = { id: 'c', name: brought.name, input: { upTo: '3' } };
  expect((await resolve(call, environmentWith([brought]))).bound.input).toEqual({ upTo: 3 });
});

test.each<[string, Record<string, unknown>, string]>([
  ['is no number at all', { upTo: 'three' }, '"upTo" must be a number, but was "three"'],
  ['is out of bounds in the right type too', { upTo: '0' }, '"upTo" must be a number, but was "0"'],
  ['has an empty text for a list', { upTo: 1, words: '' }, '"words" must be an array, but was ""'],
  ['lacks a field', { upTo: null }, '"upTo" must be a number, but was null'],
])('refuses an input that %s, and says what is wrong with what was sent', async (_, input, problem) => {
  const failure = await resolve({ id: 'c', name: 'Count', input }, environmentWith([count])).catch((error) => error);
  expect(failure).toBeInstanceOf(ToolFailure);
  expect(failure.message).toContain(`Count: ${problem}.`);
});

test.each([
  ['Count', 'Count'],
  ['count', 'Count'],
  ['COUNT', 'Count'],
  ['functions.Count', 'Count'],
  ['default_api:count', 'Count'],
  ['read_file', 'Read'],
  ['read-file', 'Read'],
  ['run_shell_command', 'Bash'],
  ['bash', 'Bash'],
])('finds by the name %s the tool %s', async (name, expected) => {
  const environment = environmentWith([count, ...builtInTools()]);
  const inputs: Record<string, Record<string, unknown>> = { Read: { path: 'a' }, Bash: { command: 'ls' } };
  const { tool } = await resolve({ id: 'c', name, input: inputs[expected] ?? { upTo: 1 } }, environment);
  expect(tool.name).toBe(expected);
});

test('prefers a tool of that very name to what the name may stand for', async () => {
  const own = defineTool({ ...specOf('read_file') });
  const call = { id: 'c', name: 'read_file', input: {} };
  expect((await resolve(call, environmentWith([own, ...builtInTools()]))).tool).toBe(own);
});

test.each([
  ['a name that is unknown', 'nonsense', ['Count']],
  ['a name that two tools share but for their letters', 'COUNT', ['Count', 'count']],
  ['an alias of a tool that is not there', 'read_file', ['Count']],
  ['a name that is only part of one', 'Cou', ['Count']],
])('does not guess at %s', async (_, name, names) => {
  const environment = environmentWith(names.map((each) => defineTool(specOf(each))));
  const failure = await resolve({ id: 'c', name, input: {} }, environment).catch((error) => error);
  expect(failure.message).toMatch(new RegExp(`^There is no tool named "${name}"`));
});

function specOf(name: string) {
  return {
    name,
    description: name,
    input: z.strictObject({}),
    execute: async () => '',
    toModel: () => '',
  };
}

/** Only what the look-up needs of an environment. */
function environmentWith(tools: readonly Tool[]): CallEnvironment {
  const environment: Pick<CallEnvironment, 'findTool' | 'toolNames'> = {
    findTool: (name) => tools.find((tool) => tool.name === name),
    toolNames: () => tools.map(({ name }) => name),
  };
  return environment as CallEnvironment; // the look-up asks for nothing else
}
