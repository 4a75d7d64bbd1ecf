import { afterEach, expect, test } from 'vitest';
import { type Model, ModelFailure, type ModelRequest } from '../../contract/model.js';
import {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
} from '../../testing/fake-model-server.js';
import { chooseModel } from '../catalogue/choose-model.js';

const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

const modelFor = async (own: Record<string, string>, modelsFile = '{}'): Promise<Model> =>
  await chooseModel('azure/my-deployment', { HOME: '/nonexistent', ...own }, { readFile: async () => modelsFile });

const ask = async (model: Model) => await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));

async function failureOf(model: Promise<Model>): Promise<ModelFailure> {
  try {
    await ask(await model);
  } catch (error) {
    if (error instanceof ModelFailure) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

test.each([
  ['the address of the resource', '', {}, '{}', '/openai/v1/responses'],
  ['the address of the v1 API', '/openai/v1/', {}, '{}', '/openai/v1/responses'],
  [
    'the target that the portal shows',
    '/openai/deployments/x/chat/completions?api-version=2024-10-21',
    {},
    '{}',
    '/openai/v1/responses',
  ],
  ['"wire": "chat" in models.json', '', {}, '{"providers":{"azure":{"wire":"chat"}}}', '/openai/v1/chat/completions'],
  [
    'a dated version',
    '',
    { AZURE_OPENAI_API_VERSION: '2024-10-21' },
    '{}',
    '/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21',
  ],
  ['a preview', '', { AZURE_OPENAI_API_VERSION: 'preview' }, '{}', '/openai/v1/responses?api-version=preview'],
])('finds its path with %s', async (_, ending, own, modelsFile, path) => {
  const server = await serve([{ text: 'Hello.' }]);
  const env = { AZURE_OPENAI_API_KEY: 'secret-azure-key', AZURE_OPENAI_ENDPOINT: server.url + ending, ...own };
  await ask(await modelFor(env, modelsFile));
  expect(server.requests.map((request) => request.path)).toEqual([path]);
  expect(server.requests[0]?.headers).toMatchObject({ 'api-key': 'secret-azure-key' });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(server.requests[0]?.body.model).toBe('my-deployment');
});

test('sends an Entra token as a bearer token', async () => {
  const server = await serve([{ text: 'Hello.' }]);
  await ask(await modelFor({ AZURE_OPENAI_AD_TOKEN: 'entra-token', AZURE_OPENAI_ENDPOINT: server.url }));
  expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer entra-token' });
  expect(server.requests[0]?.headers).not.toHaveProperty('api-key');
});

test('gets a token from keyCommand of models.json, once for several requests and again after a 401', async () => {
  const server = await serve([{ text: 'One.' }, { text: 'Two.' }, { status: 401, error: 'no' }, { text: 'Three.' }]);
  const program = ['sh', '-c', 'echo token-$$'];
  const model = await modelFor(
    { AZURE_OPENAI_ENDPOINT: server.url, PATH: process.env['PATH'] ?? '' },
    JSON.stringify({ providers: { azure: { keyCommand: program } } }),
  );
  await Promise.all([ask(model), ask(model)]);
  await ask(model);
  const tokens = server.requests.map(({ headers }) => headers.authorization);
  expect(tokens[0]).toMatch(/^Bearer token-\d+$/);
  expect(new Set(tokens.slice(0, 3)).size).toBe(1);
  expect(tokens[3]).not.toBe(tokens[0]);
});

const azure = (status: number, type: string, message: string): FakeAnswer => ({
  status,
  error: JSON.stringify({ error: { code: type, message } }),
});

test.each<[string, FakeAnswer, string, RegExp]>([
  [
    'a deployment that is not there',
    azure(404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.'),
    'unknown_model',
    /no deployment "my-deployment".*azure\/NAME/,
  ],
  [
    'a deployment that is not there, in the words of the v1 API',
    azure(404, 'model_not_found', 'The model `my-deployment` does not exist or you do not have access to it.'),
    'unknown_model',
    /no deployment "my-deployment".*azure\/NAME/,
  ],
  [
    'a wrong address',
    azure(404, '404', 'Resource not found'),
    'unreachable',
    /no Azure OpenAI at this address.*AZURE_OPENAI_ENDPOINT/,
  ],
  [
    'a key of another resource',
    azure(401, '401', 'Access denied due to invalid subscription key or wrong API endpoint. secret-azure-key'),
    'auth',
    /AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT belong to the same resource/,
  ],
  [
    'a blocked network',
    azure(403, '403', 'Public access is disabled. Please configure private endpoint.'),
    'auth',
    /network rules/,
  ],
  [
    'a version that it does not know',
    azure(400, 'BadRequest', 'API version not supported'),
    'unreachable',
    /AZURE_OPENAI_API_VERSION/,
  ],
  [
    'the page of a proxy',
    { status: 403, error: '<html>Blocked</html>', headers: { 'content-type': 'text/html' } },
    'unreachable',
    /web page answered instead of Azure OpenAI/,
  ],
])('explains %s', async (_, answer, kind, words) => {
  const server = await serve([answer]);
  const failure = await failureOf(
    modelFor({ AZURE_OPENAI_API_KEY: 'secret-azure-key', AZURE_OPENAI_ENDPOINT: server.url }),
  );
  expect(failure.kind).toBe(kind);
  expect(failure.message).toMatch(words);
  expect(failure.message).not.toContain('secret-azure-key');
});

test.each([
  ['a resource', { AZURE_OPENAI_API_KEY: 'k' }, /No Azure OpenAI resource.*AZURE_OPENAI_ENDPOINT/],
  ['a key', { AZURE_OPENAI_RESOURCE_NAME: 'mine' }, /No key for Azure OpenAI.*AZURE_OPENAI_AD_TOKEN/],
  [
    'a name of a resource',
    { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_RESOURCE_NAME: 'evil.example/' },
    /is not the name of a resource/,
  ],
])('says what to set without %s', async (_, own, words) => {
  expect((await failureOf(modelFor(own))).message).toMatch(words);
});
