import { join } from 'node:path';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { Agent } from '../contract/agent.js';
import type { AgentOptions } from '../contract/options.js';
import { NoOutput } from '../contract/run.js';
import { defineTool } from '../contract/tool.js';
import { type Script, scriptedModel } from '../models/scripted.js';
import { createAgent, resumeAgent } from './agent.js';
import { temporaryProject } from './testing.js';

async function agentFor(turns: Script['turns'], options: Partial<AgentOptions> = {}): Promise<Agent> {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  const dataFolder = project.path('../data');
  const agent = createAgent({ model: scriptedModel({ turns }), root: project.root, dataFolder, ...options });
  onTestFinished(async () => {
    await agent.end();
    await project.remove();
  });
  return agent;
}

test('returns the result without iteration, and the next run can start at once', async () => {
  const agent = await agentFor([{ text: 'One.' }, { text: 'Two.' }]);
  const first = await agent.run('1').result;
  const second = await agent.run('2').result;
  expect([first, second]).toMatchObject([
    { outcome: 'completed', text: 'One.', output: undefined },
    { outcome: 'completed', text: 'Two.' },
  ]);
  expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('an iteration gets the events, once only, and the result is available afterwards', async () => {
  const agent = await agentFor([{ text: 'One.' }]);
  const run = agent.run('1');
  const events = await Array.fromAsync(run);
  expect(events.at(-1)).toMatchObject({ type: 'result', text: 'One.' });
  expect((await run.result).text).toBe('One.');
  expect(() => run[Symbol.asyncIterator]()).toThrow('can be read once');
});

test('breaking off the iteration rejects the result, and the agent can run again', async () => {
  const agent = await agentFor([{ text: 'One.' }, { text: 'Two.' }]);
  const run = agent.run('1');
  for await (const { type } of run) if (type === 'turn_start') break;
  await expect(run.result).rejects.toThrow('stopped before its end');
  expect((await agent.run('2').result).outcome).toBe('completed');
});

test('an interrupt ends the run with a result, and the next prompt continues', async () => {
  const agent = await agentFor([{ calls: [{ name: 'Bash', input: { command: 'sleep 60' } }] }, { text: 'Two.' }], {
    permissionMode: 'bypassPermissions',
  });
  const run = agent.run('1');
  for await (const { type } of run) if (type === 'tool_start') agent.interrupt();
  expect((await run.result).outcome).toBe('interrupted');
  expect((await agent.run('2').result).text).toBe('Two.');
});

test('ending an agent interrupts its run, saves the conversation so far, and refuses later runs', async () => {
  const waits = defineTool({
    name: 'Wait',
    description: 'Waits until it is told to stop.',
    input: z.object({}),
    effects: () => [],
    execute: async (_, { signal }) =>
      await new Promise<string>((_resolve, reject) => signal.addEventListener('abort', reject)),
    toModel: (text) => text,
  });
  const agent = await agentFor([{ calls: [{ name: 'Wait', input: {} }] }, { text: 'Never asked for.' }], {
    tools: [waits],
    keepSession: true,
  });
  const run = agent.run('1');
  for await (const { type } of run) if (type === 'tool_start') await agent.end(); // also from inside the iteration
  expect(await run.result).toMatchObject({ outcome: 'interrupted', turns: 1 });
  await expect(agent.run('2').result).rejects.toThrow('This agent has ended');
  await expect(agent.compact()).rejects.toThrow('This agent has ended');
  await expect(agent.engine.runCalls([{ id: '1', name: 'LS', input: {} }])).rejects.toThrow('has ended');
  const { root } = agent.engine;
  const place = { root, dataFolder: join(root, '../data'), model: scriptedModel({ turns: [] }) };
  const resumed = await resumeAgent({ session: agent.id, ...place });
  expect(resumed.messages).toEqual(agent.messages);
  await resumed.end();
});

test('an empty prompt rejects, and so does a prompt while another runs', async () => {
  const agent = await agentFor([{ text: 'One.' }]);
  await expect(agent.run(' ').result).rejects.toThrow('The prompt is empty');
  const first = agent.run('1').result;
  await expect(agent.run('2').result).rejects.toThrow('already running a prompt');
  expect((await first).text).toBe('One.');
});

const giving = (input: unknown): Script['turns'][number] => ({ calls: [{ name: 'StructuredOutput', input }] });

test('an output is validated by its schema and has its type', async () => {
  const agent = await agentFor([giving({ born: 'long ago' }), giving({ born: 1815 }), { text: 'Bye.' }]);
  const schema = z.object({ born: z.int().transform((year) => new Date(Date.UTC(year, 0))) });
  const run = agent.run('When?', { output: schema });
  const events = await Array.fromAsync(run);
  const { output, outcome } = await run.result;
  expectTypeOf(output).toEqualTypeOf<{ born: Date }>();
  expect({ output, outcome }).toEqual({ output: { born: new Date('1815-01-01') }, outcome: 'completed' });
  expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(2);
  expect(await agent.engine.tools()).not.toContainEqual(expect.objectContaining({ name: 'StructuredOutput' }));
  const plain = await agent.run('Bye.').result;
  expectTypeOf(plain.output).toEqualTypeOf<undefined>();
  expect(plain.text).toBe('Bye.');
});

test('a JSON Schema is accepted too, and an output that never fits rejects with the result of the run', async () => {
  const agent = await agentFor([
    giving({ age: 36 }),
    giving({}),
    giving({}),
    { text: 'No.' },
    { text: 'Never asked.' },
  ]);
  const output = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
  expect((await agent.run('How old?', { output }).result).output).toEqual({ age: 36 });
  const failed = await agent.run('And now?', { output, maxOutputRetries: 1 }).result.catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(NoOutput);
  expect(failed).toMatchObject({
    message: expect.stringContaining('1 more tries'),
    result: { type: 'result', turns: 2 },
  });
  expect((await agent.run('Never mind.').result).text).toBe('No.');
});

test('a schema that is not of an object is refused, and so is a second tool of that name', async () => {
  const taken = defineTool({
    name: 'StructuredOutput',
    description: '',
    input: z.object({}),
    execute: async () => '',
    toModel: (text) => text,
  });
  const agent = await agentFor([], { tools: [taken] });
  await expect(agent.run('x', { output: z.array(z.string()) }).result).rejects.toThrow('must describe an object');
  await expect(agent.run('x', { output: z.object({}) }).result).rejects.toThrow('There is a tool named');
});
