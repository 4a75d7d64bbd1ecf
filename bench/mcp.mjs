// What 20 MCP servers with 300 tools cost: the first request of a run, its tool part, and a search among the tools.
// Usage: node bench/mcp.mjs

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFakeModelServer } from '../dist/testing.mjs';
import { importSource } from './bundle-source.mjs';

const RUNS = 7;
const server = resolve('test/fixtures/mcp/odd-server.mjs');
const entry = { command: process.execPath, args: [server, 'many', '15'] };
const mcpServers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`server${n}`, entry]));

async function firstRequest(config) {
  const folder = await mkdtemp(join(tmpdir(), 'helve-bench-'));
  const model = await startFakeModelServer([{ text: 'done' }]);
  try {
    if (config) await writeFile(join(folder, '.mcp.json'), JSON.stringify(config));
    const started = performance.now();
    const child = spawn(process.execPath, [resolve('bin/helve.cjs'), '-p', 'hi', '--trust'], {
      cwd: folder,
      env: { ...process.env, HELVE_HOME: join(folder, 'home'), ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'x' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await new Promise((ended) => child.once('exit', ended));
    const [request] = model.requests;
    return { ms: request.arrivedAt - started, toolBytes: JSON.stringify(request.body.tools).length };
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const [without, withServers] = [[], []];
for (let run = 0; run < RUNS; run += 1) {
  without.push(await firstRequest({ mcpServers: {} })); // a file there is, so that only the servers differ
  withServers.push(await firstRequest({ mcpServers }));
}
const ms = (runs) => median(runs.map((run) => run.ms)).toFixed(1);
console.log(
  `first request: ${ms(without)} ms without servers, ${ms(withServers)} ms with 20 servers (median of ${RUNS})`,
);
console.log(`its tools: ${without[0].toolBytes} bytes without servers, ${withServers[0].toolBytes} with them`);

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
