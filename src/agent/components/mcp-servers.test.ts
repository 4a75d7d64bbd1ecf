import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { nodePost } from '../../models/http/post.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import type { SessionComponent } from '../session-component.js';
import { mcpServers } from './mcp-servers.js';

async function component(): Promise<{ servers: SessionComponent; log: string[] }> {
  const { engine, remove } = await temporaryProject();
  onTestFinished(remove);
  const log: string[] = [];
  const servers = {
    start: async () => void log.push('start'),
    requested: () => void log.push('requested'),
    beforePrompt: async () => {},
    announceAgain: () => {},
    rest: () => {},
  };
  return { servers: mcpServers(servers, engine.session, { isResumed: false }), log };
}

test('servers start when the first request has left, once in a run', async () => {
  const { servers, log } = await component();
  servers.onEvent?.({ type: 'turn_start', turn: 1, at: 0 });
  expect(log).toEqual(['requested']);
  servers.onRequestSent?.();
  servers.onEvent?.({ type: 'text_delta', text: 'Hello', at: 0 });
  servers.onEvent?.({ type: 'turn_start', turn: 2, at: 0 });
  servers.onRequestSent?.();
  expect(log).toEqual(['requested', 'start', 'requested']);
});

test('with a model that does not report when a request left, they start when the answer begins', async () => {
  const { servers, log } = await component();
  servers.onEvent?.({ type: 'turn_start', turn: 1, at: 0 });
  servers.onEvent?.({ type: 'text_delta', text: 'Hello', at: 0 });
  expect(log).toEqual(['requested', 'start']);
});

test('a request is reported as sent before it is answered', async () => {
  const log: string[] = [];
  const answered = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    await answered.promise;
    log.push('answered');
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  const post = nodePost();
  await post(`http://127.0.0.1:${port}/`, {
    headers: {},
    body: 'x'.repeat(100_000),
    signal: new AbortController().signal,
    onSent() {
      log.push('sent');
      answered.resolve();
    },
  });
  post.release?.();
  expect(log).toEqual(['sent', 'answered']);
});
