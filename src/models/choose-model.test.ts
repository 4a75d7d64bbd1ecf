import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest } from '../contract/model.js';
import { startFakeModelServer } from '../testing/fake-model-server.js';
import { chooseModel } from './choose-model.js';

const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};

test.each<[string | undefined, Record<string, string>, string]>([
  ['anthropic/claude-opus-4-1', {}, 'anthropic/claude-opus-4-1'],
  ['claude-haiku-4-5', {}, 'anthropic/claude-haiku-4-5'],
  ['anthropic/org/some-model', {}, 'anthropic/org/some-model'],
  [undefined, { HELVE_MODEL: 'claude-haiku-4-5' }, 'anthropic/claude-haiku-4-5'],
  ['claude-opus-4-1', { HELVE_MODEL: 'claude-haiku-4-5' }, 'anthropic/claude-opus-4-1'],
  [undefined, { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-4-5'],
  [undefined, { ANTHROPIC_AUTH_TOKEN: 't' }, 'anthropic/claude-sonnet-4-5'],
  [' ', { HELVE_MODEL: '', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, 'anthropic/claude-sonnet-4-5'],
])('takes %j with %j as %s', async (spec, env, expected) => {
  const model = await chooseModel(spec, env);
  expect(`${model.provider}/${model.name}`).toBe(expected);
});

test('sends requests where the environment says, with its key and its limit', async () => {
  const server = await startFakeModelServer([{ text: 'Hi' }, { text: 'Hi' }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key-1', HELVE_MAX_OUTPUT_TOKENS: '77' };
  await Array.fromAsync((await chooseModel(undefined, env)).stream(request, AbortSignal.timeout(60_000)));
  const withToken = await chooseModel(undefined, { ...env, ANTHROPIC_AUTH_TOKEN: 'token-1' });
  await Array.fromAsync(withToken.stream(request, AbortSignal.timeout(60_000)));
  await server.close();
  expect(server.requests[0]).toMatchObject({ headers: { 'x-api-key': 'key-1' }, body: { max_tokens: 77 } });
  expect(server.requests[1]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
});

test('plays the script in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-script-'));
  const file = join(folder, 'hello.json');
  await writeFile(file, '{"turns": [{"text": "Hello from a file"}]}');
  const model = await chooseModel(`scripted/${file}`, {});
  const events = await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000)));
  expect(events).toContainEqual({ type: 'block', block: { type: 'text', text: 'Hello from a file' } });
});

test.each<[string, string | undefined, Record<string, string>, string, string]>([
  [
    'nothing is set up',
    undefined,
    {},
    'auth',
    'No model is set up: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own; "helve demo" needs no key.',
  ],
  [
    'the provider is unknown',
    'acme/m1',
    {},
    'unknown_model',
    '"acme/m1" names no model. Write anthropic/NAME (for example anthropic/claude-sonnet-4-5) or scripted/FILE, after --model or in HELVE_MODEL.',
  ],
  [
    'a provider comes without a name',
    'anthropic/',
    {},
    'unknown_model',
    '"anthropic/" names no model. Write anthropic/NAME (for example anthropic/claude-sonnet-4-5) or scripted/FILE, after --model or in HELVE_MODEL.',
  ],
  [
    'the output limit is no number',
    'claude-x',
    { HELVE_MAX_OUTPUT_TOKENS: 'lots' },
    'invalid_request',
    'HELVE_MAX_OUTPUT_TOKENS is "lots", which is not a whole number above 0. Set it to one, or leave it out.',
  ],
  [
    'the script is not there',
    'scripted/no.json',
    {},
    'invalid_request',
    "The script no.json can't be read (no such file). Check the path.",
  ],
])('says what to do when %s', async (_, spec, env, kind, message) => {
  const readFile = () => Promise.reject(new Error('no such file'));
  await expect(chooseModel(spec, env, readFile)).rejects.toMatchObject({ name: 'ModelFailure', kind, message });
});

test('says what is wrong with a script that is not JSON', async () => {
  await expect(chooseModel('scripted/bad.json', {}, async () => '{"turns": [')).rejects.toThrow(
    /^The script bad\.json is not valid JSON \(.+\)\. Correct it\.$/,
  );
});
