import { expect, test } from 'vitest';
import { createAgent } from '../create-agent.js';
import { type ScriptedTurn, scriptedModel } from '../models/scripted.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { type StructuredOutputOptions, structuredOutput } from './structured-output.js';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
};

const giving = (input: unknown): ScriptedTurn => ({ calls: [{ name: 'StructuredOutput', input }] });

async function ask(turns: readonly ScriptedTurn[], options: StructuredOutputOptions = {}) {
  const project = await temporaryProject({ 'a.txt': 'Ada, 36\n' });
  const output = await structuredOutput(schema, options);
  const agent = createAgent({
    model: scriptedModel({ turns }),
    root: project.root,
    dataFolder: project.path('../data'),
    tools: [output.tool],
    hooks: output.hooks,
  });
  const results: string[] = [];
  const answer = await output.ask(agent, 'Who?', {
    onEvent(event) {
      if (event.type === 'tool_result') results.push(JSON.stringify(event.result.content));
    },
  });
  await agent.end();
  return { answer, results };
}

test('gives the answer that fits, after other tools and after what did not fit', async () => {
  const { answer, results } = await ask([
    { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
    giving({ name: 'Ada', age: -1 }),
    { text: 'She is 36.' },
    giving({ name: 'Ada', age: 36 }),
  ]);
  expect(answer).toMatchObject({ ok: true, value: { name: 'Ada', age: 36 }, result: { turns: 4 } });
  expect(results[1]).toMatch(/age.*0.*-1/); // which field, what it must be, what it was
});

test('gives up after as many tries as it may have', async () => {
  const turns = Array.from({ length: 5 }, () => giving({ name: 'Ada' }));
  const { answer, results } = await ask(turns, { maxRetries: 2 });
  expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining('after 2 more tries') });
  expect(results).toHaveLength(3);
});

test('says how a run ended that gave no answer for another reason', async () => {
  const { answer } = await ask([{ text: 'I will not.', stopReason: 'refusal' }]);
  expect(answer).toMatchObject({ ok: false, result: { outcome: 'refused' } });
});

test.each([
  [{ type: 'array' }, 'must describe an object'],
  [{ type: 'object', properties: { a: { type: 'strin' } } }, 'not a valid JSON Schema'],
])('refuses the schema %j', async (wrong, sentence) => {
  await expect(structuredOutput(wrong)).rejects.toThrow(sentence);
});
