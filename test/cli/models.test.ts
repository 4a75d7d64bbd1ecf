import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from './run-helve.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A server as Ollama and its like are, on a port of its own. */
async function localServer(names: readonly string[]): Promise<number> {
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ data: names.map((id) => ({ id })) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port; // listening on a port, so it has one
}

/** A data folder with a models.json. */
async function homeWith(content: unknown): Promise<string> {
  const home = await emptyFolder();
  await writeFile(join(home, 'models.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return home;
}

const ollamaAt = (port: number) => ({ providers: { ollama: { baseUrl: `http://127.0.0.1:${port}/v1` } } });

test('helve models lists providers, whether a key is set, models and short names, and never a key', async () => {
  const env = { ANTHROPIC_API_KEY: 'sk-secret', OPENAI_BASE_URL: 'http://models.example/secret' };
  const { code, stdout, stderr } = await runHelve(['models'], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^In use: anthropic\/claude-sonnet-5-5\n/);
  expect(stdout).toMatch(/^ {2}anthropic +Anthropic +key from ANTHROPIC_API_KEY +claude-sonnet-5-5$/m);
  expect(stdout).toMatch(/^ {2}openai +OpenAI +no key at models\.example +gpt-6\.1-sol$/m);
  expect(stdout).toMatch(/^ {2}deepseek +DeepSeek +no key: set DEEPSEEK_API_KEY +deepseek-flash$/m);
  expect(stdout).toMatch(/^ {2}ollama +Ollama +needs no key$/m);
  expect(stdout).toMatch(/^ {2}anthropic\/claude-opus-5-5 +1,000,000 +128,000 +\$4 \/ \$20$/m);
  expect(stdout).toMatch(/^ {2}sonnet +anthropic\/claude-sonnet-5-5$/m);
  expect(stdout).not.toContain('secret');
});

test('helve models and doctor show the host of requests, and nothing of an address that may be secret', async () => {
  const home = await homeWith({
    default: 'glm',
    providers: {
      glm: { baseUrl: 'http://127.0.0.1:9/mine?token=pa55word' },
      acme: { wire: 'chat', baseUrl: 'https://models.acme.example/v1' },
    },
  });
  const env = {
    HELVE_HOME: home,
    ZHIPU_API_KEY: 'k',
    OPENAI_BASE_URL: 'http://me:pa55word@models.example:81/pa55word?x=pa55word',
  };
  const [text, json, doctor] = await Promise.all(
    [['models'], ['models', '--json'], ['doctor']].map(async (args) => (await runHelve(args, { env })).stdout),
  );
  expect(text).toMatch(/^ {2}glm +Z\.ai +key from ZHIPU_API_KEY at 127\.0\.0\.1:9 +glm-5\.3$/m);
  expect(text).toMatch(/^ {2}acme +acme +needs no key at models\.acme\.example$/m);
  expect(JSON.parse(json ?? '').providers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 'glm', base_url: 'http://127.0.0.1:9/mine', host: '127.0.0.1:9' }),
      expect.objectContaining({ id: 'openai', base_url: 'http://models.example:81', host: 'models.example:81' }),
    ]),
  );
  expect(doctor).toContain('✓ Model: glm/glm-5.3, at 127.0.0.1:9, key from ZHIPU_API_KEY');
  expect([text, json, doctor].join('')).not.toContain('pa55');
});

test('helve doctor names the command of apiKeyHelper as the source of the key, and does not run it', async () => {
  const home = await emptyFolder();
  const marker = join(home, 'ran');
  await writeFile(join(home, 'settings.json'), JSON.stringify({ apiKeyHelper: `touch ${marker}; echo k` }));
  const helped = { HELVE_HOME: home, HELVE_MODEL: 'anthropic/claude-haiku-4-5' };
  expect((await runHelve(['doctor'], { env: helped })).stdout).toMatch(
    /✓ Model: anthropic\/claude-haiku-4-5, key from the command of "apiKeyHelper", which was not run, /,
  );
  expect(existsSync(marker)).toBe(false);
  const both = await runHelve(['doctor'], { env: { ...helped, ANTHROPIC_API_KEY: 'k' } });
  expect(both.stdout).toContain('key from ANTHROPIC_API_KEY');
});

test('a key with its own address shows the host of that address', async () => {
  const { stdout } = await runHelve(['models'], { env: { ZHIPU_API_KEY: 'k' } });
  expect(stdout).toMatch(/key from ZHIPU_API_KEY at open\.bigmodel\.cn /);
});

test.each([['models'], ['models', '--json'], ['doctor'], ['doctor', '--json'], ['-p', 'hi']].map((args) => ({ args })))(
  'helve $args reports an invalid address without showing it',
  async ({ args }) => {
    const env = { HELVE_MODEL: 'openai/m', OPENAI_BASE_URL: 'user:pa55word@host:80/v1' };
    const { stdout, stderr } = await runHelve(args, { env });
    expect(stdout + stderr).toContain('OPENAI_BASE_URL is not a web address');
    expect(stdout + stderr).not.toContain('pa55word');
  },
);

test.each([
  ['call', ['call', '--permission-mode', 'bypassPermissions', 'Bash', '{"command":"echo [$ACME_KEY]"}']],
  ['-p', ['-p', 'hi', '--permission-mode', 'bypassPermissions', '--output-format', 'stream-json']],
])('helve %s keeps the keys of the providers in models.json away from commands', async (_, args) => {
  const home = await homeWith({
    providers: { acme: { wire: 'chat', baseUrl: 'http://127.0.0.1:9', keys: ['ACME_KEY'] } },
  });
  const script = join(home, 'script.json');
  const calls = [{ name: 'Bash', input: { command: 'echo [$ACME_KEY]' } }];
  await writeFile(script, JSON.stringify({ turns: [{ calls }, { text: 'Done.' }] }));
  const env = { HELVE_HOME: home, ACME_KEY: 'pa55word', HELVE_MODEL: `scripted/${script}` };
  const hidden = await runHelve(args, { env });
  expect(hidden.stdout).toContain('"[]"');
  expect(hidden.stdout).not.toContain('pa55word');
  expect((await runHelve(args, { env: { ...env, HELVE_PASS_ENV: 'ACME_KEY' } })).stdout).toContain('[pa55word]');
});

test('helve models says why nothing is in use, and exits 0', async () => {
  const { code, stdout } = await runHelve(['models']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^No model is set up yet\. Sign in with helve login, set one of the keys below, or start a model on this machine\.\n/,
  );
  const mistyped = await runHelve(['models'], { env: { HELVE_MODEL: 'sonet' } });
  expect(mistyped.stdout).toMatch(
    /^No model can be used: "sonet" names no model\. Did you mean "sonnet"\? Known models are listed below\./,
  );
});

test('helve models --json is for programs', async () => {
  const port = await localServer(['qwen3:8b']);
  const home = await homeWith({ ...ollamaAt(port), small: 'haiku' });
  const { stdout } = await runHelve(['models', '--json'], { env: { HELVE_HOME: home, MISTRAL_API_KEY: 'k' } });
  const overview = JSON.parse(stdout);
  expect(overview).toMatchObject({ chosen: 'mistral/mistral-medium-latest', problem: null, small: 'haiku' });
  expect(overview.local).toContainEqual({ provider: 'ollama', title: 'Ollama', port, models: ['qwen3:8b'] });
  expect(overview.providers).toContainEqual({
    id: 'mistral',
    title: 'Mistral AI',
    wire: 'chat',
    base_url: 'https://api.mistral.ai/v1',
    base_url_variable: 'MISTRAL_BASE_URL',
    host: null,
    key_variables: ['MISTRAL_API_KEY'],
    key_from: 'MISTRAL_API_KEY',
    sign_in: null,
    other_access: null,
    set_up: true,
    default_model: 'mistral-medium-latest',
  });
  expect(overview.models).toContainEqual({
    id: 'openai/gpt-5.5',
    context_tokens: 1_050_000,
    output_tokens: 128_000,
    prices: null,
    edit_style: 'patch',
    sees_images: true,
  });
  expect(overview.aliases).toMatchObject({ haiku: 'anthropic/claude-haiku-5-5' });
});

test('a server on this machine is found and offered', async () => {
  const home = await homeWith(ollamaAt(await localServer(['qwen3:8b', 'llama3'])));
  const offered = 'has qwen3:8b, llama3; to use it: helve --model ollama/qwen3:8b -p "…"';
  expect((await runHelve(['models'], { env: { HELVE_HOME: home } })).stdout).toContain(offered);
  expect((await runHelve(['doctor'], { env: { HELVE_HOME: home } })).stdout).toMatch(
    /✓ On this machine: Ollama on 127\.0\.0\.1:\d+ has qwen3:8b, llama3; to use it/,
  );
});

test('control characters in a model name of a server are escaped', async () => {
  const home = await homeWith(ollamaAt(await localServer(['bad\u001b[31m'])));
  const { stdout } = await runHelve(['models'], { env: { HELVE_HOME: home } });
  expect(stdout).toContain('bad\\u001b[31m');
});

test.each<[string[], string]>([
  [['models'], 'models["openai/x"].contextTokens must be a whole number above 0, but was "x".'],
  [['call', 'LS', '{}'], 'models["openai/x"].contextTokens must be a whole number above 0, but was "x".'],
  [['-p', 'hi'], 'models["openai/x"].contextTokens must be a whole number above 0, but was "x".'],
])('%j refuses a broken models.json in one sentence', async (args, sentence) => {
  const home = await homeWith({ models: { 'openai/x': { contextTokens: 'x' } } });
  const run = await runHelve(args, { env: { HELVE_HOME: home, ANTHROPIC_API_KEY: 'k' } });
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`models.json: ${sentence}`) });
});

test('helve doctor reports a broken models.json', async () => {
  const home = await homeWith('{');
  const { code, stdout } = await runHelve(['doctor'], { env: { HELVE_HOME: home, ANTHROPIC_API_KEY: 'k' } });
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ Model: .*models\.json is not valid JSON/);
});

test.each<[Record<string, string>, string]>([
  [
    { ANTHROPIC_API_KEY: 'sk-secret' },
    '✓ Model: anthropic/claude-sonnet-5-5, key from ANTHROPIC_API_KEY, 1,000,000 tokens of context, 64,000 for an answer, not asked\n',
  ],
  [
    { HELVE_MODEL: 'openai/qwen', OPENAI_BASE_URL: 'http://127.0.0.1:9/secret' },
    '✓ Model: openai/qwen, at 127.0.0.1:9, no key, limits unknown, not asked, named by HELVE_MODEL\n',
  ],
  [{ HELVE_MODEL: 'deepseek/x' }, '– Model: No key for DeepSeek: set DEEPSEEK_API_KEY, or DEEPSEEK_BASE_URL for'],
  [{ HELVE_MODEL: 'acme/x' }, '✗ Model: "acme/x" names no model: there is no provider "acme".'],
])('helve doctor with %j says %s', async (env, line) => {
  const { stdout } = await runHelve(['doctor'], { env });
  expect(stdout).toContain(line);
  expect(stdout).not.toContain('secret');
});

test('the example of a models.json is valid, and the page shows it unchanged', async () => {
  const example = await readFile('examples/models.json', 'utf8');
  expect(await readFile('docs/models.md', 'utf8')).toContain(`\`\`\`json\n${example}\`\`\``);
  const home = await emptyFolder();
  await copyFile(resolve('examples/models.json'), join(home, 'models.json'));
  const { stdout } = await runHelve(['models', '--json'], { env: { HELVE_HOME: home, ACME_API_KEY: 'k' } });
  expect(JSON.parse(stdout)).toMatchObject({
    chosen: 'acme/coder-1',
    small: 'haiku',
    aliases: { fast: 'ollama/qwen3' },
  });
});

test('a run goes to the model that models.json names by default', async () => {
  const server = await startFakeModelServer([{ text: 'Hello.' }]);
  const home = await homeWith({
    default: 'quick',
    aliases: { quick: 'acme/m' },
    providers: { acme: { wire: 'anthropic', baseUrl: server.url } },
    models: { 'acme/m': { prices: { input: 1_000_000, output: 0 } } },
  });
  const { stdout } = await runHelve(['-p', 'hi', '--output-format', 'json'], { env: { HELVE_HOME: home } });
  await server.close();
  expect(JSON.parse(stdout)).toMatchObject({ result: 'Hello.', total_cost_usd: expect.any(Number) });
  expect(server.requests[0]?.body.model).toBe('m');
});

test('--effort reaches the model, and one that does not exist is wrong usage', async () => {
  const server = await startFakeModelServer([{ text: 'Hello.' }]);
  const env = { ANTHROPIC_BASE_URL: server.url };
  await runHelve(['-p', 'hi', '--effort', 'low'], { env });
  await server.close();
  expect(server.requests[0]?.body).toMatchObject({ output_config: { effort: 'low' } });
  expect(await runHelve(['-p', 'hi', '--effort', 'lots'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--effort takes none, low, medium, high, max, but was "lots".'),
  });
});

test('helve models takes no arguments', async () => {
  expect(await runHelve(['models', 'all'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('helve models takes no argument such as "all".'),
  });
});

test('helve models and doctor use the model of settings, and name its file', async () => {
  const home = await homeWith({ default: 'opus' });
  await writeFile(
    join(home, 'settings.json'),
    '{\n  "model": "openai/gpt-5",\n  "env": { "OPENAI_API_KEY": "k" }\n}\n',
  );
  const env = { HELVE_HOME: home, HELVE_MODEL: 'sonnet', ANTHROPIC_API_KEY: 'k' };
  const place = `"model" in ${join(home, 'settings.json')}:2`;
  expect((await runHelve(['models'], { env })).stdout).toMatch(`In use: openai/gpt-5 (named by ${place})\n`);
  expect(JSON.parse((await runHelve(['models', '--json'], { env })).stdout)).toMatchObject({
    chosen: 'openai/gpt-5',
    named_by: place,
  });
  expect((await runHelve(['doctor'], { env })).stdout).toMatch(
    /✓ Model: openai\/gpt-5, key from OPENAI_API_KEY, .*, named by "model" in /,
  );
  await writeFile(join(home, 'settings.json'), '{}');
  expect((await runHelve(['models'], { env })).stdout).toMatch(
    'In use: anthropic/claude-sonnet-5-5 (named by HELVE_MODEL)\n',
  );
  const { HELVE_MODEL: _, ...without } = env;
  expect((await runHelve(['models'], { env: without })).stdout).toMatch('(named by "default" in models.json)\n');
});

test('-p, models and doctor report a bad model in settings with its file and line', async () => {
  const home = await homeWith({});
  await writeFile(join(home, 'settings.json'), '{\n  "model": "sonet"\n}\n');
  const told = `"sonet" names no model. Did you mean "sonnet"?`;
  const place = `The model is named by "model" in ${join(home, 'settings.json')}:2.`;
  for (const args of [['-p', 'hi'], ['models'], ['doctor']]) {
    const { stdout, stderr } = await runHelve(args, { env: { HELVE_HOME: home, ANTHROPIC_API_KEY: 'k' } });
    expect(stdout + stderr).toContain(told);
    expect(stdout + stderr).toContain(place);
  }
  const { code, stderr } = await runHelve(['-p', 'hi', '--model', 'sonet'], { env: { HELVE_HOME: home } });
  expect(code).toBe(2);
  expect(stderr).not.toContain('is named by');
});

test('auth status counts a key that was stored with /key, and says what to do without one', async () => {
  const HELVE_HOME = await emptyFolder();
  expect(await runHelve(['auth', 'status'], { env: { HELVE_HOME } })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('start helve and enter /key'),
  });
  await writeFile(join(HELVE_HOME, 'keys.json'), JSON.stringify({ keys: { OPENAI_API_KEY: 'k' } }), { mode: 0o600 });
  expect(await runHelve(['auth', 'status'], { env: { HELVE_HOME } })).toMatchObject({
    code: 0,
    stdout: 'OpenAI is set up by OPENAI_API_KEY, a key that /key has stored.\n',
  });
});

test('a misspelt model is refused before anything is asked of a key, and without a help page', async () => {
  const { code, stderr } = await runHelve(['-p', 'hi', '--model', 'claude-sonet-4-5']);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^helve: "claude-sonet-4-5" is not a known model of Anthropic\. Did you mean "anthropic\/claude-sonnet-4-5"\?/,
    ),
  });
  expect(stderr).not.toMatch(/key|--help/i);
});

test('at another address a model that may be misspelt is requested, and a 404 has the nearest name', async () => {
  const error = { type: 'not_found_error', message: 'model: claude-sonet-4-5' };
  const server = await startFakeModelServer([{ status: 404, error }]);
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' };
  const { code, stderr } = await runHelve(['-p', 'hi', '--model', 'claude-sonet-4-5'], { env });
  await server.close();
  expect({ code, requests: server.requests.length }).toEqual({ code: 1, requests: 1 });
  expect(stderr).toContain(
    'helve: The model "claude-sonet-4-5" is requested as it is, but it may be misspelt. Did you mean "anthropic/claude-sonnet-4-5"?\n',
  );
  expect(stderr).toMatch(/does not know the model .*\. Did you mean "anthropic\/claude-sonnet-4-5"\? Check the name/);
});

test('a bare name that a server of this machine has is offered with its provider', async () => {
  const env = { HELVE_HOME: await homeWith(ollamaAt(await localServer(['llama3', 'qwen3:8b']))) };
  expect(await runHelve(['-p', 'hi', '--model', 'qwen3'], { env })).toMatchObject({
    code: 2,
    stderr:
      'helve: "qwen3" names no model without its provider. Did you mean "ollama/qwen3:8b", which runs on this machine?\n',
  });
});

test('a model that a server of this machine does not have is answered with those that it has', async () => {
  const server = createServer((request, response) => {
    const isList = request.url === '/v1/models';
    response.statusCode = isList ? 200 : 404;
    const error = { message: 'model "qwen3" not found', type: 'not_found_error' };
    response.end(JSON.stringify(isList ? { data: [{ id: 'llama3' }] } : { error }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo; // listening on a port, so it has one
  const { stderr } = await runHelve(['-p', 'hi', '--model', 'ollama/qwen3'], {
    env: { OLLAMA_BASE_URL: `http://127.0.0.1:${port}/v1` },
  });
  expect(stderr).toMatch(/does not know the model "qwen3" \(.*\)\. Ollama has llama3\. Check the name/);
});

test('a closed port is reported with the variable that the address came from', async () => {
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_API_KEY: 'k', HELVE_MAX_RETRIES: '0' };
  const { stderr } = await runHelve(['-p', 'hi'], { env });
  expect(stderr).toContain(
    'The address comes from ANTHROPIC_BASE_URL: start the server there, or correct the address.',
  );
  expect(stderr).not.toMatch(/\bset ANTHROPIC_BASE_URL/);
});
