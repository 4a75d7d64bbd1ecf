// Servers written by others, over every transport that they support.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { counterpart } from '../../test/counterparts.js';
import type { FullEngineOptions } from '../compose/options.js';
import type { AgentHappening } from '../contract/event.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { AskUser } from '../contract/question.js';
import { type TestProject, temporaryProject } from '../testing/temporary-project.js';
import { until } from '../testing/watch-processes.js';

const official = (name: string) => counterpart('mcp-servers', `@modelcontextprotocol/server-${name}/dist/index.js`);
const { path: everything, isThere, missing } = official('everything');

beforeEach(({ skip }) => {
  if (!isThere) skip(missing);
});

const stdio = (path: string, ...args: string[]) => ({ command: process.execPath, args: [path, ...args] });

async function projectWith(
  mcpServers: NonNullable<FullEngineOptions['mcpServers']>,
  options: Omit<FullEngineOptions, 'root' | 'dataFolder'> = {},
): Promise<TestProject> {
  const project = await temporaryProject({ 'a.txt': 'hello\n' }, { mcpServers, ...options });
  onTestFinished(async () => await project.remove());
  return project;
}

async function call(
  { engine }: TestProject,
  name: string,
  input: Record<string, unknown> = {},
  events: AgentHappening[] = [],
): Promise<ToolResultBlock> {
  const [result] = await engine.callTools([{ id: 'c', name, input }], { onEvent: (event) => events.push(event) });
  if (!result) throw new Error('no result');
  return result;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the official server over HTTP and waits until it reports that it listens. */
async function remoteServer(transport: 'sse' | 'streamableHttp', port: number) {
  const child = spawn(process.execPath, [everything, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) if (/running|listening/i.test(line) && line.includes(String(port))) break;
  child.stderr.resume();
  child.stdout.resume();
  return child;
}

test('the official server over standard streams: text, image, data, links, roots', async () => {
  const project = await projectWith({ everything: stdio(everything) });
  expect((await call(project, 'mcp__everything__echo', { message: 'hi' })).content).toEqual([
    { type: 'text', text: 'Echo: hi' },
  ]);
  expect((await call(project, 'mcp__everything__get-tiny-image')).content).toContainEqual(
    expect.objectContaining({ type: 'image', source: expect.objectContaining({ media_type: 'image/png' }) }),
  );
  const weather = await call(project, 'mcp__everything__get-structured-content', { location: 'New York' });
  expect(weather.content).toHaveLength(1); // its structured data repeats its text
  const links = await call(project, 'mcp__everything__get-resource-links', { count: 3 });
  expect(JSON.stringify(links.content).match(/Resource demo:/g)).toHaveLength(3);
  expect(JSON.stringify(await call(project, 'mcp__everything__get-roots-list'))).toContain(`file://${project.root}`);
});

test('progress of a server is progress of the call', async () => {
  const project = await projectWith({ everything: stdio(everything) });
  const events: AgentHappening[] = [];
  await call(project, 'mcp__everything__trigger-long-running-operation', { duration: 0.2, steps: 2 }, events);
  const texts = events.flatMap((event) => (event.type === 'tool_progress' ? [event.text] : []));
  expect(texts[0]).toBe('1 of 2');
});

test('a question of a server goes to the user; without one it is declined', async () => {
  const alone = await projectWith({ everything: stdio(everything) });
  expect(JSON.stringify(await call(alone, 'mcp__everything__trigger-elicitation-request'))).toMatch(/declined/i);

  const asked: string[] = [];
  const askUser: AskUser = async (questions) => {
    asked.push(...questions.map(({ question }) => question));
    return questions.map(({ question, options }, index) => {
      if (index === 0) return { chosen: ['Answer'] };
      if (/name/i.test(question)) return { chosen: [], text: 'Ada' };
      return { chosen: options.slice(0, 1).map(({ label }) => label) };
    });
  };
  const project = await projectWith({ everything: stdio(everything) }, { askUser });
  const answered = JSON.stringify(await call(project, 'mcp__everything__trigger-elicitation-request'));
  expect(asked[0]).toContain('The MCP server everything asks:');
  expect(answered).toContain('Name: Ada');
  expect(answered).toContain('fish-1');
});

test('the official file and memory servers, side by side', async () => {
  const filesystem = official('filesystem').path;
  const memory = official('memory').path;
  const root = (await projectWith({})).root;
  const project = await projectWith({
    files: stdio(filesystem, root),
    memory: { ...stdio(memory), env: { MEMORY_FILE_PATH: `${root}/memory.json` } },
  });
  await project.engine.servers.settled();
  expect(project.engine.servers.states().map(({ status }) => status)).toEqual(['connected', 'connected']);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote programs'] }];
  expect((await call(project, 'mcp__memory__create_entities', { entities })).is_error).toBeUndefined();
  expect(JSON.stringify(await call(project, 'mcp__memory__read_graph'))).toContain('wrote programs');
  const names = project.engine.session.tools.all.map(({ tool }) => tool.name);
  expect(names).toContain('mcp__files__read_text_file');
});

test.each([
  ['http', 'streamableHttp', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const)('the official server over %s, which comes back after it was gone', async (type, transport, path) => {
  const port = await freePort();
  const first = await remoteServer(transport, port);
  const project = await projectWith({ web: { type, url: `http://127.0.0.1:${port}${path}` } });
  expect((await call(project, 'mcp__web__echo', { message: 'one' })).content).toMatchObject([{ text: 'Echo: one' }]);

  first.kill('SIGKILL');
  await once(first, 'exit');
  await remoteServer(transport, port);
  // The first call may find the connection gone and says so; the next one works.
  await call(project, 'mcp__web__echo', { message: 'two' });
  expect((await call(project, 'mcp__web__echo', { message: 'three' })).content).toMatchObject([
    { text: 'Echo: three' },
  ]);
});

test('a remote server that requires a key is reported as such, and headers come from settings and a command', async () => {
  const seen: Array<Record<string, unknown>> = [];
  const server = createServer((request, response) => {
    seen.push({ key: request.headers['x-key'], token: request.headers['x-token'] });
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  const entry = {
    type: 'http',
    url: `http://127.0.0.1:${port}/mcp?key=hidden`,
    headers: { 'X-Key': `\${WHO}` },
    headersHelper: `echo '{"X-Token": "t1"}'`,
  };
  const project = await projectWith({ web: entry }, { env: { ...process.env, WHO: 'me' } });
  await project.engine.servers.settled();
  const [state] = project.engine.servers.states();
  expect(state).toMatchObject({ status: 'needs-auth', detail: expect.stringContaining('requires authentication') });
  expect(JSON.stringify(state)).not.toContain('hidden');
  expect(seen[0]).toEqual({ key: 'me', token: 't1' });
});

test('parts for the user alone are shown and not sent, and others reach the model', async () => {
  const project = await projectWith({ everything: stdio(everything) });
  const events: AgentHappening[] = [];
  const annotated = (messageType: string) =>
    call(project, 'mcp__everything__get-annotated-message', { messageType, includeImage: true }, events);
  expect((await annotated('success')).content).toEqual([
    { type: 'text', text: '(The result is for the user alone, who sees it.)' },
  ]);
  const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.display.body] : []));
  expect(results).toEqual([
    { type: 'text', text: expect.stringContaining('Operation completed successfully\n(an image)') },
  ]);
  expect((await annotated('debug')).content).toEqual([{ type: 'text', text: expect.stringContaining('Cache hit') }]);
});

test('a call is cancelled in the middle of its progress, and the server goes on', async () => {
  const project = await projectWith({ everything: stdio(everything) });
  const stop = new AbortController();
  const input = { duration: 600, steps: 12_000 };
  const [result] = await project.engine.callTools(
    [{ id: 'c', name: 'mcp__everything__trigger-long-running-operation', input }],
    {
      signal: stop.signal,
      onEvent: (event) => event.type === 'tool_progress' && stop.abort(new Error('enough')),
    },
  );
  expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('interrupted') });
  expect((await call(project, 'mcp__everything__echo', { message: 'still here' })).is_error).toBeUndefined();
});

test('a storm of changed lists leaves the session working, with the last list', async () => {
  const project = await projectWith({ everything: stdio(everything) });
  const data = 'data:text/plain;base64,aGVsbG8=';
  const zip = (number: number) => ({
    id: `c${number}`,
    name: 'mcp__everything__gzip-file-as-resource',
    input: { name: `note-${number}.gz`, data, outputType: number === 0 ? 'resource' : 'resourceLink' },
  });
  const results = await project.engine.callTools(Array.from({ length: 40 }, (_, number) => zip(number)));
  expect(JSON.stringify(results[0]?.content)).toMatch(/note-0\.gz: \d+ bytes, application\/gzip, saved to/);
  expect(results.filter(({ is_error }) => is_error)).toEqual([]);
  const listed = async (): Promise<boolean> => {
    const text = JSON.stringify(await call(project, 'ListMcpResources', {}));
    return text.includes('note-1.gz') && text.includes('note-39.gz');
  };
  await until(listed);
  expect((await call(project, 'mcp__everything__echo', { message: 'hi' })).is_error).toBeUndefined();
});

test('calls that are under way when a remote server goes down each get one answer, and later calls reach the new one', async () => {
  const port = await freePort();
  const first = await remoteServer('streamableHttp', port);
  const project = await projectWith({ web: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
  await call(project, 'mcp__web__echo', { message: 'one' });
  let running = 0;
  const input = { duration: 600, steps: 12_000 };
  const calls = Array.from({ length: 10 }, (_, number) => ({
    id: `c${number}`,
    name: 'mcp__web__trigger-long-running-operation',
    input,
  }));
  const seen = new Set<string>();
  const results = await project.engine.callTools(calls, {
    onEvent(event) {
      if (event.type !== 'tool_progress' || seen.has(event.callId)) return;
      seen.add(event.callId);
      running += 1;
      if (running === 1) first.kill('SIGKILL');
    },
  });
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(calls.map(({ id }) => id));
  for (const result of results) expect(result.is_error).toBe(true);
  expect(JSON.stringify(results)).toContain('It may have done something; check before you repeat it.');
  await remoteServer('streamableHttp', port);
  await until(async () => (await call(project, 'mcp__web__echo', { message: 'two' })).is_error === undefined);
});
