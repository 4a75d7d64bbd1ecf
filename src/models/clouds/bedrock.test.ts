import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Model, ModelFailure, type ModelRequest } from '../../contract/model.js';
import { fakeAwsKeys } from '../../testing/bedrock-format.js';
import {
  type FakeAnswer,
  type FakeAnswers,
  type FakeModelServer,
  startFakeModelServer,
} from '../../testing/fake-model-server.js';
import { builtInCatalogue, knownModel } from '../catalogue/catalogue.js';
import { chooseModel } from '../catalogue/choose-model.js';

const hello: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};
const name = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

const servers: FakeModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  servers.push(server);
  return server;
}

const inRegion = { AWS_REGION: 'us-east-1', HOME: '/nonexistent', HELVE_HOME: '/nonexistent' };

const modelAt = async (
  server: FakeModelServer,
  env: Record<string, string> = fakeAwsKeys,
  model = name,
): Promise<Model> =>
  await chooseModel(`bedrock/${model}`, { ...inRegion, ANTHROPIC_BEDROCK_BASE_URL: server.url, ...env });

const ask = async (model: Model) => await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));

const failureOf = async (model: Promise<Model> | Model): Promise<ModelFailure> => {
  try {
    const chosen = await model;
    chosen.check?.();
    await ask(chosen);
  } catch (error) {
    if (error instanceof ModelFailure) return error;
    throw error;
  }
  throw new Error('It did not fail.');
};

test('sends a signed request with the body that Bedrock expects, and the name encoded in the path', async () => {
  const server = await serve([{ text: 'Hello.' }]);
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2';
  const events = await ask(await modelAt(server, { ...fakeAwsKeys, AWS_SESSION_TOKEN: 'session/+==' }, arn));
  expect(events.at(-1)).toMatchObject({ type: 'message_end', stopReason: 'end_turn' });
  expect(server.requests).toHaveLength(1);
  const [{ path = '', headers = {}, body = {} } = {}] = server.requests;
  expect(path).toBe(
    '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fa1b2/invoke-with-response-stream',
  );
  expect(headers['x-amz-security-token']).toBe('session/+==');
  expect(Object.keys(body)).toEqual(['anthropic_version', 'max_tokens', 'messages']);
});

test('sends a Bedrock API key as a bearer token', async () => {
  const server = await serve([{ text: 'Hello.' }]);
  await ask(await modelAt(server, { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-api-key-abc', ...fakeAwsKeys }));
  expect(server.requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key-abc');
});

test('sends betas in the body', async () => {
  const server = await serve([{ text: 'Hello.' }]);
  const json = JSON.stringify({ providers: { bedrock: { headers: { 'anthropic-beta': 'one-2026, two-2026' } } } });
  const env = { ...inRegion, ...fakeAwsKeys, ANTHROPIC_BEDROCK_BASE_URL: server.url };
  await ask(await chooseModel(`bedrock/${name}`, env, { readFile: async () => json }));
  expect(server.requests[0]?.body['anthropic_beta']).toEqual(['one-2026', 'two-2026']);
  expect(server.requests[0]?.headers).not.toHaveProperty('anthropic-beta');
});

test('takes keys and region from the profile, and prefers keys in the environment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-aws-'));
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = fakeAwsKeys;
  await writeFile(
    join(folder, 'config'),
    '[default]\nregion = us-west-2\n\n[profile work]\nregion = eu-north-1 # near\n',
  );
  await writeFile(
    join(folder, 'credentials'),
    `[default]\naws_access_key_id = AKIDOTHER\naws_secret_access_key = other\n[work]\naws_access_key_id=${id}\naws_secret_access_key=${secret}\n`,
  );
  const env = { AWS_CONFIG_FILE: join(folder, 'config'), AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials') };
  const server = await serve([{ text: 'Hello.' }, { text: 'Hello.' }]);
  await ask(await modelAt(server, { ...env, AWS_PROFILE: 'work', AWS_REGION: '' }));
  await ask(await modelAt(server, { ...env, ...fakeAwsKeys, AWS_REGION: '' }));
  const scopes = server.requests.map(({ headers }) =>
    headers.authorization?.match(/Credential=(\w+)\/\d+\/([\w-]+)/)?.slice(1),
  );
  expect(scopes).toEqual([
    [id, 'eu-north-1'],
    [id, 'us-west-2'],
  ]);
});

test('takes credentials from credential_process, and asks it again when AWS says that they have expired', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-aws-'));
  const { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey } = fakeAwsKeys;
  const output = JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey, Expiration: '2999-01-01T00:00:00Z' });
  await writeFile(join(folder, 'my keys.json'), output);
  await writeFile(join(folder, 'config'), `[default]\ncredential_process = cat "${join(folder, 'my keys.json')}"\n`);
  const expired = {
    status: 403,
    error: { type: 'ExpiredTokenException', message: 'The security token included in the request is expired' },
  };
  const server = await serve([expired, { text: 'Hello.' }]);
  const events = await ask(await modelAt(server, { AWS_CONFIG_FILE: join(folder, 'config') }));
  expect(events.at(-1)?.type).toBe('message_end');
  expect(server.requests).toHaveLength(2);
});

test("uses the server's clock once this machine's is refused", async () => {
  const date = new Date(Date.now() + 3600_000).toUTCString();
  const skewed: FakeAnswer = {
    status: 403,
    error: {
      type: 'InvalidSignatureException',
      message: 'Signature expired: 20261119T010000Z is now earlier than 20261119T015500Z',
    },
    headers: { date },
  };
  const server = await serve([skewed, { text: 'Hello.' }, { text: 'Hello.' }]);
  const model = await modelAt(server);
  await ask(model);
  await ask(model);
  const [first, ...later] = server.requests.map(({ headers }) => hourOf(headers['x-amz-date']));
  expect(later.map((hour) => hour - (first ?? 0))).toEqual([1, 1]);
});

const hourOf = (time: unknown): number =>
  Math.round(
    Date.parse(String(time).replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z')) / 3600_000,
  );

const aws = (status: number, type: string, message: string): FakeAnswer => ({ status, error: { type, message } });

test.each<[string, FakeAnswer, string, RegExp]>([
  [
    'an expired session',
    aws(403, 'ExpiredTokenException', 'The security token included in the request is expired'),
    'auth',
    /session token has expired.*aws sso login/,
  ],
  [
    'a missing permission',
    aws(
      403,
      'AccessDeniedException',
      'User: arn:aws:iam::1:user/x is not authorized to perform: bedrock:InvokeModelWithResponseStream',
    ),
    'auth',
    /may not use .* in us-east-1.*policy/,
  ],
  [
    'a model without access',
    aws(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."),
    'unknown_model',
    /no access to .*Bedrock console of us-east-1/,
  ],
  [
    'a model that needs a profile',
    aws(400, 'ValidationException', `Invocation of model ID ${name} with on-demand throughput isn’t supported.`),
    'unknown_model',
    /only be used through an inference profile.*bedrock\/global\./,
  ],
  [
    'an unknown model',
    aws(400, 'ValidationException', 'The provided model identifier is invalid.'),
    'unknown_model',
    /Bedrock in us-east-1 has no model .*AWS_REGION/,
  ],
  [
    'too many requests',
    aws(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
    'rate_limited',
    /limits the rate/,
  ],
  [
    'a long conversation',
    aws(400, 'ValidationException', 'Input is too long for requested model.'),
    'context_overflow',
    /too long/,
  ],
  [
    'the page of a proxy',
    { status: 403, error: '<html><h1>Access denied by policy</h1></html>', headers: { 'content-type': 'text/html' } },
    'unreachable',
    /web page answered instead of Amazon Bedrock.*Access denied by policy.*ANTHROPIC_BEDROCK_BASE_URL/,
  ],
  [
    'throttling within the stream',
    { text: 'He', streamError: { type: 'throttlingException', message: 'Slow down' } },
    'rate_limited',
    /limits the rate \(throttlingException: Slow down\)/,
  ],
  [
    'a failure within the stream',
    { text: 'He', streamError: { type: 'modelStreamErrorException', message: 'Oops' } },
    'server_error',
    /failed/,
  ],
])('explains %s', async (_, answer, kind, words) => {
  const failure = await failureOf(modelAt(await serve([answer, answer])));
  expect(failure.kind).toBe(kind);
  expect(failure.message).toMatch(words);
});

test('names an unknown access key, and shows neither key nor signature', async () => {
  const server = await serve([{ text: 'Hello.' }]);
  const failure = await failureOf(
    modelAt(server, { AWS_ACCESS_KEY_ID: 'AKIDWRONG0000', AWS_SECRET_ACCESS_KEY: 'very/secret/key' }),
  );
  expect(failure.message).toMatch(/AWS does not know the key .*AWS_ACCESS_KEY_ID/);
  expect(JSON.stringify([failure.message, String(failure.cause)])).not.toMatch(/very\/secret|Signature=/);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['without a region', { ...fakeAwsKeys, AWS_REGION: '' }, /No AWS region.*AWS_REGION/],
  ['without credentials', {}, /No AWS credentials.*AWS_BEARER_TOKEN_BEDROCK/],
  ['with an unknown profile', { AWS_PROFILE: 'nope' }, /profile "nope" is in neither/],
])('says what to set %s', async (_, env, words) => {
  const server = await serve([]);
  expect((await failureOf(modelAt(server, env))).message).toMatch(words);
});

test('says how to sign in with a profile that does so by SSO, if the AWS CLI gives no credentials', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-aws-'));
  await writeFile(join(folder, 'config'), '[profile dev]\nsso_session = corp\nsso_account_id = 1\n');
  const env = { AWS_CONFIG_FILE: join(folder, 'config'), AWS_PROFILE: 'dev', PATH: folder };
  const failure = await failureOf(modelAt(await serve([]), env));
  expect(failure.message).toMatch(/profile "dev" has no credentials now.*aws sso login --profile dev/);
});

test('refuses models of others before a request', async () => {
  const failure = await failureOf(chooseModel('bedrock/amazon.nova-pro-v1:0', { ...inRegion, ...fakeAwsKeys }));
  expect(failure.message).toMatch(/"amazon.nova-pro-v1:0" is not a Claude model/);
});

test("knows the vendor's facts about a model, and its price only at the global address", () => {
  const catalogue = builtInCatalogue();
  const { prices, ...facts } = knownModel(catalogue, 'anthropic', 'claude-sonnet-4-5');
  expect(knownModel(catalogue, 'bedrock', name)).toEqual(facts);
  expect(knownModel(catalogue, 'bedrock', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0')).toEqual({
    ...facts,
    prices,
  });
  expect(knownModel(catalogue, 'vertex', 'claude-sonnet-4-5@20250929')).toEqual(facts);
});
