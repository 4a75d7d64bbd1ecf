// Both sides of MCP in one program: an engine with a tool of your own as a server, and an agent that uses it.
import { createAgent, defineTool } from 'helve';
import { connectMcpServers, serveMcpOverHttp } from 'helve/mcp';
import { scriptedModel } from 'helve/models';
import { temporaryProject } from 'helve/testing';
import * as z from 'zod';

const project = await temporaryProject();
const dataFolder = project.path('../data');

const weather = defineTool({
  name: 'Weather',
  description: 'Say what the weather is like in a city.',
  input: z.strictObject({ city: z.string() }),
  effects: () => [],
  execute: async ({ city }) => `It is sunny in ${city}.`,
  toModel: (text) => text,
});
const service = await serveMcpOverHttp({ name: 'weather', root: project.root, dataFolder, tools: [weather] });

const { url, token } = service;
const connections = await connectMcpServers(
  { weather: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } },
  { root: project.root, dataFolder },
);
console.log(connections.servers);

const model = scriptedModel({
  turns: [{ calls: [{ name: 'mcp__weather__Weather', input: { city: 'Lima' } }] }, { text: 'Sunny.' }],
});
const agent = createAgent({
  model,
  root: project.root,
  dataFolder,
  tools: connections.tools,
  permissions: { allow: ['mcp__weather__Weather'] },
});
for await (const event of agent.run('How is the weather in Lima?')) {
  if (event.type === 'tool_result') console.log(event.result.content);
  if (event.type === 'result') console.log(event.text);
}

await agent.end();
await connections.close();
await service.close();
await project.remove();
