import { generateKeyPairSync, verify } from 'node:crypto';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Model, ModelFailure, type ModelRequest } from '../../contract/model.js';
import {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
} from '../../testing/fake-model-server.js';
import { startLocalServer, type TestServer } from '../../testing/local-server.js';
import { chooseModel } from '../catalogue/choose-model.js';
import { googleAuthorization } from './google/google-authorization.js';
import { vertexAddress } from './vertex.js';

const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  closing.push(() => server.close());
  return server;
}

interface TokenServer {
  server: TestServer;
  forms: URLSearchParams[];
}

/** Gives the tokens token-1, token-2 and so on, or refuses. */
async function serveTokens({ refuses = false, expiresIn = 3600 } = {}): Promise<TokenServer> {
  const forms: URLSearchParams[] = [];
  const server = await startLocalServer(async (request, response) => {
    const number = forms.push(new URLSearchParams(await textOf(request)));
    response.writeHead(refuses ? 400 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        refuses
          ? { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }
          : { access_token: `token-${number}`, expires_in: expiresIn, token_type: 'Bearer' },
      ),
    );
  });
  closing.push(() => server.close());
  return { server, forms };
}

async function textOf(request: IncomingMessage): Promise<string> {
  return (await Array.fromAsync(request)).join('');
}

async function file(content: unknown): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'helve-google-')), 'credentials.json');
  await writeFile(path, JSON.stringify(content));
  return path;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const serviceAccount = async (tokenUri: string): Promise<string> =>
  await file({
    type: 'service_account',
    project_id: 'project-of-the-file',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'robot@project.iam.gserviceaccount.com',
    token_uri: tokenUri,
  });

const env = { HOME: '/nonexistent', HELVE_HOME: '/nonexistent' };

const modelAt = async (server: FakeModelServer, own: Record<string, string>): Promise<Model> =>
  await chooseModel('vertex/claude-sonnet-4-5@20250929', {
    ...env,
    ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
    ...own,
  });

const ask = async (model: Model) => await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));

async function failureOf(model: Promise<Model>): Promise<ModelFailure> {
  try {
    const chosen = await model;
    chosen.check?.();
    await ask(chosen);
  } catch (error) {
    if (error instanceof ModelFailure) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

test('exchanges an assertion of the service account for a token, once for all parallel requests', async () => {
  const { server: tokens, forms } = await serveTokens();
  const server = await serve([{ text: 'Hello.' }, { text: 'Hello.' }, { text: 'Hello.' }]);
  const model = await modelAt(server, { GOOGLE_APPLICATION_CREDENTIALS: await serviceAccount(`${tokens.url}/token`) });
  await Promise.all([ask(model), ask(model), ask(model)]);

  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer token-1'));
  expect(server.requests[0]?.path).toBe(
    '/v1/projects/project-of-the-file/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
  );
  expect(Object.keys(server.requests[0]?.body ?? {})).toEqual([
    'anthropic_version',
    'stream',
    'max_tokens',
    'messages',
  ]);

  expect(forms).toHaveLength(1);
  expect(forms[0]?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [header = '', claims = '', signature = ''] = forms[0]?.get('assertion')?.split('.') ?? [];
  const signed = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${claims}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  expect(signed).toBe(true);
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: 'robot@project.iam.gserviceaccount.com',
    aud: `${tokens.url}/token`,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  });
});

test('sends Gemini requests in the Gemini format to its publisher, with the same credentials', async () => {
  const { server: tokens } = await serveTokens();
  const server = await serve([
    { status: 401, error: { type: 'authentication_error', message: 'expired' } },
    { text: 'Hello.' },
  ]);
  const model = await chooseModel('vertex/gemini', {
    ...env,
    ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
    CLOUD_ML_REGION: 'eu',
    GOOGLE_APPLICATION_CREDENTIALS: await serviceAccount(tokens.url),
  });
  await ask(model);
  expect([model.provider, model.facts?.contextTokens]).toEqual(['vertex', 1_048_576]);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  expect(server.requests[1]?.headers['x-goog-api-key']).toBeUndefined();
  expect(server.requests[1]?.path).toBe(
    '/v1/projects/project-of-the-file/locations/eu/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
  );
  expect(server.refused).toEqual([]);
});

test('explains a Gemini model that is not there', async () => {
  const error = {
    type: 'not_found_error',
    message: 'Publisher Model `x` was not found or your project has no access.',
  };
  const server = await serve([{ status: 404, error }]);
  const model = chooseModel('vertex/gemini-9', { ...env, ...token, ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1` });
  const { kind, message } = await failureOf(model);
  expect(kind).toBe('unknown_model');
  expect(message).toMatch(/no model "gemini-9" for the project my-project in global.*Model Garden/);
});

test('refreshes the token of a person, and again when it has expired or was refused', async () => {
  const { server: tokens, forms } = await serveTokens({ expiresIn: 600 });
  const path = await file({
    type: 'authorized_user',
    client_id: 'id',
    client_secret: 'secret',
    refresh_token: 'refresh',
  });
  let now = 1_000_000_000_000;
  const userTokenUri = `${tokens.url}/token`;
  const authorization = googleAuthorization({ GOOGLE_APPLICATION_CREDENTIALS: path }, { userTokenUri, now: () => now });
  const token = async () =>
    (await authorization.headersFor({ url: '', headers: {}, body: '' }, AbortSignal.timeout(60_000)))['authorization'];

  expect(await Promise.all([token(), token()])).toEqual(['Bearer token-1', 'Bearer token-1']);
  expect(Object.fromEntries(forms[0] ?? [])).toEqual({
    grant_type: 'refresh_token',
    client_id: 'id',
    client_secret: 'secret',
    refresh_token: 'refresh',
  });
  now += 550_000; // less than a minute is left
  expect(await Promise.all([token(), token(), token()])).toEqual(Array(3).fill('Bearer token-2'));
  expect(authorization.mayRetry?.({ status: 401, header: () => undefined, body: '', sent: {} })).toBe(true);
  expect(await token()).toBe('Bearer token-3');
  expect(authorization.mayRetry?.({ status: 403, header: () => undefined, body: '', sent: {} })).toBe(false);
});

test('sends a request once more with a fresh token after a 401', async () => {
  const { server: tokens } = await serveTokens();
  const server = await serve([
    { status: 401, error: { type: 'UNAUTHENTICATED', message: 'expired' } },
    { text: 'Hello.' },
  ]);
  await ask(await modelAt(server, { GOOGLE_APPLICATION_CREDENTIALS: await serviceAccount(tokens.url) }));
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('runs gcloud without a shell if there is no file with credentials', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-gcloud-'));
  await writeFile(join(folder, 'gcloud'), '#!/bin/sh\necho "token-of-$1-$2"\n');
  await chmod(join(folder, 'gcloud'), 0o755);
  const server = await serve([{ text: 'Hello.' }]);
  await ask(await modelAt(server, { GOOGLE_CLOUD_PROJECT: 'p', PATH: `${folder}:${process.env['PATH']}` }));
  expect(server.requests[0]?.headers.authorization).toBe('Bearer token-of-auth-print-access-token');
});

test.each([
  ['global', 'https://aiplatform.googleapis.com/v1'],
  ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ['us-east5', 'https://us-east5-aiplatform.googleapis.com/v1'],
])('asks at the host of the location %s', (location, address) => {
  expect(vertexAddress(location)).toBe(address);
});

const google = (status: number, type: string, message: string): FakeAnswer => ({ status, error: { type, message } });
const token = { CLOUDSDK_AUTH_ACCESS_TOKEN: 'ya29.very-secret', ANTHROPIC_VERTEX_PROJECT_ID: 'my-project' };

test.each<[string, FakeAnswer, string, RegExp]>([
  [
    'a disabled API',
    google(403, 'PERMISSION_DENIED', 'Vertex AI API has not been used in project 1 before or it is disabled.'),
    'auth',
    /gcloud services enable aiplatform.googleapis.com --project my-project/,
  ],
  [
    'a missing role',
    google(403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied on resource"),
    'auth',
    /may not use Vertex AI in the project my-project.*Vertex AI User/,
  ],
  [
    'a refused token',
    google(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials: ya29.very-secret'),
    'auth',
    /refused the credentials \(401: [^)]*\[key\]\).*gcloud auth application-default login/,
  ],
  [
    'a model that is not there',
    google(
      404,
      'NOT_FOUND',
      'Publisher Model `projects/p/models/x` was not found or your project does not have access to it.',
    ),
    'unknown_model',
    /no model "claude-sonnet-4-5@20250929" for the project my-project in global.*Model Garden/,
  ],
  ['too many requests', google(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded'), 'rate_limited', /limits the rate/],
])('explains %s', async (_, answer, kind, words) => {
  const failure = await failureOf(modelAt(await serve([answer]), token));
  expect(failure.kind).toBe(kind);
  expect(failure.message).toMatch(words);
  expect(failure.message).not.toContain('very-secret');
});

test.each<[string, () => Promise<Record<string, string>>, RegExp]>([
  [
    'without a project',
    async () => ({ CLOUDSDK_AUTH_ACCESS_TOKEN: 'x' }),
    /No Google Cloud project.*ANTHROPIC_VERTEX_PROJECT_ID/,
  ],
  [
    'with a location that is none',
    async () => ({ ...token, CLOUD_ML_REGION: 'evil.example/' }),
    /CLOUD_ML_REGION is "evil.example\/"/,
  ],
  [
    'without credentials',
    async () => ({ GOOGLE_CLOUD_PROJECT: 'p', PATH: '/nonexistent' }),
    /No Google credentials.*gcloud auth application-default login/,
  ],
  [
    'with a file that is missing',
    async () => ({ GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_APPLICATION_CREDENTIALS: '/nonexistent/x.json' }),
    /x.json can't be used: ENOENT.*GOOGLE_APPLICATION_CREDENTIALS/,
  ],
  [
    'with a token address in the clear',
    async () => ({
      GOOGLE_APPLICATION_CREDENTIALS: await serviceAccount('http://example.com/token'),
      GOOGLE_CLOUD_PROJECT: 'p',
    }),
    /"token_uri" does not begin with https/,
  ],
])('says what to set %s', async (_, own, words) => {
  expect((await failureOf(modelAt(await serve([]), await own()))).message).toMatch(words);
});

test('says why a refresh failed, without the secrets that were sent', async () => {
  const { server: tokens } = await serveTokens({ refuses: true });
  const server = await serve([]);
  const failure = await failureOf(
    modelAt(server, { GOOGLE_APPLICATION_CREDENTIALS: await serviceAccount(tokens.url) }),
  );
  expect(failure.kind).toBe('auth');
  expect(failure.message).toMatch(/gave no access token .*400, invalid_grant, Token has been expired or revoked/);
});
