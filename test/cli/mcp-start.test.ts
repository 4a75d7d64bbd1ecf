import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeAnswer, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder, runHelve, shareCode } from './run-helve.js';

const odd = (how: string) => ({ command: process.execPath, args: [resolve('test/fixtures/mcp/odd-server.mjs'), how] });
const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
const quick = { command: process.execPath, args: [resolve('bin/helve.cjs'), 'mcp', 'serve'] };

/** Runs one prompt with these servers in the person's settings. */
async function ask(
  settings: object,
  { args = [], answers = [{ text: 'hi' }] }: { args?: string[]; answers?: FakeAnswer[] } = {},
) {
  const home = await emptyFolder();
  shareCode(join(home, '.helve'));
  await writeFile(join(home, '.helve', 'settings.json'), JSON.stringify(settings));
  const server = await startFakeModelServer(answers);
  const env = { HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test', MCP_TIMEOUT: '4000' };
  const run = await runHelve(['-p', 'go', ...args], { cwd: await emptyFolder(), env });
  await server.close();
  return { ...run, requests: server.requests };
}

test('the first request has the tools of servers of settings that are ready within the wait', async () => {
  const { requests, code } = await ask({ mcpServers: { own: quick }, mcp: { startWaitMs: 60_000 } });
  expect(code).toBe(0);
  expect(requests[0]?.text).toContain('mcp__own__Read');
});

test('the first request names servers of settings that are not ready, and does not wait for them', async () => {
  const { requests, stdout, stderr } = await ask({ mcpServers: { slow: silent }, mcp: { startWaitMs: 1 } });
  expect(stdout).toBe('hi\n');
  expect(stderr).toBe(
    'helve: The MCP server slow was not ready in this run, so it had none of its tools. helve mcp doctor says why.\n',
  );
  expect(requests[0]?.text).toContain('Not ready yet: the MCP server slow');
});

test('helve names the silent server of a flag while it waits for it, then starts without it', async () => {
  const config = JSON.stringify({ mcpServers: { mute: silent } });
  const { stdout, stderr } = await ask({}, { args: ['--mcp-config', config] });
  expect(stdout).toBe('hi\n');
  expect(stderr).toBe(
    'helve: Waiting for the MCP server mute before the first request.\nhelve: The MCP server mute did not answer within 4 s.\n',
  );
}, 60_000);

test('helve tools names the server that it waits for', async () => {
  const config = JSON.stringify({ mcpServers: { mute: silent } });
  const { stderr } = await runHelve(['tools', '--mcp-config', config], {
    cwd: await emptyFolder(),
    env: { MCP_TIMEOUT: '4000' },
  });
  expect(stderr).toMatch(/^helve: Waiting for the MCP server mute\. MCP_TIMEOUT sets how long, in milliseconds/);
}, 60_000);

test('a list of resources does not wait for a silent server, and names it', async () => {
  const list = { calls: [{ name: 'ListMcpResources', input: {} }] };
  const { requests } = await ask(
    { mcpServers: { mute: silent, odd: odd('plain') } },
    { answers: [list, { text: 'hi' }] },
  );
  expect(requests[1]?.text).toMatch(/mute[^"]*(?:connecting|not ready|not connected)/);
}, 60_000);
