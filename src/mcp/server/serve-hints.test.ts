import { expect, test } from 'vitest';
import type { Effect } from '../../contract/effect.js';
import { hintsFor, hintsFrom } from './serve-hints.js';

const file = (access: 'read' | 'write'): Effect => ({ kind: 'file', access, path: '/a', real: '/a' });
const cwd = (access: 'read' | 'write'): Effect => ({ kind: 'session', access, what: 'cwd' });

test.each<[string, Effect[], object]>([
  ['reads', [file('read'), cwd('read')], { readOnlyHint: true, openWorldHint: false }],
  ['writes', [file('read'), file('write')], { readOnlyHint: false, destructiveHint: true, openWorldHint: false }],
  ['changes the session alone', [cwd('write')], { readOnlyHint: false, destructiveHint: false, openWorldHint: false }],
  ['touches nothing that is known', [], { openWorldHint: false }],
  [
    'runs a command, harmless or not',
    [{ kind: 'command', text: 'ls', harmless: true }, file('read')],
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  ],
  [
    'reaches the network',
    [{ kind: 'network', url: 'https://example.com' }],
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  ],
  [
    'could touch anything',
    [{ kind: 'unknown', why: 'it says nothing' }],
    { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  ],
])('a tool that %s', (_, effects, hints) => {
  expect(hintsFrom(effects)).toEqual(hints);
});

const toolWith = (inputSchema: object, effects: (input: unknown) => Promise<readonly Effect[] | undefined>) => ({
  name: 'x',
  description: '',
  inputSchema: { ...inputSchema },
  effects,
});

test('asks about an input that fits the schema', async () => {
  const asked: unknown[] = [];
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 3 },
      mode: { enum: ['a', 'b'] },
      edits: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
      either: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      level: { type: 'number', minimum: 4 },
      left: { type: 'string' },
    },
    required: ['path', 'mode', 'edits', 'either', 'level'],
  };
  const hints = await hintsFor(
    toolWith(schema, async (input) => {
      asked.push(input);
      return [file('read')];
    }),
  );
  expect(asked).toEqual([{ path: 'xxx', mode: 'a', edits: [{ n: 1 }], either: false, level: 4 }]);
  expect(hints).toEqual({ readOnlyHint: true, openWorldHint: false });
});

test('gives no hints for a tool that rejects the sample input', async () => {
  expect(await hintsFor(toolWith({ type: 'object' }, async () => undefined))).toEqual({});
});

test('gives no hints for a tool whose effects cannot be computed', async () => {
  const failing = toolWith({ type: 'object' }, async () => {
    throw new Error('no');
  });
  expect(await hintsFor(failing)).toEqual({});
});

test('handles a recursive schema', async () => {
  const schema: Record<string, unknown> = { type: 'object', required: ['self'] };
  schema['properties'] = { self: schema };
  expect(await hintsFor(toolWith(schema, async () => []))).toEqual({ openWorldHint: false });
});
