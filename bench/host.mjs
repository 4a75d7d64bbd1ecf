// Many sessions in one process: each takes 20 turns of Read, Edit and Bash, against a fake model in a process of its own.
// node bench/host.mjs [other build …]   measures the folders of other builds in turn with this one, in the same run
// SIZES=1,2,50,500   how many sessions at once      TURNS=20   turns of each      ROUNDS=1   runs of each size
// THINK_MS=0   how long the model takes to answer, on average: 0 shows how much work is possible, 1000 who holds whom up
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const TURNS = Number(process.env.TURNS ?? 20);
const THINK_MS = Number(process.env.THINK_MS ?? 0);
const IDLE_MS = 10_000;

/** What is asked for depends on the number of answers in the conversation alone. */
async function serve() {
  let problems = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const turn = count(body, '"role":"assistant"');
      problems += count(body, '"is_error":true');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (THINK_MS === 0) response.end(answerOf(turn));
      else setTimeout(() => response.end(answerOf(turn)), THINK_MS * (0.5 + Math.random()));
    });
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', () => process.send({ problems }));
  process.on('disconnect', () => process.exit());
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
}

function count(body, text) {
  let found = 0;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) found += 1;
  return found;
}

function answerOf(turn) {
  const block = turn < TURNS ? callOf(turn) : { type: 'text', text: '' };
  const delta =
    turn < TURNS
      ? { type: 'input_json_delta', partial_json: JSON.stringify(block.wanted) }
      : { type: 'text_delta', text: 'Done.' };
  const { wanted: _, ...start } = block;
  return [
    { type: 'message_start', message: { id: `m${turn}`, type: 'message', role: 'assistant', content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: turn < TURNS ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function callOf(turn) {
  const edit = Math.floor(turn / 3);
  const inputs = [
    ['Read', { file_path: 'a.txt' }],
    ['Edit', { file_path: 'a.txt', old_string: `count ${edit}\n`, new_string: `count ${edit + 1}\n` }],
    ['Bash', { command: 'ls' }],
  ];
  const [name, wanted] = inputs[turn % 3];
  return { type: 'tool_use', id: `toolu_${turn}`, name, input: {}, wanted };
}

/** The process with the sessions: prints its figures as JSON. */
async function sessions([build, folder, size, url]) {
  process.env.ANTHROPIC_BASE_URL = url;
  const { createAgent } = await import(pathToFileURL(join(build, 'index.mjs')));
  const { chooseModel } = await import(pathToFileURL(join(build, 'models.mjs')));
  const roots = Array.from({ length: Number(size) }, (_, number) => join(folder, String(number)));
  for (const root of roots) {
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), `${'a line of forty characters, more or less\n'.repeat(50)}count 0\n`);
  }
  const model = await chooseModel('anthropic/claude-test');
  await warmUp({ createAgent, model, root: join(folder, 'warm-up') });

  const before = await restingState();
  const cpuBefore = cpuSeconds();
  const mainBefore = mainThreadSeconds();
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const started = performance.now();
  const turnMs = [];
  const agents = roots.map((root) =>
    createAgent({ model: timed(model, turnMs), root, permissionMode: 'bypassPermissions', keepSession: true }),
  );
  const createdMs = performance.now() - started;
  const holds = watchHolds();
  const peak = watchPeaks();
  const runs = agents.map((agent) => agent.run('go').result);
  const startedMs = performance.now() - started;
  const results = await Promise.all(runs);
  const seconds = (performance.now() - started) / 1000;
  lag.disable();
  const cpu = cpuSeconds() - cpuBefore;
  const main = mainThreadSeconds() - mainBefore;
  const after = await restingState(IDLE_MS);
  const turns = roots.length * (TURNS + 1);
  const each = (name) => (after[name] - before[name]) / roots.length;
  const figures = {
    failures: results.filter(({ outcome }) => outcome !== 'completed').length + failedCalls(agents),
    turnsPerSecond: turns / seconds,
    cpuMs: (cpu * 1000) / turns,
    mainMs: (main * 1000) / turns,
    p50: quantile(turnMs, 0.5),
    p95: quantile(turnMs, 0.95),
    createdMs,
    startedMs,
    lagMax: lag.max / 1e6,
    lagP99: lag.percentile(99) / 1e6,
    ...holds.stop(),
    ...peak.stop(),
    idleKb: each('rss') / 1024,
    idleHeapKb: each('heap') / 1024,
    idleDescriptors: each('descriptors'),
    idleChildren: after.children,
  };
  await Promise.all(agents.map((agent) => agent.end()));
  process.send(figures);
  process.disconnect();
}

/** Loads the code that every session needs, so that one session does not pay for it. */
async function warmUp({ createAgent, model, root }) {
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'count 0\n');
  const agent = createAgent({ model, root, permissionMode: 'bypassPermissions' });
  await agent.run('go').result;
  await agent.end();
}

/** Notes the time from one request of a conversation to its next. */
function timed(model, turnMs) {
  let last;
  return {
    ...model,
    stream(request, signal) {
      const now = performance.now();
      if (last !== undefined) turnMs.push(now - last);
      last = now;
      return model.stream(request, signal);
    },
  };
}

const failedCalls = (agents) =>
  agents.flatMap(({ messages }) => messages.flatMap(({ content }) => content.filter((block) => block.is_error))).length;

const descriptors = () => readdirSync('/proc/self/fd').length;
const children = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).length;

/** What is in use once nothing more is freed: no child process is left, or the time is up. */
async function restingState(ms = 0) {
  await delay(ms);
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc();
    await delay(50);
  }
  const { rss, heapUsed: heap } = process.memoryUsage();
  return { rss, heap, descriptors: descriptors(), children: children() };
}

function watchPeaks() {
  const peak = { peakMb: 0, peakDescriptors: 0, peakChildren: 0 };
  const look = () => {
    peak.peakMb = Math.max(peak.peakMb, process.memoryUsage.rss() / 1e6);
    peak.peakDescriptors = Math.max(peak.peakDescriptors, descriptors());
    peak.peakChildren = Math.max(peak.peakChildren, children());
  };
  const timer = setInterval(look, 100);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

/** The most CPU time that the event loop took between two timers: unlike the lag, other work of the machine does not count. */
function watchHolds() {
  let last = mainThreadSeconds();
  let most = 0;
  const timer = setInterval(() => {
    const now = mainThreadSeconds();
    most = Math.max(most, now - last);
    last = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return { holdMs: most * 1000 };
    },
  };
}

/** Of this process and of its children that have ended. */
function cpuSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / 100;
}

const mainThreadSeconds = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;

function quantile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

async function measureAll() {
  const builds = [resolve('dist'), ...process.argv.slice(2).map((folder) => resolve(folder))];
  const sizes = (process.env.SIZES ?? '1,2,50,500').split(',').map(Number);
  const rounds = Number(process.env.ROUNDS ?? 1);
  console.log(
    `### Sessions of one process, ${TURNS + 1} requests each (Node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)})\n`,
  );
  const columns = [
    ['turns/s', 'turnsPerSecond', 0],
    ['CPU ms/turn', 'cpuMs', 2],
    ['main thread', 'mainMs', 2],
    ['p50 ms', 'p50', 1],
    ['p95 ms', 'p95', 1],
    ['failures', 'failures', 0],
    ['createAgent ms', 'createdMs', 0],
    ['lag p99 ms', 'lagP99', 0],
    ['lag max ms', 'lagMax', 0],
    ['longest hold, CPU ms', 'holdMs', 0],
    ['peak MB', 'peakMb', 0],
    ['peak fds', 'peakDescriptors', 0],
    ['peak children', 'peakChildren', 0],
    ['idle: kB each', 'idleKb', 0],
    ['heap kB each', 'idleHeapKb', 0],
    ['fds each', 'idleDescriptors', 1],
    ['children', 'idleChildren', 0],
  ];
  console.log(`| sessions | build | ${columns.map(([name]) => name).join(' | ')} |`);
  console.log(`|--:|---|${columns.map(() => '--:').join('|')}|`);
  for (const size of sizes) {
    const runs = builds.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, build] of builds.entries()) runs[at].push(await measure(build, size));
    }
    for (const [at, build] of builds.entries()) {
      const cells = columns.map(([, field, digits]) =>
        quantile(
          runs[at].map((run) => run[field]),
          0.5,
        ).toFixed(digits),
      );
      console.log(`| ${size} | ${at === 0 ? 'here' : build} | ${cells.join(' | ')} |`);
    }
  }
}

async function measure(build, size) {
  const folder = mkdtempSync(join(tmpdir(), 'helve-bench-host-'));
  const env = { PATH: process.env.PATH, HOME: folder, HELVE_HOME: join(folder, 'home'), TMPDIR: tmpdir() };
  const server = fork(import.meta.filename, ['serve'], { env: { ...env, TURNS, THINK_MS } });
  const [{ url }] = await once(server, 'message');
  const child = fork(import.meta.filename, ['sessions', build, folder, size, url], {
    env: { ...env, TURNS, ANTHROPIC_API_KEY: 'sk-bench' },
    execArgv: ['--expose-gc', ...(process.env.NODE_FLAGS?.split(' ') ?? [])],
  });
  try {
    const [figures] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`The process with the sessions exited with ${code}.`);
      }),
    ]);
    server.send('problems');
    const [{ problems }] = await once(server, 'message');
    return { ...figures, failures: figures.failures + problems };
  } finally {
    server.disconnect();
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

const roles = { serve, sessions };
await (roles[process.argv[2]] ?? measureAll)(process.argv.slice(3));
