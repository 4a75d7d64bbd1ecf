// Events to clients of `helve serve`: sessions stream answers at once. A WebSocket client follows all of them; then a page in
// Chromium shows one of them, and then the list. Each word has the time at which the fake model sent it, so the figures are
// the whole way: model, host, gateway, client, and for a page until it was painted.
// SESSIONS=50   how many at once      WORDS=200   words of each answer      EVERY_MS=50   the pause between them
// HELVE_CHROMIUM=/usr/bin/chromium   without it, the pages are left out
import { fork, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { WebSocket } from 'ws';
import { hasChromium, openList, rowsOfList, startBrowser, wordsOfSession } from './serve-pages.mjs';

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
    console.log(`${SESSIONS} sessions, a word every ${EVERY_MS} ms in each`);
    const { latencies } = await follow(url, token, join(folder, 'client'));
    report('a word from the model to a client of all sessions', latencies);
    if (hasChromium) await measurePages(url, token, folder);
    const metrics = await (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text();
    const memory = Number(/^helve_process_resident_memory_bytes (\d+)/m.exec(metrics)[1]);
    console.log(
      `  the gateway: ${(memory / 1024 / 1024).toFixed(0)} MiB, ${/^helve_event_loop_lag_seconds (\S+)/m.exec(metrics)[1]} s lag (p99)`,
    );
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit'); // it writes to the folder until then
    run('host', 'stop');
    model.disconnect();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function measurePages(url, token, folder) {
  const browser = await startBrowser();
  try {
    const page = await openList(browser, url, token);
    const ofList = await rowsOfList(page);
    const { ended } = await follow(url, token, join(folder, 'list'));
    const { took, gaps } = await ofList(ended);
    report('the end of an answer to the painted list', took);
    report('between two frames of the list', gaps);
    let ofSession;
    await follow(url, token, join(folder, 'session'), async (id) => {
      ofSession = await wordsOfSession(page, url, id);
    });
    await page.locator('.session-head .state-idle').waitFor();
    report('a word from the model to the painted page of its session', await ofSession());
  } finally {
    await browser.close();
  }
}

function report(what, times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part) => `${sorted[Math.floor(sorted.length * part)]?.toFixed(1)} ms`;
  const load = `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;
  console.log(`  ${what}: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)} (${sorted.length} seen, ${load})`);
}

/** The times that the words took, and when each session sent its last one. `onBegun` gets a session that streams. */
async function follow(url, token, folder, onBegun) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/acp`, { headers: { Authorization: `Bearer ${token}` } });
  await once(socket, 'open');
  const open = new Map();
  const latencies = [];
  const ended = new Map();
  const lastWords = new Map();
  const done = Promise.withResolvers();
  socket.on('close', (code, reason) => done.reject(new Error(`closed: ${code} ${reason}`)));
  socket.on('message', (data) => {
    const { id, method, params, result, error } = JSON.parse(data);
    if (method === undefined) return error ? done.reject(new Error(error.message)) : open.get(id)(result);
    if (method !== '_helve/session/entry') return undefined;
    const { entry } = params;
    if (entry.kind === 'text')
      for (const word of entry.text.split(' ').filter((each) => each !== '')) {
        latencies.push(now() - Number(word));
        lastWords.set(params.sessionId, Number(word));
      }
    if (entry.kind === 'end') ended.set(params.sessionId, lastWords.get(params.sessionId));
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
      mkdirSync(cwd, { recursive: true });
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
  await onBegun?.(ids[0]);
  await done.promise;
  socket.removeAllListeners('close');
  socket.close();
  return { latencies, ended };
}

await (process.argv[2] === 'model' ? serveModel() : measure());
