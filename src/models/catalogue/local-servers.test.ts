import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { builtInCatalogue } from './catalogue.js';
import { findLocalServers, localPlaces } from './local-servers.js';

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port; // listening on a port, so it has one
}

const serve = (listener: RequestListener): Promise<number> => listen(createServer(listener));

const answerWith = (paths: Readonly<Record<string, unknown>>): Promise<number> =>
  serve(({ url = '' }, response) => {
    response.statusCode = url in paths ? 200 : 404;
    response.end(url in paths ? JSON.stringify(paths[url]) : 'not found');
  });

const at = (port: number) => ({ provider: 'p', title: 'P', port });

test('finds the models of servers that are compatible with OpenAI, several at once', async () => {
  const one = await answerWith({ '/v1/models': { data: [{ id: 'qwen3' }, { id: 'llama3' }] } });
  const two = await answerWith({ '/v1/models': { data: [] } });
  expect(await findLocalServers([at(one), at(two)])).toEqual([
    { ...at(one), models: ['qwen3', 'llama3'] },
    { ...at(two), models: [] },
  ]);
});

test("uses Ollama's own list if the other one is missing", async () => {
  const port = await answerWith({ '/api/tags': { models: [{ name: 'qwen3:8b' }] } });
  expect(await findLocalServers([at(port)])).toEqual([{ ...at(port), models: ['qwen3:8b'] }]);
});

test('omits a closed port', async () => {
  const port = await answerWith({});
  await Promise.all(closing.splice(0).map((close) => close()));
  expect(await findLocalServers([at(port)])).toEqual([]);
});

test.each<[string, RequestListener]>([
  ['a page', (_, response) => response.end('<html></html>')],
  ['JSON that is not a list', (_, response) => response.end('{"data": "none"}')],
  ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['an error', (_, response) => response.writeHead(500).end('{"data": []}')],
  ['more than a list of models has', (_, response) => response.end(`"${'x'.repeat(2 * 1024 * 1024)}"`)],
])('omits a server that answers with %s', async (_, listener) => {
  expect(await findLocalServers([at(await serve(listener))])).toEqual([]);
});

test('omits servers that do not answer, or stop in the middle, and still finds the others', async () => {
  const silent = await listen(createTcpServer(() => {}));
  const stalled = await serve((_, response) => response.write('{"data": ['));
  const good = await answerWith({ '/v1/models': { data: [{ id: 'm' }] } });
  const found = await findLocalServers([at(silent), at(stalled), at(good)], { timeoutMs: 2000 });
  expect(found).toEqual([{ ...at(good), models: ['m'] }]);
});

test('probes the default ports, and only on this machine', () => {
  const ports = (env: Record<string, string>) =>
    Object.fromEntries(localPlaces(builtInCatalogue(), env).map(({ provider, port }) => [provider, port]));
  expect(ports({})).toEqual({ ollama: 11434, lmstudio: 1234, llamacpp: 8080, vllm: 8000 });
  expect(
    ports({
      OLLAMA_BASE_URL: 'http://localhost:5000/v1',
      LMSTUDIO_BASE_URL: 'http://192.168.0.7:1234/v1',
      VLLM_BASE_URL: 'https://models.example/v1',
      OPENAI_BASE_URL: 'http://127.0.0.1:6000/v1',
    }),
  ).toEqual({ ollama: 5000, llamacpp: 8080 });
});
