import { expect, test } from 'vitest';
import { type FakeAnswers, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve } from './run-helve.js';
import { startHost } from './stream-json-host.js';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

async function ask(answers: FakeAnswers, args: string[]) {
  const server = await startFakeModelServer(answers);
  try {
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
    const run = await runHelve(['-p', 'who?', ...args], { env, cwd: await emptyFolder() });
    return { ...run, server };
  } finally {
    await server.close();
  }
}

const giving = (input: unknown, id = 'toolu_s') => ({ calls: [{ name: 'StructuredOutput', id, input }] });

const inSchema = ['--json-schema', JSON.stringify(schema), '--output-format', 'json'];

test('gives the answer in the form of the schema, and ends with it', async () => {
  const answers = [{ calls: [{ name: 'LS', input: {} }] }, giving({ name: 'Ada', age: 36 })];
  const { stdout, code, server } = await ask(answers, inSchema);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: 'success',
    is_error: false,
    structured_output: { name: 'Ada', age: 36 },
    result: '{"name":"Ada","age":36}',
    terminal_reason: 'completed',
    num_turns: 2,
  });
  expect(server.refused).toEqual([]);
  const tool = server.requests[0]?.body.tools?.find(({ name }) => name === 'StructuredOutput');
  expect(tool).toMatchObject({ input_schema: schema });
});

test('understands a schema of an older draft', async () => {
  const older = { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
  const answers = [giving({ name: 'Ada' }), giving({ name: 'Ada', age: 36 }, 'toolu_t')];
  const { stdout } = await ask(answers, ['--json-schema', JSON.stringify(older), '--output-format', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ subtype: 'success', num_turns: 2, structured_output: { age: 36 } });
});

test('prints only the structured answer in text format', async () => {
  const { stdout } = await ask([giving({ name: 'Ada', age: 36 })], ['--json-schema', JSON.stringify(schema)]);
  expect(JSON.parse(stdout)).toEqual({ name: 'Ada', age: 36 });
});

test('rejects an answer that does not match, and a missing one', async () => {
  const answers = [
    giving({ name: 'Ada', age: -1 }),
    { text: 'She is 36.' },
    giving({ name: 'Ada', age: 36 }, 'toolu_t'),
  ];
  const { stdout, server } = await ask(answers, inSchema);
  expect(JSON.parse(stdout)).toMatchObject({ subtype: 'success', structured_output: { age: 36 } });
  expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toContain('age');
  expect(JSON.stringify(server.requests[2]?.body.messages.at(-1))).toContain('calling StructuredOutput');
});

test.each([
  ['never gives it', () => ({ text: 'No.' })],
  ['gives what does not fit', (_: unknown, number: number) => giving({ name: number }, `toolu_${number}`)],
])('fails with a model that %s', async (_, answers) => {
  const { stdout, code, server } = await ask(answers, inSchema);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: 'error_max_structured_output_retries',
    is_error: true,
    errors: [expect.stringContaining('no answer that fits the schema')],
  });
  expect(JSON.parse(stdout)).not.toHaveProperty('structured_output');
  expect(server.requests.length).toBeLessThanOrEqual(7);
  expect(server.requests.length).toBeGreaterThanOrEqual(6);
});

test('gives a structured answer for each prompt of a host', async () => {
  const answers = [giving({ name: 'Ada', age: 36 }), giving({ name: 'Bob', age: 7 }, 'toolu_t')];
  const host = await startHost(answers, { args: ['--json-schema', JSON.stringify(schema)] });
  for (const name of ['Ada', 'Bob']) {
    host.prompt(`Who is ${name}?`);
    expect(await host.next('success')).toMatchObject({ structured_output: { name } });
  }
  expect(await host.end()).toBe(0);
  expect(host.server.refused).toEqual([]);
});

test.each([
  ['no JSON', '{', /JSON Schema/],
  ['a type that there is not', '{"type": "object", "properties": {"a": {"type": "strin"}}}', /not a valid JSON Schema/],
  ['another thing than an object', '{"type": "array"}', /must describe an object/],
  ['a file that is not there', 'nowhere.json', /nowhere\.json/],
])('refuses %s at the start', async (_, given, sentence) => {
  const { code, stderr, server } = await ask([], ['--json-schema', given]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  expect(server.requests).toEqual([]);
});
