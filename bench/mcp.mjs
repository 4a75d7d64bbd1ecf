// What MCP servers cost: the first request of a run with 20 servers of all kinds, and with 20 servers of 300 tools its
// tool part and a search among the tools.
// Usage: node bench/mcp.mjs [runs]

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFakeModelServer } from '../dist/testing.mjs';
import { importSource } from './bundle-source.mjs';

const RUNS = Number(process.argv[2] ?? 11);
const WAIT_MS = 300; // the default of mcp.startWaitMs
const server = resolve('test/fixtures/mcp/odd-server.mjs');
const entry = { command: process.execPath, args: [server, 'many', '15'] };
const mcpServers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`server${n}`, entry]));

async function firstRequest(config, startWaitMs) {
  const folder = await mkdtemp(join(tmpdir(), 'helve-bench-'));
  const model = await startFakeModelServer([{ text: 'done' }]);
  try {
    await writeFile(join(folder, '.mcp.json'), JSON.stringify(config));
    await mkdir(join(folder, '.helve'));
    await writeFile(join(folder, '.helve/settings.json'), JSON.stringify({ mcp: { startWaitMs } }));
    const started = performance.now();
    const child = spawn(process.execPath, [resolve('bin/helve.cjs'), '-p', 'hi', '--trust'], {
      cwd: folder,
      env: { ...process.env, HELVE_HOME: join(folder, 'home'), ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'x' },
      stdio: 'ignore', // that servers are not ready is what is measured
    });
    await new Promise((ended) => child.once('exit', ended));
    const [request] = model.requests;
    if (!request) throw new Error('helve sent no request');
    return { ms: request.arrivedAt - started, toolBytes: JSON.stringify(request.body.tools).length };
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const ms = (runs) => median(runs.map((run) => run.ms)).toFixed(1);

/** Five servers that need a sign-in, two that accept a connection and never answer, and 13 small real ones. */
async function allKinds() {
  const require = createRequire(import.meta.url);
  const program = (name) => require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  const locked = createHttpServer((_, response) =>
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end(),
  ).listen(0, '127.0.0.1');
  const sockets = new Set();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await Promise.all([locked, silent].map((one) => new Promise((listening) => one.once('listening', listening))));
  const remote = (server) => ({ type: 'http', url: `http://127.0.0.1:${server.address().port}/mcp` });
  const local = [program('memory'), program('filesystem'), program('everything')];
  const entries = Array.from({ length: 20 }, (_, n) => {
    if (n < 5) return remote(locked);
    if (n < 7) return remote(silent);
    return { command: process.execPath, args: [local[n % 3], ...(n % 3 === 1 ? ['.'] : [])] };
  });
  return {
    mcpServers: Object.fromEntries(entries.map((entry, n) => [`kind${n}`, entry])),
    close() {
      for (const socket of sockets) socket.destroy();
      locked.closeAllConnections();
      locked.close();
      silent.close();
    },
  };
}

const kinds = await allKinds();
const cases = [
  ['without servers', { mcpServers: {} }, WAIT_MS], // a file there is, so that only the servers differ
  ['20 servers of all kinds, mcp.startWaitMs 0', kinds, 0],
  [`20 servers of all kinds, mcp.startWaitMs ${WAIT_MS}`, kinds, WAIT_MS],
  ['20 servers with 300 tools, the default wait', { mcpServers }, WAIT_MS],
];
const runs = cases.map(() => []);
const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
const loadBefore = load();
for (let run = 0; run < RUNS; run += 1) {
  for (const [index, [, { mcpServers: configured }, wait]] of cases.entries()) {
    runs[index].push(await firstRequest({ mcpServers: configured }, wait));
  }
}
kinds.close();
console.log(
  `${cpus().length} cores, ${cpus()[0]?.model}, Node ${process.versions.node}, load ${loadBefore} to ${load()}`,
);
console.log(`first request, median of ${RUNS} alternating runs:`);
for (const [index, [name]] of cases.entries()) {
  const more = runs[index].map((run, at) => run.ms - runs[0][at].ms);
  console.log(
    `  ${name}: ${ms(runs[index])} ms${index === 0 ? '' : `, ${median(more).toFixed(1)} ms more in the same round`}`,
  );
}
console.log(`its tools: ${runs[0][0].toolBytes} bytes without servers, ${runs[3][0].toolBytes} with 300 tools`);

const { createEngine } = await importSource('src/compose/create-engine.ts');
const folder = await mkdtemp(join(tmpdir(), 'helve-bench-'));
const engine = createEngine({ root: folder, dataFolder: join(folder, 'home'), mcpServers });
const connecting = performance.now();
await engine.servers.settled();
console.log(`all 20 servers connected after ${(performance.now() - connecting).toFixed(0)} ms`);
const { tools } = engine.session;
const deferred = tools.deferred().filter(({ name }) => name.startsWith('mcp__'));
const sent = JSON.stringify(tools.definitions().filter(({ name }) => name.startsWith('mcp__'))).length;
console.log(`${deferred.length} tools wait by name; what is sent of them: ${sent} bytes`);
const { ToolRanking } = await importSource('src/tools/tool-search-ranking.ts');
const ranking = new ToolRanking();
for (const query of ['issues of a project', 'field 7', 'users']) {
  const started = performance.now();
  const found = ranking.search(query, tools.deferred());
  console.log(
    `search "${query}": ${(performance.now() - started).toFixed(2)} ms, ${found.length} fit, first ${found[0]?.name}`,
  );
}
await engine.end();
await rm(folder, { recursive: true, force: true });
