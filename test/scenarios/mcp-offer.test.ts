// What a program serves over MCP beside text: prompts, resources and other results, to the official client.
import { expect, onTestFinished, test } from 'vitest';
import { defineTool, type Tool } from '../../src/index.js';
import {
  createMcpOffer,
  type McpPrompt,
  type McpResult,
  type ServeOptions,
  serveMcpOverHttp,
} from '../../src/sdk/mcp.js';
import { until } from '../../src/testing/watch-processes.js';
import { connectByHttp, servedFolder } from './mcp-server-client.js';

const revisions = ['with sessions', '2026-07-28'] as const;
type Revision = (typeof revisions)[number];

async function connectTo(options: ServeOptions, revision: Revision) {
  const { root } = await servedFolder();
  const service = await serveMcpOverHttp({ root, dataFolder: `${root}/.data`, home: root, ...options });
  onTestFinished(async () => await service.close());
  return (await connectByHttp(service, { revision })).client;
}

const hello: McpPrompt = {
  name: 'hello',
  description: 'Greets.',
  arguments: [
    {
      name: 'who',
      required: true,
      complete: (begun) => ['Ada', 'Alan', 'Grace'].filter((each) => each.startsWith(begun)),
    },
  ],
  get: ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }] }),
};

function offered() {
  const logs = new Map([['monday', 'rain']]);
  const offer = createMcpOffer({
    prompts: [hello, { name: 'broken', get: () => Promise.reject(new Error('no template')) }],
    resources: [
      { uri: 'app://state', name: 'State', mimeType: 'text/plain', read: (uri) => [{ uri, text: 'idle' }] },
      {
        uriTemplate: 'log://{day}',
        name: 'Log',
        complete: { day: () => [...logs.keys()] },
        read(uri, _, { day = '' }) {
          const text = logs.get(day);
          return text === undefined ? undefined : [{ uri, text }];
        },
      },
    ],
  });
  return offer;
}

test.each(revisions)('prompts are listed, completed and got (%s)', async (revision) => {
  const client = await connectTo({ offer: offered() }, revision);
  const { prompts } = await client.listPrompts();
  expect(prompts).toMatchObject([{ name: 'hello', arguments: [{ name: 'who', required: true }] }, { name: 'broken' }]);
  const ref = { type: 'ref/prompt' as const, name: 'hello' };
  const { completion } = await client.complete({ ref, argument: { name: 'who', value: 'A' } });
  expect(completion).toMatchObject({ values: ['Ada', 'Alan'], total: 2, hasMore: false });
  const got = await client.getPrompt({ name: 'hello', arguments: { who: 'Ada' } });
  expect(got.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }]);
  await expect(client.getPrompt({ name: 'hello' })).rejects.toThrow('needs "who"');
  await expect(client.getPrompt({ name: 'helo' })).rejects.toThrow('Did you mean hello?');
  await expect(client.getPrompt({ name: 'broken' })).rejects.toThrow('no template');
});

test.each(revisions)('resources are listed and read, those of templates too (%s)', async (revision) => {
  const client = await connectTo({ offer: offered() }, revision);
  expect((await client.listResources()).resources).toMatchObject([{ uri: 'app://state', name: 'State' }]);
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'log://{day}' }]);
  expect((await client.readResource({ uri: 'app://state' })).contents).toEqual([{ uri: 'app://state', text: 'idle' }]);
  expect((await client.readResource({ uri: 'log://monday' })).contents).toMatchObject([{ text: 'rain' }]);
  for (const uri of ['log://friday', 'other://x']) {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } });
  }
  const ref = { type: 'ref/resource' as const, uri: 'log://{day}' };
  const { completion } = await client.complete({ ref, argument: { name: 'day', value: '' } });
  expect(completion.values).toEqual(['monday']);
});

test.each(revisions)('clients are told about changes that they subscribed to (%s)', async (revision) => {
  const offer = offered();
  const client = await connectTo({ offer }, revision);
  const told: string[] = [];
  client.setNotificationHandler('notifications/prompts/list_changed', () => void told.push('prompts'));
  client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('resources'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
  if (revision === '2026-07-28') {
    const filter = { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['app://state'] };
    await client.listen(filter);
  } else {
    await client.subscribeResource({ uri: 'app://state' });
    await client.subscribeResource({ uri: 'log://monday' });
    await client.unsubscribeResource({ uri: 'log://monday' });
  }
  offer.resourceChanged('log://monday');
  offer.resourceChanged('app://state');
  await until(() => told.length === 1);
  offer.prompts = [hello];
  await until(() => told.length === 2);
  offer.resources = [];
  await until(() => told.length === 3);
  expect(told).toEqual(['app://state', 'prompts', 'resources']);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['hello']);
});

test.each(revisions)('a server without an offer has no prompts and no resources (%s)', async (revision) => {
  const client = await connectTo({}, revision);
  expect(Object.keys(client.getServerCapabilities() ?? {})).toEqual(['tools']);
});

function toolWith(result: McpResult, outputJsonSchema?: Readonly<Record<string, unknown>>): Tool {
  return defineTool({
    name: 'Measure',
    title: 'Measure it',
    description: 'Measures.',
    inputJsonSchema: { type: 'object' },
    effects: () => [],
    execute: async () => result,
    toModel: () => 'for the model',
    toMcp: (data) => data,
    ...(outputJsonSchema && { outputJsonSchema }),
  });
}

const degrees = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };

test.each(revisions)('a result has audio, resources and structured content (%s)', async (revision) => {
  const content: McpResult['content'] = [
    { type: 'text', text: 'heard' },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'app://x', mimeType: 'text/plain', text: 'x' } },
    { type: 'resource_link', uri: 'app://y', name: 'y' },
  ];
  const tool = toolWith({ content, structuredContent: { degrees: 20 } }, degrees);
  const client = await connectTo({ tools: [tool] }, revision);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'Measure')).toMatchObject({ title: 'Measure it', outputSchema: degrees });
  const result = await client.callTool({ name: 'Measure' });
  expect(result).toMatchObject({ content, structuredContent: { degrees: 20 } });
});

test.each<[string, McpResult]>([
  ['does not match', { structuredContent: { degrees: 'warm' } }],
  ['is missing', {}],
])('structured content that %s is an error that says so', async (_, result) => {
  const client = await connectTo({ tools: [toolWith(result, degrees)] }, 'with sessions');
  const { isError, content } = await client.callTool({ name: 'Measure' });
  expect(isError).toBe(true);
  expect(content).toEqual([
    { type: 'text', text: 'for the model' },
    { type: 'text', text: expect.stringMatching(/structured content/) },
  ]);
});

test('a hook that replaces a result replaces all that the client gets of it', async () => {
  const tool = toolWith({ content: [{ type: 'text', text: 'secret' }], structuredContent: { key: 'secret' } });
  const client = await connectTo(
    {
      tools: [tool],
      hooks: {
        PostToolUse: [
          { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'hidden' } })] },
        ],
      },
    },
    'with sessions',
  );
  const result = await client.callTool({ name: 'Measure' });
  expect(JSON.stringify(result)).toContain('hidden');
  expect(JSON.stringify(result)).not.toContain('secret');
});

test.each([
  [() => createMcpOffer({ prompts: [hello, hello] }), 'Two prompts are named "hello"'],
  [() => createMcpOffer({ prompts: [{ ...hello, name: '' }] }), 'A prompt () needs a name'],
  [
    () => createMcpOffer({ resources: [{ uri: 'a://b', name: '', read: () => [] }] }),
    'A resource (a://b) needs a name',
  ],
])('an offer that can not be served is refused when it is made', (make, problem) => {
  expect(make).toThrow(problem);
});
