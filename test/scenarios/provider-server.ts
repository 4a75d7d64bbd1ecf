// OpenAI's, OpenRouter's and GitHub's sign-ins on one port of this machine, as strict as their documents: proof keys,
// redirects, clients and nonces are checked, codes and refresh tokens are good once, and requests to the model of a plan
// are refused if they have a field that a plan does not accept.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as bodyOf } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** The fields of a query or a form. */
  form: URLSearchParams;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

export interface ProviderServer {
  origin: string;
  requests: SeenRequest[];
  /** The requests to one path. */
  at(path: string): SeenRequest[];
  /** Answers in place of the server's own, by path. */
  answers: Map<string, Answer>;
  /** Seconds that tokens live. */
  lifetime: number;
  /** Who is signed in in the browser, and whether they allow the use of the plan. */
  person: { subject: string; email: string; allowsPlan: boolean };
  /** Changes claims of ID tokens. */
  claims: Record<string, unknown>;
  /** Signs ID tokens with another key than the published one. */
  forges: boolean;
  /** All tokens that were ever issued. */
  issued: string[];
  /** Makes all access tokens invalid, but no refresh token. */
  expireAll(): void;
  /** Makes everything invalid. */
  revokeAll(): void;
}

const PLAN_SCOPE = 'chatgpt.tokens.use.direct';
const REFUSED_FIELDS = ['max_output_tokens', 'temperature', 'top_p', 'previous_response_id', 'metadata', 'truncation'];

interface Grant {
  challenge: string;
  redirectUri: string;
  clientId: string;
  nonce: string;
}

/** `model` is the address of a fake model server, which answers requests with a valid token. */
export async function providerServer(model?: string): Promise<ProviderServer> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [access, clients] = [new Set<string>(), new Map<string, string>()];
  const refresh = new Map<string, string>(); // with the client that it belongs to
  const codes = new Map<string, Grant>();
  const own: Record<string, Answer> = {};
  const http = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://server');
    const body = await bodyOf(incoming);
    const form = incoming.method === 'GET' ? searchParams : new URLSearchParams(body);
    const seen = { path: pathname, headers: incoming.headers, body, form };
    server.requests.push(seen);
    const answer = server.answers.get(pathname) ?? own[pathname];
    if (answer) answer(seen, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo; // it listens on a port
  const origin = `http://127.0.0.1:${port}`;
  const api = `${origin}/v1`;

  const server: ProviderServer = {
    origin,
    requests: [],
    at: (path) => server.requests.filter((request) => request.path === path),
    answers: new Map(),
    lifetime: 3600,
    person: { subject: 'user-1', email: 'ada@example.com', allowsPlan: true },
    claims: {},
    forges: false,
    issued: [],
    expireAll: () => access.clear(),
    revokeAll: () => {
      access.clear();
      refresh.clear();
    },
  };

  const issue = (name: string): string => {
    const token = `${name}-${randomBytes(24).toString('hex')}`;
    server.issued.push(token);
    return token;
  };
  const idToken = (grant: Grant): string => {
    const { subject, email } = server.person;
    const exp = Math.floor(Date.now() / 1000) + 300;
    const claims = { iss: origin, aud: grant.clientId, sub: subject, email, exp, nonce: grant.nonce, ...server.claims };
    return signed({ alg: 'RS256', kid: 'one', typ: 'JWT' }, claims, server.forges ? other.privateKey : keys.privateKey);
  };
  const tokens = (clientId: string) => {
    const [one, next] = [issue('access'), issue('refresh')];
    access.add(one);
    refresh.set(next, clientId);
    const scope = `openid profile email offline_access resource.invoke${server.person.allowsPlan ? ` ${PLAN_SCOPE}` : ''}`;
    return { access_token: one, refresh_token: next, token_type: 'Bearer', expires_in: server.lifetime, scope };
  };

  own['/.well-known/openid-configuration'] = (_, response) =>
    json(response, 200, { issuer: origin, jwks_uri: `${origin}/jwks`, revocation_endpoint: `${origin}/revoke` });
  own['/jwks'] = (_, response) => {
    json(response, 200, { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] });
  };
  own['/api/accounts/authorize'] = ({ form }, response) => {
    const problem = problemOfAuthorization(form, clients, api);
    if (problem !== undefined) return void response.writeHead(400).end(problem);
    const asked = form.get('client_id') ?? '';
    const clientId = asked === 'dynamic_agent_client' ? `oaiapp_${randomBytes(6).toString('hex')}` : asked;
    clients.set(clientId, server.person.subject);
    const code = randomBytes(16).toString('hex');
    const redirectUri = form.get('redirect_uri') ?? '';
    const [challenge, nonce] = [form.get('code_challenge') ?? '', form.get('nonce') ?? ''];
    codes.set(code, { challenge, redirectUri, clientId, nonce });
    redirect(response, redirectUri, { code, state: form.get('state') ?? '', client_id: clientId });
  };
  own['/api/accounts/oauth/token'] = ({ form }, response) => {
    if (form.get('resource') !== api) return json(response, 400, { error: 'invalid_target' });
    if (form.get('grant_type') === 'authorization_code') {
      const grant = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const isGood =
        grant?.challenge === challengeOf(form.get('code_verifier') ?? '') &&
        grant.redirectUri === form.get('redirect_uri') &&
        grant.clientId === form.get('client_id');
      if (!isGood) return json(response, 400, { error: 'invalid_grant', error_description: 'The code is not valid.' });
      return json(response, 200, { ...tokens(grant.clientId), id_token: idToken(grant) });
    }
    const token = form.get('refresh_token') ?? '';
    const clientId = refresh.get(token);
    refresh.delete(token);
    if (clientId === undefined || clientId !== form.get('client_id')) {
      server.revokeAll(); // a refresh token that comes twice was stolen
      return json(response, 400, { error: 'invalid_grant', error_description: `No session for ${token}.` });
    }
    return json(response, 200, tokens(clientId));
  };
  own['/revoke'] = ({ form }, response) => {
    if (refresh.delete(form.get('token') ?? '')) access.clear();
    response.writeHead(200).end();
  };
  own['/v1/models'] = ({ headers }, response) => {
    if (!isValid(headers)) return json(response, 401, { error: { message: 'No.', code: 'invalid_token' } });
    const [first, hidden] = ['plan-large', 'plan-hidden'];
    json(response, 200, {
      models: [
        { slug: first, display_name: 'Plan Large', visibility: 'list' },
        { slug: hidden, display_name: 'Hidden', visibility: 'hide' },
      ],
    });
  };
  own['/v1/responses'] = (request, response) => {
    if (!isValid(request.headers)) {
      return json(response, 401, { error: { message: `Token ${request.headers.authorization} is not valid.` } });
    }
    const body = JSON.parse(request.body);
    const refusedField = REFUSED_FIELDS.find((name) => name in body);
    const isFlat = body.tools !== undefined;
    if (refusedField !== undefined || isFlat || body.store !== false || body.stream !== true) {
      const param = refusedField ?? (isFlat ? 'tools' : 'store');
      const code = 'subscription_sharing_unsupported_capability';
      return json(response, 400, { error: { message: `${param} is not supported.`, code, param } });
    }
    forward(`${model}/v1/responses`, request, response);
  };

  own['/auth'] = ({ form }, response) => {
    const code = randomBytes(16).toString('hex');
    const redirectUri = form.get('callback_url') ?? '';
    if (form.get('code_challenge_method') !== 'S256') return void response.writeHead(400).end();
    codes.set(code, { challenge: form.get('code_challenge') ?? '', redirectUri, clientId: '', nonce: '' });
    redirect(response, redirectUri, { code });
  };
  own['/api/v1/auth/keys'] = ({ body }, response) => {
    const { code, code_verifier } = JSON.parse(body);
    const grant = codes.get(code);
    codes.delete(code);
    if (grant?.challenge !== challengeOf(code_verifier)) return json(response, 403, { error: 'Invalid code' });
    return json(response, 200, { key: issue('sk-or-v1') });
  };

  let asked = 0;
  own['/login/device/code'] = ({ form }, response) => {
    if (form.get('client_id') !== 'my-app') return json(response, 404, { error: 'Not Found' });
    const codes = { device_code: 'device-1', user_code: 'ABCD-1234', verification_uri: `${origin}/login/device` };
    return json(response, 200, { ...codes, interval: 0, expires_in: 900 });
  };
  own['/login/oauth/access_token'] = (_, response) => {
    asked += 1;
    if (asked === 1) return json(response, 200, { error: 'authorization_pending' });
    return json(response, 200, { access_token: issue('gho'), token_type: 'bearer' });
  };
  own['/copilot_internal/v2/token'] = ({ headers }, response) => {
    if (!headers.authorization?.startsWith('Bearer gho-')) return json(response, 401, { message: 'Bad credentials' });
    const token = issue('copilot');
    access.add(token);
    const expires_at = Math.floor(Date.now() / 1000) + server.lifetime;
    return json(response, 200, { token, expires_at, endpoints: { api: origin } });
  };
  own['/models'] = (_, response) =>
    json(response, 200, { data: [{ id: 'copilot-large', name: 'Large', model_picker_enabled: true }] });
  own['/chat/completions'] = (request, response) => {
    if (!isValid(request.headers)) return json(response, 401, { error: { message: 'unauthorized: token expired' } });
    forward(`${model}/v1/chat/completions`, request, response);
  };

  const isValid = ({ authorization = '' }: IncomingMessage['headers']): boolean =>
    access.has(authorization.replace('Bearer ', ''));
  return server;
}

const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'resource.invoke', PLAN_SCOPE].join(' ');

function problemOfAuthorization(form: URLSearchParams, clients: Map<string, string>, api: string): string | undefined {
  const clientId = form.get('client_id') ?? '';
  const isFirst = clientId === 'dynamic_agent_client';
  if (!isFirst && !clients.has(clientId)) return 'unknown client';
  if (isFirst !== (form.get('agent_name_hint') === 'Helve')) return 'the name belongs to the first sign-in';
  if (!/^urn:uuid:[0-9a-f-]{36}$/.test(form.get('ext_agent_host_id') ?? '')) return 'no host';
  if (!/^http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/.test(form.get('redirect_uri') ?? '')) return 'redirect';
  if (form.get('response_type') !== 'code' || form.get('code_challenge_method') !== 'S256') return 'flow';
  if (form.get('resource') !== api || form.get('scope') !== SCOPES) return 'resource or scope';
  if ((form.get('state') ?? '').length < 20 || (form.get('nonce') ?? '').length < 20) return 'state or nonce';
  return undefined;
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

function signed(header: unknown, claims: unknown, key: KeyObject): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
}

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export function redirect(response: ServerResponse, address: string, fields: Record<string, string>): void {
  const target = new URL(address);
  target.search = new URLSearchParams(fields).toString();
  response.writeHead(302, { location: target.href }).end();
}

function forward(url: string, { body }: SeenRequest, response: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const passed = send(url, { method: 'POST', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  passed.end(body);
}
