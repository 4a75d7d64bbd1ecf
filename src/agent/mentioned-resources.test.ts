import { expect, test } from 'vitest';
import type { ServerResources } from '../contract/tool-context.js';
import { mentionedResources } from './mentioned-resources.js';

const asked: string[] = [];
const resources: ServerResources = {
  list: async (server = '') => [
    { server, uri: 'note://1', name: 'one' },
    { server, uri: 'note://broken', name: 'broken' },
    { server, uri: 'note://{n}', name: 'any', isTemplate: true },
  ],
  async read(_, uri) {
    asked.push(uri);
    if (uri === 'note://broken') throw new Error('it is gone');
    return { blocks: [{ type: 'text', text: 'x'.repeat(50_000) }] };
  },
};

const mentioned = async (text: string): Promise<string[]> => {
  asked.length = 0;
  const { signal } = new AbortController();
  const found = await mentionedResources([{ type: 'text', text }], { resources, servers: [{ name: 'notes' }], signal });
  return found.map((block) => (block.type === 'text' ? block.text : ''));
};

test('a mentioned resource is added to the prompt, within limits', async () => {
  const [title, text = ''] = await mentioned('Look at @notes:note://1.');
  expect(title).toBe('What the MCP server notes has at note://1:');
  expect(text).toContain('characters left out');
});

test('a resource that cannot be read is reported', async () => {
  expect(await mentioned('@notes:note://broken')).toEqual([
    '(note://broken of the MCP server notes could not be read: it is gone)',
  ]);
});

test.each([
  ['an address that the server does not list', '@notes:note://../etc'],
  ['a server that is not configured', '@others:note://1'],
  ['a template', '@notes:note://{n}'],
  ['a mail address', 'me@notes:note://1'],
  ['a plain word', '@notes'],
])('%s is not read as a resource', async (_, text) => {
  expect(await mentioned(text)).toEqual([]);
  expect(asked).toEqual([]);
});

test('a resource that is mentioned twice is read once', async () => {
  await mentioned('@notes:note://1 and again @notes:note://1');
  expect(asked).toEqual(['note://1']);
});
