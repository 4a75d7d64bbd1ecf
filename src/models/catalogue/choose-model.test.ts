import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Effort, Model, ModelRequest } from '../../contract/model.js';
import { startFakeModelServer } from '../../testing/fake-model-server.js';
import { builtInCatalogue } from './catalogue.js';
import { chooseModel, smallModel } from './choose-model.js';

const catalogue = builtInCatalogue();
const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

const ask = (model: Model) => Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000)));

/** The requests that a model sends, recorded by a server that refuses them all. */
async function sentBy(choose: (url: string) => Promise<Model>, status = 400) {
  const server = createServer(async (incoming, response) => {
    const body = JSON.parse((await incoming.toArray()).join(''));
    response.setHeader('content-type', 'application/json').writeHead(status).end('{"error": {"message": "no"}}');
    server.emit('asked', { path: incoming.url, headers: incoming.headers, body });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on a port, so it has one
  const asked = once(server, 'asked');
  const model = await choose(`http://127.0.0.1:${port}`);
  const failure = await ask(model).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'ModelFailure' });
  server.closeAllConnections();
  server.close();
  const [seen] = await asked;
  return { model: `${model.provider}/${model.name}`, failure: String(failure), ...seen };
}

test.each<[string | undefined, Record<string, string>, string]>([
  ['anthropic/claude-opus-5-5', { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-opus-5-5'],
  [undefined, { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5-5'],
  [' ', { HELVE_MODEL: '', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, 'anthropic/claude-sonnet-5-5'],
  [undefined, { HELVE_MODEL: 'haiku', ANTHROPIC_AUTH_TOKEN: 't' }, 'anthropic/claude-haiku-5-5'],
  ['opus', { HELVE_MODEL: 'haiku', OPENROUTER_API_KEY: 'k' }, 'openrouter/anthropic/claude-opus-5.5'],
  ['gpt-5', { OPENAI_API_KEY: 'k' }, 'openai/gpt-5'],
  ['ollama/qwen3', {}, 'ollama/qwen3'],
  ['gemini', { GEMINI_API_KEY: 'k' }, 'google/gemini-3.8-flash'],
  ['gemini-9-flash', { GOOGLE_API_KEY: 'k' }, 'google/gemini-9-flash'],
])('resolves %j with %j to %s', async (spec, env, expected) => {
  const model = await chooseModel(spec, env, { catalogue });
  expect(`${model.provider}/${model.name}`).toBe(expected);
});

test.each<[string, string, string, string, string]>([
  ['deepseek/deepseek-flash', 'DEEPSEEK', '', '/v1/chat/completions', 'authorization'],
  ['glm/glm-5.3', 'ZAI', '/api/paas/v4', '/api/paas/v4/chat/completions', 'authorization'],
  ['openrouter/meta/llama-4', 'OPENROUTER', '/api/v1', '/api/v1/chat/completions', 'authorization'],
  ['openai/local-model', 'OPENAI', '/v1', '/v1/chat/completions', 'authorization'],
  ['anthropic/claude-sonnet-5-5', 'ANTHROPIC', '', '/v1/messages', 'x-api-key'],
])('%s gets requests at %s_BASE_URL, with its key', async (spec, prefix, before, path, header) => {
  const sent = await sentBy((url) =>
    chooseModel(spec, { [`${prefix}_BASE_URL`]: url + before, [`${prefix}_API_KEY`]: 'key-1' }, { catalogue }),
  );
  expect(sent).toMatchObject({ model: spec, path, body: { model: spec.slice(spec.indexOf('/') + 1) } });
  expect(sent.headers[header]).toMatch(/^(Bearer )?key-1$/);
});

test('google gets requests in the format of the Gemini API, or in the compatible one if models.json says so', async () => {
  const keys = { GEMINI_API_KEY: 'key-1', GOOGLE_API_KEY: 'key-2' };
  const sent = await sentBy((url) =>
    chooseModel('google/gemini-3.8-flash', { ...keys, GOOGLE_GEMINI_BASE_URL: url }, { catalogue, effort: 'high' }),
  );
  expect(sent).toMatchObject({
    path: '/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'key-1' },
    body: { generationConfig: { maxOutputTokens: 64_000, thinkingConfig: { thinkingLevel: 'HIGH' } } },
  });
  const readFile = (url: string) => async () =>
    JSON.stringify({ providers: { google: { wire: 'chat', baseUrl: `${url}/v1beta/openai` } } });
  const other = await sentBy((url) => chooseModel('gemini', keys, { readFile: readFile(url), effort: 'none' }));
  expect(other).toMatchObject({
    path: '/v1beta/openai/chat/completions',
    headers: { authorization: 'Bearer key-1' },
    body: { model: 'gemini-3.8-flash', reasoning_effort: 'low' },
  });
});

test('google gets the token of a keyCommand in models.json', async () => {
  const readFile = async () => JSON.stringify({ providers: { google: { keyCommand: ['echo', 'token-1'] } } });
  const sent = await sentBy((url) =>
    chooseModel('gemini', { GOOGLE_GEMINI_BASE_URL: url, PATH: process.env['PATH'] }, { readFile }),
  );
  expect(sent.headers).toMatchObject({ authorization: 'Bearer token-1' });
  expect(sent.headers).not.toHaveProperty('x-goog-api-key');
});

test('an interrupt does not wait for a keyCommand that hangs', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'helve-key-')), 'go-on');
  const keyCommand = ['sh', '-c', `until [ -e '${path}' ]; do sleep 0.05; done; echo key`];
  const readFile = async () => JSON.stringify({ providers: { ollama: { keyCommand } } });
  const model = await chooseModel('ollama/m', { PATH: process.env['PATH'] }, { readFile });
  const interrupted = new Error('interrupted');
  const interrupt = new AbortController();
  const pending = Array.fromAsync(model.stream(request, interrupt.signal));
  setImmediate(() => interrupt.abort(interrupted));
  await expect(pending).rejects.toBe(interrupted);
  await writeFile(path, '');
});

test('a local server needs no key', async () => {
  const sent = await sentBy((url) => chooseModel('openai/m', { OPENAI_BASE_URL: `${url}/v1` }, { catalogue }));
  expect(sent.path).toBe('/v1/chat/completions');
  expect(sent.headers).not.toHaveProperty('authorization');
});

test('if a server requires a key, the message names the variable', async () => {
  const { failure } = await sentBy((url) => chooseModel('qwen/m', { DASHSCOPE_BASE_URL: url }, { catalogue }), 401);
  expect(failure).toContain('DASHSCOPE_API_KEY');
});

test('a provider of models.json uses the format and the headers of the file', async () => {
  const readFile = (url: string, wire: string) => async () =>
    JSON.stringify({
      providers: { acme: { wire, baseUrl: `${url}/v1`, keys: ['ACME_KEY'], headers: { 'x-team': 'red' } } },
    });
  for (const [wire, path] of [
    ['chat', '/v1/chat/completions'],
    ['responses', '/v1/responses'],
    ['anthropic', '/v1/messages'],
    ['gemini', '/v1/v1beta/models/m:streamGenerateContent?alt=sse'],
  ] as const) {
    const sent = await sentBy((url) => chooseModel('acme/m', { ACME_KEY: 'k' }, { readFile: readFile(url, wire) }));
    expect(sent).toMatchObject({ model: 'acme/m', path, headers: { 'x-team': 'red' } });
  }
});

test.each(['chat', 'responses', 'anthropic', 'gemini'])(
  'errors of a provider of models.json that speaks %s refer to the configuration of that provider',
  async (wire) => {
    const failureOf = async (provider: object): Promise<string> => {
      const readFile = async () => JSON.stringify({ providers: { acme: { wire, keys: ['ACME_KEY'], ...provider } } });
      const model = await chooseModel('acme/m', { ACME_KEY: 'k' }, { readFile });
      return await ask(model).then(String, (error: Error) => error.message);
    };
    const refused = await failureOf({ baseUrl: 'http://127.0.0.1:9/v1' });
    expect(refused).toContain('"baseUrl" of acme in models.json');
    expect(refused).not.toMatch(/OPENAI_|ANTHROPIC_|GOOGLE_|ACME_BASE_URL/);
  },
);

test('sends requests to the address in the environment, with its key and its limit', async () => {
  const server = await startFakeModelServer([{ text: 'Hi' }, { text: 'Hi' }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key-1', HELVE_MAX_OUTPUT_TOKENS: '77' };
  await ask(await chooseModel(undefined, env, { catalogue }));
  await ask(await chooseModel(undefined, { ...env, ANTHROPIC_AUTH_TOKEN: 'token-1' }, { catalogue }));
  await server.close();
  expect(server.requests[0]).toMatchObject({ headers: { 'x-api-key': 'key-1' }, body: { max_tokens: 77 } });
  expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
});

test.each<[string, number]>([
  ['anthropic/claude-sonnet-5-5', 64_000],
  ['anthropic/claude-haiku-4-5', 50_000],
  ['openai/gpt-4.1', 32_768],
  ['anthropic/claude-someday', 32_000],
])('the output limit of %s is %i tokens', async (spec, tokens) => {
  const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' };
  expect((await chooseModel(spec, env, { catalogue })).maxOutputTokens).toBe(tokens);
});

test('a model has the facts of its catalogue entry', async () => {
  const { facts } = await chooseModel('claude-opus-5-5', { ANTHROPIC_API_KEY: 'k' }, { catalogue });
  expect(facts).toEqual({
    contextTokens: 1_000_000,
    seesImages: true,
    prices: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  });
  const other = await chooseModel('openai/gpt-5.5', { OPENAI_API_KEY: 'k' }, { catalogue });
  expect(other.facts).toEqual({ contextTokens: 1_050_000, seesImages: true, editStyle: 'patch' });
  expect((await chooseModel('ollama/qwen3', {}, { catalogue })).facts).toBeUndefined();
});

test.each<[string, string, Effort, object]>([
  [
    'anthropic',
    'claude-sonnet-5-5',
    'low',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
  ],
  ['anthropic', 'claude-haiku-4-5', 'high', { thinking: { type: 'enabled', budget_tokens: 25_000 } }],
  ['openai', 'gpt-6.1-sol', 'none', { reasoning: { effort: 'low' } }],
  ['openai', 'gpt-5', 'max', { reasoning: { effort: 'high' } }],
])('%s/%s gets the effort %s as %j', async (provider, name, effort, expected) => {
  const readFile = async () => '{"providers": {"openai": {"wire": "responses"}}}';
  const { body } = await sentBy((url) =>
    chooseModel(`${provider}/${name}`, { [`${provider.toUpperCase()}_BASE_URL`]: url }, { effort, readFile }),
  );
  expect(body).toMatchObject(expected);
});

test('a model that cannot think gets no effort', async () => {
  const readFile = async () => '{"providers": {"openai": {"wire": "responses"}}}';
  const { body } = await sentBy((url) =>
    chooseModel('openai/gpt-4.1', { OPENAI_BASE_URL: url }, { effort: 'high', readFile }),
  );
  expect(body).not.toHaveProperty('reasoning');
});

test('the model for background requests is the configured one, or none', async () => {
  const env = { ANTHROPIC_API_KEY: 'k' };
  const small = { ...catalogue, small: 'haiku' };
  expect(await smallModel(env, { catalogue })).toBeUndefined();
  expect(await smallModel(env, { catalogue: small })).toMatchObject({ name: 'claude-haiku-5-5' });
  expect(await smallModel({ ...env, HELVE_SMALL_MODEL: 'ollama/tiny' }, { catalogue: small })).toMatchObject({
    provider: 'ollama',
    name: 'tiny',
  });
});

test('plays the script in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-script-'));
  const file = join(folder, 'hello.json');
  await writeFile(file, '{"turns": [{"text": "Hello from a file"}]}');
  const model = await chooseModel(`scripted/${file}`, {});
  expect(await ask(model)).toContainEqual({ type: 'block', block: { type: 'text', text: 'Hello from a file' } });
});

test.each<[string, string, Record<string, string>, string]>([
  [
    'the output limit is not a number',
    'claude-x',
    { ANTHROPIC_API_KEY: 'k', HELVE_MAX_OUTPUT_TOKENS: 'lots' },
    'HELVE_MAX_OUTPUT_TOKENS is "lots", which is not a whole number above 0. Set it to one, or leave it out.',
  ],
  [
    'the script does not exist',
    'scripted/no.json',
    {},
    "The script no.json can't be read: there is no such file. Check the path after scripted/ in the model's name.",
  ],
])('explains what to do if %s', async (_, spec, env, message) => {
  const readFile = () => Promise.reject(Object.assign(new Error('missing'), { code: 'ENOENT' }));
  await expect(chooseModel(spec, env, { readFile, catalogue })).rejects.toMatchObject({
    name: 'ModelFailure',
    kind: 'invalid_request',
    message,
  });
});

test('reports the problem with a script that is not JSON', async () => {
  await expect(chooseModel('scripted/bad.json', {}, { readFile: async () => '{"turns": [' })).rejects.toThrow(
    /^The script bad\.json is not valid JSON \(.+\)\. Correct it\.$/,
  );
});
