import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { runHelve } from './run-helve.js';

test('helve models test shows what a local model can do, and the lines for models.json', async () => {
  const server = await startFakeModelServer((request) => {
    const asked = request.text;
    if (asked.includes('image_url'))
      return { status: 400, error: { type: 'invalid_request_error', message: 'text only' } };
    if (asked.includes('Call get_weather for Paris.'))
      return { calls: [{ name: 'get_weather', input: { city: 'Paris' } }] };
    return { text: 'pong' };
  });
  try {
    const env = { VLLM_BASE_URL: `${server.url}/v1`, HELVE_MAX_RETRIES: '0' };
    const { code, stdout, stderr } = await runHelve(['models', 'test', 'vllm/tiny'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^vllm\/tiny: 15 requests/);
    expect(stdout).toMatch(/^ {2}✓ calls a tool +\d+\.\d s$/m);
    expect(stdout).toMatch(
      /^ {2}✗ calls a tool that takes no arguments +\d+\.\d s\n {6}it called no tool and answered "pong"$/m,
    );
    expect(stdout).toMatch(/^ {2}✗ sees images\n {6}.*text only/m);
    const json: unknown = JSON.parse(stdout.slice(stdout.indexOf('{')));
    expect(json).toEqual({ models: { 'vllm/tiny': { seesImages: false } } });
  } finally {
    await server.close();
  }
});

test('helve models test takes the window from a server that reports it, and fails for a model without calls', async () => {
  const fake = await startFakeModelServer(() => ({ text: 'pong' }));
  const front = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end(
        JSON.stringify({
          data: [
            { id: 'other', max_model_len: 9 },
            { id: 'tiny', max_model_len: 32_768 },
          ],
        }),
      );
      return;
    }
    void forward(request, response, fake.url);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo; // listens on TCP
  try {
    const env = { VLLM_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const { code, stdout } = await runHelve(['models', 'test', 'vllm/tiny', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'vllm/tiny',
      probes: expect.arrayContaining([expect.objectContaining({ id: 'call', works: false })]),
      models_json: { models: { 'vllm/tiny': { contextTokens: 32_768 } } },
    });
  } finally {
    front.closeAllConnections();
    front.close();
    await fake.close();
  }
});

async function forward(
  request: import('node:http').IncomingMessage,
  response: import('node:http').ServerResponse,
  url: string,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await fetch(`${url}${request.url}`, { method: 'POST', body: Buffer.concat(chunks) });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

test.each([
  [['models', 'test'], 2, 'takes one model, as in: helve models test ollama/qwen3'],
  [['models', 'test', 'vllm/tiny', '--timeout', 'soon'], 2, '--timeout takes a number of seconds'],
  [['models', 'test', 'anthropic/claude-sonnet-5-5'], 2, 'ANTHROPIC_API_KEY'],
  [['models', 'test', 'vllm/tiny'], 1, '127.0.0.1:9'],
] as const)('helve %j exits with %i and says what is wrong', async (args, expected, words) => {
  const env = { VLLM_BASE_URL: 'http://127.0.0.1:9/v1', HELVE_MAX_RETRIES: '0' };
  const { code, stderr } = await runHelve(args, { env });
  expect(stderr).toContain(words);
  expect(code).toBe(expected);
});
