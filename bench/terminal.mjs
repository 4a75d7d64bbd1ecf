// The conversation at the terminal: how soon the first frame stands, how soon a key is seen while output floods in, and
// how much memory a long conversation takes, beside the same conversation without a terminal. A pseudo-terminal is made
// by script(1), of util-linux. HELVE_BENCH_TURNS makes the conversation longer.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const helve = resolve(process.env.HELVE_BENCH_BIN ?? 'bin/helve.cjs');
const { startFakeModelServer } = await import(resolve(process.env.HELVE_BENCH_TESTING ?? 'dist/testing.mjs'));
const STARTS = 15;
const KEYS = 60;
const TURNS = Number(process.env.HELVE_BENCH_TURNS ?? 400);
const folder = mkdtempSync(join(tmpdir(), 'helve-bench-'));
// Loaded before the program: on a signal it collects what is no longer in use, and writes down what is left.
const tellMemory = `process.on('SIGUSR2', () => {
  for (let round = 0; round < 3; round += 1) globalThis.gc();
  const { writeFileSync, renameSync } = require('node:fs');
  writeFileSync(process.env.TELL_MEMORY + '.new', String(process.memoryUsage().heapUsed));
  renameSync(process.env.TELL_MEMORY + '.new', process.env.TELL_MEMORY);
});`;

if (spawnSync('script', ['--version']).status !== 0) {
  console.log('### Terminal\n\nNot measured: script(1) of util-linux is not installed.');
  process.exit(0);
}
try {
  console.log(`### Terminal (Node ${process.versions.node})\n`);
  console.log('| | median | 95 % | most |\n|---|--:|--:|--:|');
  const bare = await times(STARTS, () => timeOf([process.execPath, '-e', '0']));
  row('node -e 0, ms', bare);
  row(`first frame of ${STARTS} starts, ms`, await times(STARTS, firstFrame));
  row(`a key at rest, ms (${KEYS} keys)`, await keysDuring([], undefined));
  const flood = 'seq 1 30000000 | tail -n 29000000';
  row(
    'a key while a command writes millions of lines, ms',
    await keysDuring([{ calls: [{ name: 'Bash', input: { command: flood } }] }], 'Bash'),
  );
  const words = Array.from({ length: 20_000 }, (_, index) => `Line ${index} with **bold** and \`code\`.\n\n`).join('');
  row(
    'a key while an answer of 20,000 paragraphs comes, ms',
    await keysDuring([{ text: words, chunkBytes: 4_000, delayMs: 1 }], 'Line'),
  );
  await memory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function times(count, measure) {
  const all = [];
  for (let run = 0; run < count; run += 1) all.push(await measure());
  return all;
}

async function timeOf([program, ...args]) {
  const started = performance.now();
  spawnSync(program, args, { stdio: 'ignore' });
  return performance.now() - started;
}

function row(name, values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(1)} |`);
}

/** helve in a pseudo-terminal. */
function open(env = {}, args = [], nodeArgs = []) {
  const pidFile = join(folder, `pid-${Math.random()}`);
  const words = [process.execPath, ...nodeArgs, helve, ...args].map((word) => `'${word}'`).join(' ');
  const command = `stty cols 100 rows 40; echo $$ > '${pidFile}'; exec ${words}`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: environment(env),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let seen = '';
  let wake = () => {};
  child.stdout.setEncoding('utf8').on('data', (text) => {
    seen = (seen + text).slice(-200_000);
    wake();
  });
  return {
    write: (text) => child.stdin.write(text),
    forget: () => {
      seen = '';
    },
    async shows(text) {
      while (!seen.includes(text)) await new Promise((done) => (wake = done));
    },
    pid: () => Number(readFileSync(pidFile, 'utf8')),
    async close() {
      const closed = new Promise((done) => child.once('close', done));
      process.kill(this.pid(), 'SIGTERM');
      await closed;
    },
  };
}

function environment(more) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    HELVE_HOME: join(folder, 'data'),
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    ANTHROPIC_API_KEY: 'x',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    ...more,
  };
}

async function firstFrame() {
  const started = performance.now();
  const terminal = open();
  await terminal.shows('Helve');
  const took = performance.now() - started;
  await terminal.close();
  return took;
}

/** Types letters one by one, and waits for each until it is seen. */
async function keysDuring(answers, begun) {
  const server = await startFakeModelServer(answers);
  const terminal = open({ ANTHROPIC_BASE_URL: server.url }, ['--allowed-tools', 'Bash']);
  await terminal.shows('for shortcuts');
  await delay(500);
  if (begun) {
    terminal.write('go\r');
    await terminal.shows(begun);
  }
  const all = [];
  let typed = '';
  for (let key = 0; key < KEYS; key += 1) {
    await delay(20);
    typed += 'qzjxkv'[key % 6];
    terminal.forget();
    const started = performance.now();
    terminal.write(typed.at(-1));
    await terminal.shows(typed);
    all.push(performance.now() - started);
  }
  await terminal.close();
  await server.close();
  return all;
}

async function memory() {
  console.log(
    '\n| turns | resident, MB | heap after a collection, MB | the same without a terminal |  |\n|--:|--:|--:|--:|--:|',
  );
  const [inTerminal, without] = [await measured(conversationInTerminal), await measured(conversationWithout)];
  for (const [index, { turn, resident, heap }] of inTerminal.entries()) {
    console.log(`| ${turn} | ${resident} | ${heap} | ${without[index].resident} | ${without[index].heap} |`);
  }
}

/** Takes turn after turn, and looks now and then at what is in use. */
async function measured(begin) {
  const answer = Array.from({ length: 40 }, (_, index) => `${index}. some words in a line`).join('\n');
  const server = await startFakeModelServer((_, count) => ({ text: `${answer}\n\nThat was turn ${count + 1}.` }));
  const report = join(folder, `memory-${Math.random()}`);
  const hook = join(folder, 'tell-memory.cjs');
  writeFileSync(hook, tellMemory);
  const nodeArgs = ['--expose-gc', '--require', hook];
  const talk = await begin({ ANTHROPIC_BASE_URL: server.url, TELL_MEMORY: report }, nodeArgs);
  const seen = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await talk.take(turn);
    if (turn % 100 === 0 || turn === 10) seen.push({ turn, ...(await memoryOf(talk.pid(), report)) });
  }
  await talk.close();
  await server.close();
  return seen;
}

async function memoryOf(pid, report) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(report)) await delay(10);
  const heap = (Number(readFileSync(report, 'utf8')) / 1024 ** 2).toFixed(1);
  rmSync(report);
  return { resident: Math.round(Number(kilobytes) / 1024), heap };
}

async function conversationInTerminal(env, nodeArgs) {
  const terminal = open(env, [], nodeArgs);
  await terminal.shows('for shortcuts');
  await delay(500);
  return {
    ...terminal,
    async take(turn) {
      terminal.write('next\r');
      await terminal.shows(`That was turn ${turn}.`);
      await delay(25);
    },
  };
}

/** Driven by lines of JSON, as another program would. */
async function conversationWithout(env, nodeArgs) {
  const flags = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const child = spawn(process.execPath, [...nodeArgs, helve, ...flags, '--include-partial-messages'], {
    cwd: folder,
    env: environment(env),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let results = 0;
  let wake = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (JSON.parse(line).type === 'result') results += 1;
    wake();
  });
  return {
    pid: () => child.pid,
    async take(turn) {
      child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'next' } })}\n`);
      while (results < turn) await new Promise((done) => (wake = done));
      await delay(25);
    },
    async close() {
      const closed = new Promise((done) => child.once('close', done));
      child.stdin.end();
      await closed;
    },
  };
}
