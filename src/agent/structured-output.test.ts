import { expect, test } from 'vitest';
import { createAgent } from '../compose/create-agent.js';
import type { RunResult } from '../contract/event.js';
import { type ScriptedTurn, scriptedModel } from '../models/scripted.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { checkedSchema, StructuredOutput, type StructuredOutputOptions } from './structured-output.js';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
};

const giving = (input: unknown): ScriptedTurn => ({ calls: [{ name: 'StructuredOutput', input }] });

async function ask(turns: readonly ScriptedTurn[], options: StructuredOutputOptions = {}) {
  const project = await temporaryProject({ 'a.txt': 'Ada, 36\n' });
  const output = new StructuredOutput({ inputJsonSchema: await checkedSchema(schema) }, options);
  const agent = createAgent({
    model: scriptedModel({ turns }),
    root: project.root,
    dataFolder: project.path('../data'),
    tools: [output.tool],
    hooks: output.hooks,
  });
  const results: string[] = [];
  let result: RunResult | undefined;
  for await (const event of agent.run('Who?')) {
    output.see(event, () => agent.interrupt());
    if (event.type === 'tool_result') results.push(JSON.stringify(event.result.content));
    if (event.type === 'result') result = event;
  }
  await agent.end();
  return { answer: result && output.outcomeOf(result), result, results };
}

test('returns the answer that fits the schema, after other calls and invalid answers', async () => {
  const { answer, result, results } = await ask([
    { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
    giving({ name: 'Ada', age: -1 }),
    { text: 'She is 36.' },
    giving({ name: 'Ada', age: 36 }),
  ]);
  expect({ answer, turns: result?.turns }).toEqual({ answer: { value: { name: 'Ada', age: 36 } }, turns: 4 });
  expect(results[1]).toMatch(/age.*0.*-1/); // names the field, the limit and the given value
});

test('gives up after the allowed number of retries', async () => {
  const turns = Array.from({ length: 5 }, () => giving({ name: 'Ada' }));
  const { answer, results } = await ask(turns, { maxRetries: 2 });
  expect(answer).toBe('given_up');
  expect(results).toHaveLength(3);
});

test('reports the outcome of a run that ended without an answer for another reason', async () => {
  const { answer, result } = await ask([{ text: 'I will not.', stopReason: 'refusal' }]);
  expect({ answer, outcome: result?.outcome }).toEqual({ answer: undefined, outcome: 'refused' });
});

test.each([
  [{ type: 'array' }, 'must describe an object'],
  [{ type: 'object', properties: { a: { type: 'strin' } } }, 'not a valid JSON Schema'],
])('rejects the schema %j', async (wrong, sentence) => {
  await expect(checkedSchema(wrong)).rejects.toThrow(sentence);
});
