// Requests to the HTTP side of the server, byte by byte, and that side alone with a session that does no work.
import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type HttpServerOptions, serveOverHttp } from '../../src/mcp/server/serve-http.js';
import type { ServedSession } from '../../src/mcp/server/serve-port.js';

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

export interface RawAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** A request with exactly these headers, as an attacker would send it. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string | string[]>>,
  { body = JSON.stringify(initialize), method = 'POST', path }: { body?: string; method?: string; path?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url);
  return await new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path: path ?? pathname,
        method,
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The HTTP side alone, with a session that takes note of what becomes of it. */
export async function serveWith(options: Partial<HttpServerOptions> = {}) {
  const log: string[] = [];
  let opened = 0;
  const open = (): ServedSession => {
    opened += 1;
    return session;
  };
  const session: ServedSession = {
    tools: async () => [],
    async call({ signal }) {
      log.push('called');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      log.push('cancelled');
      return { content: 'cancelled', failure: 'interrupted' };
    },
    async end() {
      log.push('ended');
    },
  };
  const identity = { name: 'test', version: '1', instructions: '' };
  const service = await serveOverHttp({ port: 0, token: 'token', open, identity, onProblem() {}, ...options });
  onTestFinished(async () => await service.close());
  return { url: service.url, token: 'token', log, service, opened: () => opened };
}
