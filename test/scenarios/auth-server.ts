// A server with one tool that requires OAuth, and its authorization server, on one port of this machine. Codes and
// refresh tokens are good once, as in OAuth 2.1: one that comes twice ends the whole sign-in.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as bodyOf } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  path: string;
  method: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** The fields of a form. */
  form: URLSearchParams;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

export interface AuthServer {
  origin: string;
  /** The address of the MCP server. */
  url: string;
  requests: SeenRequest[];
  /** The requests to one path. */
  at(path: string): SeenRequest[];
  /** Answers in place of the server's own, by path. */
  answers: Map<string, Answer>;
  metadata: Record<string, unknown>;
  resource: Record<string, unknown>;
  /** Seconds that tokens live. */
  lifetime: number;
  /** Makes all access tokens invalid, but no refresh token. */
  expireAll(): void;
  /** Makes everything invalid. */
  revokeAll(): void;
}

export interface ServerSetup {
  /** How the server is reached from outside, if not directly. */
  listen?: (listener: RequestListener) => Promise<string>;
}

export async function authServer({ listen = listenPlainly }: ServerSetup = {}): Promise<AuthServer> {
  const requests: SeenRequest[] = [];
  const answers = new Map<string, Answer>();
  const codes = new Map<string, { challenge: string; redirectUri: string }>();
  const [access, refresh] = [new Set<string>(), new Set<string>()];
  const random = (): string => randomBytes(16).toString('hex');

  const origin = await listen(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://server');
    const body = await bodyOf(incoming);
    const { method = 'GET', headers } = incoming;
    const form = method === 'GET' ? searchParams : new URLSearchParams(body);
    const request = { path: pathname, method, headers, body, form };
    requests.push(request);
    const answer = answers.get(pathname) ?? own[pathname];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });

  const server: AuthServer = {
    origin,
    url: `${origin}/mcp`,
    requests,
    at: (path) => requests.filter((request) => request.path === path),
    answers,
    lifetime: 3600,
    resource: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['read'] },
    metadata: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    },
    expireAll: () => access.clear(),
    revokeAll: () => {
      access.clear();
      refresh.clear();
    },
  };

  const own: Record<string, Answer> = {
    '/.well-known/oauth-protected-resource/mcp': (_, response) => json(response, 200, server.resource),
    '/.well-known/oauth-authorization-server': (_, response) => json(response, 200, server.metadata),
    '/register': ({ body }, response) => json(response, 201, { ...JSON.parse(body), client_id: `client-${random()}` }),
    '/authorize': ({ form }, response) => {
      const code = random();
      const redirectUri = form.get('redirect_uri') ?? '';
      codes.set(code, { challenge: form.get('code_challenge') ?? '', redirectUri });
      const target = new URL(redirectUri);
      target.search = new URLSearchParams({ code, state: form.get('state') ?? '', iss: origin }).toString();
      response.writeHead(302, { location: target.href }).end();
    },
    '/token': ({ form }, response) => {
      const grant = form.get('grant_type');
      if (grant === 'authorization_code' && !isGoodCode(form)) return refused(response);
      if (grant === 'refresh_token' && !refresh.delete(form.get('refresh_token') ?? '')) {
        server.revokeAll();
        return refused(response);
      }
      const tokens = { access_token: random(), token_type: 'Bearer', expires_in: server.lifetime };
      access.add(tokens.access_token);
      if (grant === 'client_credentials') return json(response, 200, tokens);
      const next = random();
      refresh.add(next);
      return json(response, 200, { ...tokens, refresh_token: next });
    },
    '/revoke': ({ form }, response) => {
      const token = form.get('token') ?? '';
      if (refresh.delete(token)) access.clear();
      access.delete(token);
      response.writeHead(200).end();
    },
    '/mcp': ({ method, headers, body }, response) => {
      if (method !== 'POST') return response.writeHead(405).end();
      if (!access.has((headers.authorization ?? '').replace('Bearer ', ''))) {
        const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
        response.setHeader('www-authenticate', `Bearer error="invalid_token", resource_metadata="${metadata}"`);
        return json(response, 401, { error: 'invalid_token' });
      }
      return answerCall(JSON.parse(body), response);
    },
  };

  function isGoodCode(form: URLSearchParams): boolean {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const hash = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return code?.challenge === hash && code.redirectUri === form.get('redirect_uri');
  }
  return server;
}

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const refused = (response: ServerResponse): void => json(response, 400, { error: 'invalid_grant' });

/** The protocol of 2025-11-25, with one tool. */
function answerCall({ id, method }: { id?: number; method: string }, response: ServerResponse): void {
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'signed', version: '1' },
    },
    'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object', properties: {} } }] },
    'tools/call': { content: [{ type: 'text', text: 'hello to you' }] },
  };
  const result = results[method];
  if (result === undefined) json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
  else json(response, 200, { jsonrpc: '2.0', id, result });
}

async function listenPlainly(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}`;
}
