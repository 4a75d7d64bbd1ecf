// Real clients of the Agent Client Protocol against helve serve: acpx, and the WebSocket client of the official SDK.
// They are not among the dependencies: the CI fetches them, and docs/acp.md says how to do it by hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ServeClient, servePlace, startServe } from '../cli/serve-client.js';
import type { Line } from '../cli/stream-json-host.js';
import { clientsFolder } from './acp-schema.js';

const acpx = join(clientsFolder, 'acpx/dist/cli.js');
const bridge = resolve('test/hosts/acp-over-web-socket.mjs');
const sdk = join(clientsFolder, '@agentclientprotocol/sdk/package.json');

function withProgram(program: string, name: string, body: () => Promise<void>): void {
  test(name, async ({ skip }) => {
    if (!existsSync(program)) skip(`${program} is not there: docs/acp.md says how to fetch it.`);
    await body();
  });
}

/** A call that writes a file, then an answer. */
const writing = [{ calls: [{ name: 'Write', input: { file_path: 'a.txt', content: 'hi\n' } }] }, { text: 'Done.' }];

const address = (url: string): string => `${url.replace(/^http/, 'ws')}/acp`;

withProgram(acpx, 'acpx runs a prompt on the server, and another client sees the session', async () => {
  const at = await servePlace(writing);
  const { url } = await startServe(at);
  const token = await at.token('run');
  const agent = [process.execPath, bridge, address(url), token].join(' ');
  const args = [acpx, '--agent', agent, '--cwd', at.cwd, '--format', 'json', '--ttl', '1', '--approve-all'];
  const child = spawn(process.execPath, [...args, 'exec', 'write a.txt'], {
    cwd: at.cwd,
    env: { PATH: process.env['PATH'], HOME: at.cwd },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output).toContain('end_turn');
  expect(readFileSync(join(at.cwd, 'a.txt'), 'utf8')).toBe('hi\n');
  const client = await ServeClient.connect(url, token);
  const { sessions } = await client.request('_helve/sessions/list');
  expect(sessions).toMatchObject([{ title: 'write a.txt', surface: 'background', root: at.cwd }]);
});

interface SdkContext {
  request(method: string, params: unknown): Promise<Line>;
}

withProgram(
  sdk,
  'the WebSocket client of the official SDK runs a conversation, and resumes it over another one',
  async () => {
    const at = await servePlace([...writing, { text: 'Again.' }]);
    const { url } = await startServe(at);
    const headers = { Authorization: `Bearer ${await at.token('run')}` };
    const clients = createRequire(join(clientsFolder, 'x.js'));
    const { client } = await import(clients.resolve('@agentclientprotocol/sdk'));
    const { createWebSocketStream } = await import(clients.resolve('@agentclientprotocol/sdk/experimental/ws-client'));
    const updates: Line[] = [];
    const asked: Line[] = [];
    const connected = async (work: (context: SdkContext) => Promise<void>): Promise<void> => {
      const app = client({ name: 'test' })
        .onRequest('session/request_permission', ({ params }: { params: Line }) => {
          asked.push(params);
          return { outcome: { outcome: 'selected', optionId: 'allow' } };
        })
        .onNotification('session/update', ({ params }: { params: Line }) => void updates.push(params));
      const stream = createWebSocketStream(address(url), { WebSocket, headers });
      await app.connectWith(stream, async (context: SdkContext) => {
        await context.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
        await work(context);
      });
    };
    let sessionId: unknown;
    const cwd = at.cwd;
    await connected(async (context) => {
      ({ sessionId } = await context.request('session/new', { cwd, mcpServers: [] }));
      const prompt = [{ type: 'text', text: 'write a.txt' }];
      expect(await context.request('session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
    });
    expect(asked).toHaveLength(1);
    expect(readFileSync(join(at.cwd, 'a.txt'), 'utf8')).toBe('hi\n');
    updates.length = 0;
    await connected(async (context) => {
      await context.request('session/load', { sessionId, cwd, mcpServers: [] });
      expect(JSON.stringify(updates)).toContain('Done.');
      const prompt = [{ type: 'text', text: 'again' }];
      expect(await context.request('session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
    });
  },
);
