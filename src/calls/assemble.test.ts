import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ModelFailure } from '../contract/model.js';
import { CallAssembler, type CompleteCall, cutCall, type MalformedCall } from './assemble.js';

const RUNS = process.env['HELVE_SOAK'] ? 20_000 : 400;
if (process.env['HELVE_SOAK']) vi.setConfig({ testTimeout: 600_000 });

/** One call named Write whose input arrives in these pieces. */
function assemble(...pieces: string[]): CompleteCall | MalformedCall {
  const assembler = new CallAssembler();
  assembler.start({ type: 'call_start', index: 0, id: 'call_1', name: 'Write' });
  for (const json of pieces) assembler.add({ type: 'call_input', index: 0, json });
  return assembler.end({ type: 'call_end', index: 0 });
}

/** One call named Write that never ends. */
function cutOff(text: string, reason: Parameters<CallAssembler['cut']>[0]): MalformedCall[] {
  const assembler = new CallAssembler();
  assembler.start({ type: 'call_start', index: 0, id: 'call_1', name: 'Write' });
  assembler.add({ type: 'call_input', index: 0, json: text });
  return assembler.cut(reason);
}

const problemOf = (text: string): string => {
  const call = assemble(text);
  return 'problem' in call ? call.problem : 'no problem';
};

test('makes a call of the pieces of its input', () => {
  expect(assemble('{"file_', 'path":"a.txt","con', 'tent":"\\u00', 'e9"}')).toStrictEqual({
    id: 'call_1',
    name: 'Write',
    input: { file_path: 'a.txt', content: 'é' },
  });
});

test('takes no input at all for an empty object, and says that it was taken for one', () => {
  const call = { id: 'call_1', name: 'Write', input: {}, assumedEmpty: true };
  expect(assemble()).toStrictEqual(call);
  expect(assemble('', '')).toStrictEqual(call);
  expect(assemble('{}')).toStrictEqual({ id: 'call_1', name: 'Write', input: {} });
});

test('shows the input while it arrives', () => {
  const assembler = new CallAssembler();
  const call = assembler.start({ type: 'call_start', index: 0, id: 'call_1', name: 'Write' });
  expect(call).toMatchObject({ id: 'call_1', name: 'Write' });
  expect(call.input()).toEqual({});
  assembler.add({ type: 'call_input', index: 0, json: '{"file_path":"a.txt","content":"two wo' });
  expect(call.input()).toEqual({ file_path: 'a.txt', content: 'two wo' });
});

test('keeps calls apart that arrive side by side, and ends each on its own', () => {
  const assembler = new CallAssembler();
  assembler.start({ type: 'call_start', index: 1, id: 'a', name: 'Read' });
  assembler.start({ type: 'call_start', index: 2, id: 'b', name: 'Grep' });
  assembler.add({ type: 'call_input', index: 1, json: '{"x"' });
  assembler.add({ type: 'call_input', index: 2, json: '{"y":2}' });
  expect(assembler.end({ type: 'call_end', index: 2 })).toEqual({ id: 'b', name: 'Grep', input: { y: 2 } });
  assembler.add({ type: 'call_input', index: 1, json: ':1}' });
  expect(assembler.end({ type: 'call_end', index: 1 })).toEqual({ id: 'a', name: 'Read', input: { x: 1 } });
  expect(assembler.cut('stream')).toEqual([]);
});

test('tells the model where its JSON is broken and why, and keeps the text', () => {
  expect(assemble('{"file_path": "a.txt"\n "content": "x"}')).toEqual({
    id: 'call_1',
    name: 'Write',
    problem: `Write: the input is not valid JSON, so the call was not run: expected ',' or '}' after a property value, found '"', at line 2, column 2 (position 23). The text there reads:
{"file_path": "a.txt"␊ "content": "x"}
Correct it and send the whole call again, its input one JSON object.`,
    shown: 'The input is not valid JSON.',
    rawText: '{"file_path": "a.txt"\n "content": "x"}',
  });
});

test('tells the model how to write a line end that it left unescaped', () => {
  expect(problemOf('{"content": "one\ntwo"}')).toContain(
    'control character U+000A in a string, which must be written as \\n, at line 1, column 17 (position 16)',
  );
});

test('never runs a call whose block ended in the middle of its JSON', () => {
  expect(assemble('{"command":"rm -rf build/foo')).toEqual({
    id: 'call_1',
    name: 'Write',
    problem: `Write: the input was cut off at 28 characters, so the call was not run: unexpected end inside a string, at line 1, column 29 (position 28). It ends with:
{"command":"rm -rf build/foo
Send the whole call again; if it is long, in smaller steps, for example a long file in several parts.`,
    shown: 'The input was cut off.',
    rawText: '{"command":"rm -rf build/foo',
    truncated: true,
  });
});

test('never joins two inputs into one', () => {
  expect(problemOf('{"a":1}{"b":2}')).toContain("expected nothing more after the end of the value, found '{'");
});

test('takes white space alone for a broken input, since only an empty one means no arguments', () => {
  expect(problemOf(' ')).toContain('cut off at 1 character,');
});

test.each([
  ['[1]', 'an array'],
  ['"ls"', 'a string'],
  ['"[1]"', 'a string'],
  ['7', 'a number'],
  ['true', 'a boolean'],
  ['null', 'null'],
])('refuses %s as an input, since it is no object', (text, kind) => {
  expect(problemOf(text)).toBe(
    `Write: the input must be a JSON object with the parameters by name, but is ${kind}, so the call was not run. Send it again with an object.`,
  );
});

test('tells the model that it encoded its input twice', () => {
  expect(problemOf(JSON.stringify(JSON.stringify({ file_path: 'a "b"' })))).toBe(
    'Write: the input is a JSON string that contains an object, so it was encoded twice and the call was not run. Send the object itself, without the quotes around it and the backslashes inside.',
  );
});

test.each([
  [
    'max_tokens',
    'because the answer reached the limit of output tokens, so the call was not run. Sent again as it was it would be cut off again: do it in smaller steps, for example a long file in several parts.',
  ],
  [
    'stream',
    'because the connection to the model broke, so the call was not run. Send it again; if it is long, in smaller steps, for example a long file in several parts.',
  ],
  ['interrupted', 'because the user interrupted, so the call was not run. Send it again only if it is still wanted.'],
] as const)('answers an open call that is cut off by %s with how far it came and what to do', (reason, rest) => {
  const rawText = '{"content":"abc';
  const problem = `Write: the input was cut off at 15 characters ${rest}`;
  expect(cutOff(rawText, reason)).toEqual([
    { id: 'call_1', name: 'Write', problem, shown: expect.stringMatching(/^The input was cut off because /), rawText },
  ]);
});

test('does not run a complete input whose end never came', () => {
  expect(cutOff('{"a":1}', 'stream')).toMatchObject([{ id: 'call_1', rawText: '{"a":1}' }]);
});

test('gives up all open calls in the order in which they started, once', () => {
  const assembler = new CallAssembler();
  for (const index of [3, 1, 2]) assembler.start({ type: 'call_start', index, id: `call_${index}`, name: 'Read' });
  assembler.end({ type: 'call_end', index: 1 });
  expect(assembler.cut('max_tokens').map(({ id }) => id)).toEqual(['call_3', 'call_2']);
  expect(assembler.cut('max_tokens')).toEqual([]);
});

test('can take back a call that was only assumed to be empty', () => {
  expect(cutCall({ id: 'call_1', name: 'Todo', rawText: '' }, 'max_tokens').problem).toMatch(
    /^Todo: the input was cut off at 0 characters because the answer reached the limit of output tokens/,
  );
});

test('reports events that fit no open call as a broken stream', () => {
  const assembler = new CallAssembler();
  assembler.start({ type: 'call_start', index: 0, id: 'a', name: 'Read' });
  const broken = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return error instanceof ModelFailure ? [error.kind, error.message] : error;
    }
  };
  expect(broken(() => assembler.start({ type: 'call_start', index: 0, id: 'b', name: 'Grep' }))).toEqual([
    'broken_stream',
    "The model's stream started call 0 (Grep) a second time before its first had ended.",
  ]);
  expect(broken(() => assembler.add({ type: 'call_input', index: 1, json: '{}' }))).toEqual([
    'broken_stream',
    "The model's stream sent input for call 1, which is not open.",
  ]);
  expect(broken(() => assembler.end({ type: 'call_end', index: 1 }))).toEqual([
    'broken_stream',
    "The model's stream ended call 1, which is not open.",
  ]);
});

test('runs no strict prefix of a random input, and the whole input as it was meant', () => {
  const name = fc.string({ unit: 'binary', maxLength: 4 });
  const randomInput = fc.dictionary(name, fc.jsonValue({ maxDepth: 1, stringUnit: 'binary' }), { maxKeys: 3 });
  fc.assert(
    fc.property(randomInput, (input) => {
      const text = JSON.stringify(input);
      for (let length = 1; length < text.length; length += 1) {
        const call = assemble(text.slice(0, length));
        if (!('problem' in call)) throw new Error(`ran ${text.slice(0, length)}`);
        if (!call.problem.includes(`cut off at ${length} character`)) throw new Error(call.problem);
      }
      expect(assemble(...text.split(''))).toEqual(assemble(text));
      expect(assemble(text)).toStrictEqual({ id: 'call_1', name: 'Write', input: JSON.parse(text) });
    }),
    { numRuns: RUNS },
  );
});
