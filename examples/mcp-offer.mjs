// More than text over MCP: a form to the person, structured content, a prompt and a resource, to the official client.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defineTool } from 'helve';
import { createMcpOffer, serveMcpOverHttp } from 'helve/mcp';
import { temporaryProject } from 'helve/testing';
import * as z from 'zod';

const project = await temporaryProject();
const dataFolder = project.path('../data');

const station = defineTool({
  name: 'Station',
  description: 'Measure the temperature, at a place that the person chooses.',
  input: z.strictObject({}),
  effects: () => [],
  async execute(_, { session, signal }) {
    const place = { type: 'object', properties: { place: { type: 'string', enum: ['roof', 'cellar'] } } };
    const form = { method: 'elicitation/create', params: { mode: 'form', message: 'Where?', requestedSchema: place } };
    const { where } = (await session.mcpClient?.request({ where: form }, signal)) ?? {};
    return { place: where?.content?.place ?? 'roof', degrees: 21 };
  },
  toModel: ({ place, degrees }) => `${degrees} degrees in the ${place}`,
  toMcp: (measured) => ({ structuredContent: measured }),
});

const offer = createMcpOffer({
  prompts: [
    {
      name: 'report',
      arguments: [{ name: 'day', required: true }],
      get: ({ day }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Report on ${day}.` } }] }),
    },
  ],
  resources: [{ uri: 'station://log', name: 'Log', read: (uri) => [{ uri, text: 'rain since monday' }] }],
});

const service = await serveMcpOverHttp({ name: 'station', root: project.root, dataFolder, tools: [station], offer });

const client = new Client(
  { name: 'example', version: '1.0.0' },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { place: 'cellar' } }));
const headers = { Authorization: `Bearer ${service.token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit: { headers } }));

const { content, structuredContent } = await client.callTool({ name: 'Station' });
console.log(content[0].text, structuredContent);
const { messages } = await client.getPrompt({ name: 'report', arguments: { day: 'monday' } });
console.log(messages[0].content.text);
const { contents } = await client.readResource({ uri: 'station://log' });
console.log(contents[0].text);

await client.close();
await service.close();
await project.remove();
