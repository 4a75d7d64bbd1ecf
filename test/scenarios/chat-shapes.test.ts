import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/compose/create-agent.js';
import { defineTool } from '../../src/contract/tool.js';
import { openAiCompatibleModel } from '../../src/models/wire/chat/openai-compatible.js';
import { startFakeModelServer, temporaryProject } from '../../src/testing/index.js';

// Whatever shape a server's answer has, the loop runs what it asks for and goes on with a request that breaks no rule.

const FIXTURES = new URL('../fixtures/chat/', import.meta.url);
const project = await temporaryProject();

test.each(readdirSync(FIXTURES))('continues after an answer like %s', async (file) => {
  const stream = readFileSync(new URL(file, FIXTURES), 'utf8');
  const server = await startFakeModelServer((_, number) => (number === 0 ? { raw: stream } : { text: 'Done.' }));
  const started: string[] = [];
  const tools = ['first', 'second'].map((name) =>
    defineTool({
      name,
      description: name,
      input: z.looseObject({}),
      effects: () => [],
      execute: async () => void started.push(name),
      toModel: () => 'ok',
    }),
  );
  const model = openAiCompatibleModel({ provider: 'deepseek', name: 'some-model', baseUrl: server.url });
  const agent = createAgent({ model, root: project.root, dataFolder: project.path('../data'), tools });
  const events = await Array.fromAsync(agent.run('go'));
  await agent.end();
  await server.close();

  const last = events.at(-1);
  expect(last?.type === 'result' && last.outcome).not.toBe('model_error');
  expect(server.refused).toEqual([]);
  const results = events.filter((event) => event.type === 'tool_result');
  expect(started).toHaveLength(results.filter(({ result }) => !result.is_error).length);
  if (results.length > 0) {
    const { messages } = JSON.parse(server.requests[1]?.text ?? '{}');
    const [asked] = messages.filter(({ role }: { role: string }) => role === 'assistant');
    expect(messages.filter(({ role }: { role: string }) => role === 'tool')).toHaveLength(asked.tool_calls.length);
    expect(asked).toHaveProperty('reasoning_content');
  }
});
