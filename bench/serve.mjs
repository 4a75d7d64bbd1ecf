// Events to a WebSocket client of `helve serve`: sessions stream answers at once, and one client follows all of them. Each
// word has the time at which the fake model sent it, so the figure is the whole way: model, host, gateway, client.
// SESSIONS=50   how many at once      WORDS=200   words of each answer      EVERY_MS=50   the pause between them
import { fork, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { WebSocket } from 'ws';

const SESSIONS = Number(process.env.SESSIONS ?? 50);
const WORDS = Number(process.env.WORDS ?? 200);
const EVERY_MS = Number(process.env.EVERY_MS ?? 50);
const helve = resolve('bin/helve.cjs');
const now = () => performance.timeOrigin + performance.now();

async function serveModel() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => void answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('disconnect', () => process.exit());
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
}

async function answer(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  send({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} } });
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (let word = 0; word < WORDS; word += 1) {
    await new Promise((done) => setTimeout(done, EVERY_MS * (0.5 + Math.random())));
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${now().toFixed(2)} ` } });
  }
  send({ type: 'content_block_stop', index: 0 });
  send({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } });
  send({ type: 'message_stop' });
  response.end();
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'helve-bench-serve-'));
  const model = fork(process.argv[1], ['model']);
  const [{ url: modelUrl }] = await once(model, 'message');
  const env = {
    ...process.env,
    HELVE_HOME: join(folder, 'home'),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'key',
  };
  const run = (...args) => spawnSync(process.execPath, [helve, ...args], { env, encoding: 'utf8' }).stdout.trim();
  const token = run('serve', 'tokens', 'add', 'bench', '--role', 'admin');
  const server = spawn(process.execPath, [helve, 'serve', '--port', '0', '--model', 'anthropic/claude-test'], { env });
  server.stderr.pipe(process.stderr);
  try {
    const [line] = await once(server.stdout.setEncoding('utf8'), 'data');
    const url = /url: (\S+)/.exec(line)[1];
    const latencies = await follow(url, token, folder);
    const at = (part) => latencies[Math.floor(latencies.length * part)].toFixed(1);
    const load = `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;
    console.log(`${SESSIONS} sessions, a word every ${EVERY_MS} ms in each, one client (${load})`);
    console.log(
      `  ${latencies.length} of ${SESSIONS * WORDS} words seen, model to client: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`,
    );
    const metrics = await (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text();
    const memory = Number(/^helve_process_resident_memory_bytes (\d+)/m.exec(metrics)[1]);
    console.log(
      `  the gateway: ${(memory / 1024 / 1024).toFixed(0)} MiB, ${/^helve_event_loop_lag_seconds (\S+)/m.exec(metrics)[1]} s lag (p99)`,
    );
  } finally {
    server.kill();
    run('host', 'stop');
    model.disconnect();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** The times that the words took, sorted. */
async function follow(url, token, folder) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/acp`, { headers: { Authorization: `Bearer ${token}` } });
  await once(socket, 'open');
  const open = new Map();
  const latencies = [];
  const ended = new Set();
  const done = Promise.withResolvers();
  socket.on('close', (code, reason) => done.reject(new Error(`closed: ${code} ${reason}`)));
  socket.on('message', (data) => {
    const { id, method, params, result, error } = JSON.parse(data);
    if (method === undefined) return error ? done.reject(new Error(error.message)) : open.get(id)(result);
    if (method !== '_helve/session/entry') return undefined;
    const { entry } = params;
    if (entry.kind === 'text')
      for (const word of entry.text.split(' ')) if (word !== '') latencies.push(now() - Number(word));
    if (entry.kind === 'end') ended.add(params.sessionId);
    if (ended.size === SESSIONS) done.resolve();
    return undefined;
  });
  let last = 0;
  const ask = async (method, params) => {
    last += 1;
    const answered = Promise.withResolvers();
    open.set(last, answered.resolve);
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }));
    return await answered.promise;
  };
  await ask('initialize', { protocolVersion: 1 });
  const ids = Array.from({ length: SESSIONS }, () => randomUUID());
  await Promise.all(
    ids.map(async (sessionId, number) => {
      const cwd = join(folder, String(number));
      mkdirSync(cwd);
      await ask('_helve/prompt', {
        sessionId,
        promptId: 'p',
        cwd,
        mcpServers: [],
        prompt: [{ type: 'text', text: 'go' }],
      });
      await ask('_helve/session/attach', { sessionId });
    }),
  );
  await done.promise;
  socket.removeAllListeners('close');
  socket.close();
  return latencies.toSorted((one, other) => one - other);
}

await (process.argv[2] === 'model' ? serveModel() : measure());
