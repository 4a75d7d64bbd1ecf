import { expect, onTestFinished, test } from 'vitest';
import { defineTool } from '../contract/tool.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { toolSearchTool } from './tool-search.js';

const later = (name: string, description: string) =>
  defineTool({
    name,
    description,
    exposure: 'deferred',
    inputJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
    execute: async () => name,
    toModel: (text) => text,
  });

async function projectWithTools() {
  const tools = [later('weather', 'Says how warm it is.\nMore.'), later('trains', 'Finds connections.')];
  const project = await temporaryProject({}, { tools });
  onTestFinished(async () => await project.remove());
  const active = () => project.engine.session.tools.definitions().map(({ name }) => name);
  return { ...project, active };
}

test('exact names are activated, in any letter case, and stay', async () => {
  const { run, active } = await projectWithTools();
  const { content } = await run(toolSearchTool, { query: 'select:Weather, nothing' });
  expect(content).toBe('Loaded, ready from your next message on:\nweather: Says how warm it is.');
  await run(toolSearchTool, { query: 'connections' });
  expect(active().slice(-2)).toEqual(['trains', 'weather']);
});

test('words find tools by description and parameters, up to the requested number', async () => {
  const { run, active } = await projectWithTools();
  await run(toolSearchTool, { query: 'city', max_results: 1 });
  expect(active().filter((name) => name === 'weather' || name === 'trains')).toHaveLength(1);
});

test('if nothing matches, the names are listed', async () => {
  const { run, active } = await projectWithTools();
  const before = active();
  const { content } = await run(toolSearchTool, { query: 'zebra' });
  expect(content).toContain('No tool fits "zebra". The tools that can be loaded are:');
  expect(content).toContain('weather');
  expect(active()).toEqual(before);
});

test('if nothing matches, missing servers are listed too', async () => {
  const project = await temporaryProject({}, { mcpServers: { gone: { command: '/nowhere' } } });
  onTestFinished(async () => await project.remove());
  expect((await project.run(toolSearchTool, { query: 'zebra' })).content).toContain('gone is still connecting');
  await project.engine.servers.settled();
  expect((await project.run(toolSearchTool, { query: 'zebra' })).content).toContain('gone could not be started');
});
