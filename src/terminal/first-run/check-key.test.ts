import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { checkKey } from './check-key.js';

test.each([
  ['google', 'GOOGLE_GEMINI_BASE_URL', 400, '/v1beta/models', 'x-goog-api-key', 'But Google does not accept it (400)'],
  ['google', 'GOOGLE_GEMINI_BASE_URL', 200, '/v1beta/models', 'x-goog-api-key', 'Google accepts it.'],
  ['anthropic', 'ANTHROPIC_BASE_URL', 401, '/v1/models', 'x-api-key', 'But Anthropic does not accept it (401)'],
  ['openai', 'OPENAI_BASE_URL', 400, '/models', 'authorization', 'It could not be checked: OpenAI answered with 400.'],
])('checks a key of %s by listing its models, with %s: %i', async (id, variable, status, path, header, sentence) => {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on TCP, so it is not a pipe's name
  const asked = once(server, 'request');
  const checked = await checkKey(id, 'key-1', { [variable]: `http://127.0.0.1:${port}`, HELVE_HOME: '/nowhere' });
  const [{ url, headers }] = await asked;
  server.close();
  expect(checked).toContain(sentence);
  expect(url).toBe(path);
  expect(headers[header]).toMatch(/^(Bearer )?key-1$/);
});
