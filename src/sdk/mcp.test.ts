import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from './engine.js';
import { connectMcpServers, serveMcpOverHttp } from './mcp.js';
import { temporaryProject } from './testing.js';

async function folders() {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  onTestFinished(() => project.remove());
  return { root: project.root, dataFolder: project.path('../data') };
}

test('a served engine applies its rules, and another engine can use its tools', async () => {
  const place = await folders();
  const service = await serveMcpOverHttp({ ...place, permissions: { deny: ['Read(a.txt)'] } });
  const headers = { Authorization: `Bearer ${service.token}` };
  const connections = await connectMcpServers(
    { here: { type: 'http', url: service.url, headers }, gone: { command: 'no-such-program-here' } },
    place,
  );
  expect(connections.servers).toMatchObject([
    { name: 'here', status: 'connected' },
    { name: 'gone', status: 'failed', tools: 0, detail: expect.stringContaining('gone') },
  ]);
  const engine = createEngine({ ...place, tools: connections.tools, permissions: { allow: ['mcp__here__*'] } });
  const [denied, listed] = await engine.runCalls([
    { id: 'a', name: 'mcp__here__Read', input: { file_path: 'a.txt' } },
    { id: 'b', name: 'mcp__here__LS', input: { path: '.' } },
  ]);
  expect(denied).toMatchObject({ is_error: true });
  expect(JSON.stringify(denied?.content)).toContain('Read(a.txt)');
  expect(JSON.stringify(listed?.content)).toContain('b.txt');
  await engine.end();
  await connections.close();
  await service.close();
});

test('a short token is refused, since it could be guessed', async () => {
  await expect(serveMcpOverHttp({ ...(await folders()), token: 'short' })).rejects.toThrow('at least 16 characters');
});
