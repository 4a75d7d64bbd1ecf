import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recoverCalls } from './recover-calls.js';
import { TextCallScanner } from './text-call-scanner.js';

const tools = [
  {
    name: 'read_file',
    input_schema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        limit: { type: 'integer' },
        flags: { type: 'array', items: { type: 'string' } },
        deep: { type: 'boolean' },
      },
    },
  },
  {
    name: 'write_file',
    input_schema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
  },
  { name: 'now', input_schema: { type: 'object', properties: {} } },
];

type Expected = Array<[name: string, input: unknown]>;
const one: Expected = [['read_file', { path: 'a.ts' }]];
const two: Expected = [...one, ['now', {}]];
const dsml = (body: string): string => `<｜DSML｜function_calls>\n${body}\n</｜DSML｜function_calls>`;

const shapes: Array<[format: string, shape: string, text: string, calls: Expected]> = [
  ['hermes', 'one call', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n</tool_call>', one],
  [
    'hermes',
    'two calls',
    '<tool_call>{"name":"read_file","arguments":{"path":"a.ts"}}</tool_call>\n<tool_call>{"name":"now","arguments":{}}</tool_call>',
    two,
  ],
  [
    'hermes',
    'two calls in one block',
    '<tool_call>\n{"name":"read_file","arguments":{"path":"a.ts"}}\n{"name":"now","arguments":{}}\n</tool_call>',
    two,
  ],
  ['hermes', 'a list', '<tool_call>[{"name":"read_file","arguments":{"path":"a.ts"}},{"name":"now"}]</tool_call>', two],
  [
    'hermes',
    'the tag twice',
    '<tool_call>\n<tool_call>\n{"arguments": {"path": "a.ts"}, "name": "read_file"}\n</tool_call>',
    one,
  ],
  [
    'hermes',
    'the tag of Granite',
    '<function_call> {"name": "read_file", "arguments": {"path": "a.ts"}} <function_call> {"name": "now", "arguments": {}} ',
    two,
  ],
  ['hermes', 'no closing tag', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}', one],
  [
    'hermes',
    'Python literals',
    "<tool_call>\n{'name': 'read_file', 'arguments': {'path': 'a.ts', 'deep': True, 'limit': None}}\n</tool_call>",
    [['read_file', { path: 'a.ts', deep: true, limit: null }]],
  ],
  ['hermes', 'a brace too few', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}\n</tool_call>', one],
  [
    'hermes',
    'a brace too many',
    '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}}\n</tool_call>',
    one,
  ],
  ['hermes', 'encoded twice', '<tool_call>{"name":"read_file","arguments":"{\\"path\\":\\"a.ts\\"}"}</tool_call>', one],
  [
    'hermes',
    'line breaks and the tag in a text',
    '<tool_call>{"name":"write_file","arguments":{"path":"a","text":"one\ntwo </tool_call> three"}}</tool_call>',
    [['write_file', { path: 'a', text: 'one\ntwo </tool_call> three' }]],
  ],
  [
    'function tags',
    'with a wrapper',
    '<tool_call>\n<function=read_file>\n<parameter=path>\na.ts\n</parameter>\n</function>\n</tool_call>',
    one,
  ],
  [
    'function tags',
    'without a wrapper',
    '<function=read_file>\n<parameter=path>\na.ts\n</parameter>\n<parameter=limit>\n10\n</parameter>\n<parameter=flags>\n["x"]\n</parameter>\n</function>',
    [['read_file', { path: 'a.ts', limit: 10, flags: ['x'] }]],
  ],
  [
    'function tags',
    'tags and numbers in a text',
    '<function=write_file>\n<parameter=path>\n7\n</parameter>\n<parameter=text>\n  <b>1</b> </parameter> 2\n\n</parameter>\n</function>',
    [['write_file', { path: '7', text: '  <b>1</b> </parameter> 2\n' }]],
  ],
  [
    'function tags',
    'two calls',
    '<function=read_file><parameter=path>a.ts</parameter></function>\n<function=now>\n</function>',
    two,
  ],
  ['function tags', 'JSON between the tags', '<function=read_file>{"path": "a.ts"}</function>', one],
  [
    'DSML',
    'a text and a number',
    dsml(
      '<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a.ts</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>',
    ),
    [['read_file', { path: 'a.ts', limit: 3 }]],
  ],
  [
    'DSML',
    'two calls',
    dsml(
      '<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">a.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>',
    ),
    two,
  ],
  [
    'DSML',
    'the tag of V4',
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    [['now', {}]],
  ],
  [
    'DeepSeek tokens',
    'V3',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    one,
  ],
  [
    'DeepSeek tokens',
    'V3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.ts"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    two,
  ],
  [
    'GLM',
    'one call',
    '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>5</arg_value>\n</tool_call>',
    [['read_file', { path: 'a.ts', limit: 5 }]],
  ],
  [
    'GLM',
    'two calls',
    '<tool_call>read_file<arg_key>path</arg_key><arg_value>a.ts</arg_value></tool_call>\n<tool_call>now</tool_call>',
    two,
  ],
  [
    'Kimi',
    'a section',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.ts"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    two,
  ],
  [
    'Harmony',
    'one call',
    '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a.ts"}<|call|>',
    one,
  ],
  [
    'Harmony',
    'the recipient first',
    '<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>{"path":"a.ts"}',
    one,
  ],
  [
    'python tag',
    'JSON',
    '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.ts"}}; {"name": "now", "parameters": {}}',
    two,
  ],
  ['python tag', 'a list', '<|python_tag|>[read_file(path="a.ts"), now()]', two],
  [
    'Mistral',
    'a list',
    '[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "a.ts"}}, {"name": "now", "arguments": {}}]',
    two,
  ],
  ['Mistral', 'names before arguments', '[TOOL_CALLS]read_file{"path": "a.ts"}[TOOL_CALLS]now{}', two],
  ['Mistral', 'ids and marks', '[TOOL_CALLS]read_file[CALL_ID]abc123XYZ[ARGS]{"path": "a.ts"}', one],
  ['JSON', 'an object', '{"name": "read_file", "arguments": {"path": "a.ts"}}', one],
  ['JSON', 'the names of Llama', '{"type": "function", "name": "read_file", "parameters": {"path": "a.ts"}}', one],
  [
    'JSON',
    'the names of the wire',
    '[{"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\":\\"a.ts\\"}"}}]',
    one,
  ],
  ['JSON', 'a fence', '```json\n{\n  "name": "read_file",\n  "arguments": {"path": "a.ts"}\n}\n```', one],
  [
    'JSON',
    'two fences',
    '```json\n{"name":"read_file","arguments":{"path":"a.ts"}}\n```\n```json\n{"name":"now","arguments":{}}\n```',
    two,
  ],
  ['pythonic', 'two calls', '[read_file(path="a.ts"), now()]', two],
  ['pythonic', 'a code block', '```python\n[read_file(path="a.ts"), now()]\n```', two],
  ['pythonic', 'a tuple', '[read_file(flags=("a", "b"))]', [['read_file', { flags: ['a', 'b'] }]]],
  ['JSON', 'a list in an object', '{"tool_calls": [{"name": "read_file", "params": {"path": "a.ts"}}]}', one],
  [
    'pythonic',
    'all kinds of values',
    "[read_file(path='it\\'s', limit=-2, deep=True, flags=['a', \"b\"])]",
    [['read_file', { path: "it's", limit: -2, deep: true, flags: ['a', 'b'] }]],
  ],
  [
    'pythonic',
    'escaped underscores',
    '[read\\_file(path="a.ts"), write\\_file(path="a_b", text=\'c\')]',
    [...one, ['write_file', { path: 'a_b', text: 'c' }]],
  ],
  ['pythonic', 'a code block that is only closed', '[read_file(path="a.ts"), now()]\n```', two],
  ['pythonic', 'no brackets', 'read_file(path="a.ts")', one],
  ['pythonic', 'no brackets, and semicolons', "read_file(path='a.ts'); now();", two],
  ['pythonic', 'no brackets, and lines', 'read_file(path="a.ts")\nnow()', two],
  ['GLM-4', 'a name and JSON', 'read_file\n{"path": "a.ts"}', one],
];

const inputsOf = (calls: ReadonlyArray<{ name: string; json: string }>): Expected =>
  calls.map(({ name, json }) => [name, JSON.parse(json)]);

test.each(shapes)('recovers %s: %s', (format, _, text, expected) => {
  const found = recoverCalls(text, tools);
  expect([found.format, inputsOf(found.calls), found.text]).toEqual([format, expected, '']);
});

const isTagged = (format: string): boolean => !['JSON', 'pythonic', 'GLM-4'].includes(format);

test.each(shapes)('recovers %s (%s) after prose only if it has a tag', (format, _, text, expected) => {
  const prose = "I'll look at the file first.\n\n";
  const found = recoverCalls(prose + text, tools);
  expect(inputsOf(found.calls)).toEqual(isTagged(format) ? expected : []);
  expect(found.text).toBe(isTagged(format) ? prose : prose + text);
});

test.each(shapes)(
  'does not take %s (%s) for a call if prose follows, or in a fence, or as a quotation',
  (_, __, text) => {
    for (const [around, isQuoted] of [
      [`${text}\n\nThis is how such a call looks.`, false],
      [`For example:\n\n\`\`\`xml\n${text}\n\`\`\`\n`, false],
      [`It is \`${text}\` here.`, false],
      [text, true],
    ] as const) {
      expect(recoverCalls(around, tools, () => isQuoted)).toEqual({ text: around, calls: [] });
    }
  },
);

test('a code block ends with a fence as long as the one that began it', () => {
  const call = '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
  expect(recoverCalls(`Like this:\n\n\`\`\`\`\n\`\`\`\n${call}`, tools).calls).toEqual([]);
  expect(recoverCalls(`Like this:\n\n\`\`\`xml\n<a>\n\`\`\`\n${call}`, tools).calls).toHaveLength(1);
});

test.each(shapes)('does not take %s (%s) for a call of a tool that was not offered', (_, __, text) => {
  const others = tools.map((tool) => ({ ...tool, name: `${tool.name}2` }));
  expect(recoverCalls(text, others)).toEqual({ text, calls: [] });
});

test.each(shapes)(
  'gives no complete call for %s (%s) that is cut anywhere before its last value ends',
  (_, __, text, expected) => {
    for (let length = 0; length < text.length; length += 1) {
      const { calls } = recoverCalls(text.slice(0, length), tools);
      for (const [at, { name, json }] of calls.entries()) {
        let input: unknown;
        try {
          input = JSON.parse(json);
        } catch {
          continue; // a cut call: its arguments are not valid
        }
        expect([name, input]).toEqual(expected[at]);
      }
    }
  },
);

const scanned = (pieces: readonly string[]) => {
  const offered = new Map(tools.map(({ name, input_schema }) => [name, input_schema]));
  const scanner = new TextCallScanner({ tools: offered, isQuoted: () => false });
  const shown = pieces.map((piece) => scanner.push(piece)).join('');
  const { text, found } = scanner.finish();
  return { text: shown + text, ...(found && { format: found.format }), calls: found?.calls ?? [] };
};

function piecesOf(text: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const fragments = [
  ...shapes.map(([, , text]) => text),
  '\n',
  ' ',
  '```',
  '`',
  '<',
  '[',
  '{"',
  'read_file',
  'x\n\n',
  '<tool_call>',
  '</tool_call>',
  '<|',
  '[TOOL_',
  'prose, and more. ',
];

test('gives the same result however the text is split', () => {
  const texts = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...fragments) }, fc.string()), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(), { maxLength: 12 }), (parts, cuts) => {
      const text = parts.join('');
      const whole = scanned([text]);
      expect(scanned(piecesOf(text, cuts))).toEqual(whole);
      expect(scanned([...text])).toEqual(whole);
      if (whole.calls.length === 0) expect(whole.text).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('shows prose at once, and holds back only what can begin a call', () => {
  const offered = new Map(tools.map(({ name, input_schema }) => [name, input_schema]));
  const scanner = new TextCallScanner({ tools: offered, isQuoted: () => false });
  expect(['Some', ' a < b', '.\n<to', 'ols> [', '1] {"name": "now"}'].map((piece) => scanner.push(piece))).toEqual([
    'Some',
    ' a < b',
    '.\n',
    '<tools> ',
    '[1] {"name": "now"}',
  ]);
});

test('tells a call whose JSON is not valid from text, so that the model can be told', () => {
  const text = '<tool_call>\n{"name": "read_file", "arguments": {"path": a.ts}}\n</tool_call>';
  expect(recoverCalls(text, tools).calls).toEqual([{ name: 'read_file', json: '{"path": a.ts}' }]);
});

test.each([
  ['a key twice', '<tool_call>{"name":"read_file","name":"now","arguments":{}}</tool_call>'],
  ['more than a call has', '{"name": "read_file", "arguments": {}, "note": "x"}'],
  ['a name alone', '{"name": "read_file"}'],
  ['an answer that is JSON', '{"type": "function", "text": "done"}'],
  ['positional arguments', '[read_file("a.ts")]'],
  ['an expression', '[read_file(path=x + 1)]'],
  ['a sum in brackets', '[read_file(limit=(1 + 2))]'],
  ['a fence of another language', '```ts\n{"name": "now", "arguments": {}}\n```'],
  ['a call without brackets in a code block', '```python\nread_file(path="a.ts")\n```'],
  ['a mention of a tool', 'now()'],
  ['an assignment', 'text = read_file(path="a.ts")'],
  ['a link', '[read_file](docs/read.md)'],
  ['a nested value beyond all measure', `<tool_call>{"name":"now","arguments":${'['.repeat(5000)}`],
])('does not take this for a complete call: %s', (_, text) => {
  const complete = recoverCalls(text, tools).calls.filter(({ json }) => isJson(json));
  expect(complete).toEqual([]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('does not give an object another prototype', () => {
  const [call] = recoverCalls('{"name":"now","arguments":{"__proto__":{"x":1}}}', tools).calls;
  expect(call?.json).toBe('{"__proto__":{"x":1}}');
});
