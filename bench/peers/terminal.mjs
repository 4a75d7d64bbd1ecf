// The terminal interfaces side by side, in a pseudo-terminal of script(1): time to the first byte, time until the prompt is
// drawn, time from a key to its echo, and the resident memory of the process tree. No model is asked anything.
// BENCH_PEERS_DIR as in README.md; --peers, --reps.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { adapters } from './adapters.mjs';

const KEYS = 40;
const KEY_MS = 60;
const REST_MS = 1_500; // until what starts behind the first frame has settled
const READY_MS = 30_000;
const BASE = 'http://127.0.0.1:9';

/** The arguments of the interface, what is on the screen once it accepts a prompt, and configuration that it alone needs. */
const interfaces = {
  helve: { args: ['--model', 'anthropic/claude-sonnet-4-5'], ready: /Helve/ },
  claude: {
    args: ['--model', 'claude-sonnet-4-5'],
    ready: /❯/,
    setup: (home, cwd) =>
      write(home, '.claude/.claude.json', {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['sk-ant-bench'], rejected: [] },
        projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
  },
  codex: {
    args: ['-m', 'fake-model'], // it advertises newer models instead of the prompt if it knows the model
    ready: /›|context left/,
    setup: (home, cwd) =>
      fs.appendFileSync(path.join(home, '.codex/config.toml'), `[projects."${cwd}"]\ntrust_level = "trusted"\n`),
  },
  pi: { args: ['--provider', 'bench', '--model', 'fake-model'], ready: /fake-model/ },
};

const plain = (text) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of a terminal
  text.replaceAll(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b[=>78M]/g, '');

const memoryOf = (pid) =>
  treeOf(pid).reduce((sum, each) => {
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${each}/status`, 'utf8')) ?? [];
    return sum + Number(kilobytes) / 1024;
  }, 0);

const { values } = parseArgs({
  options: { peers: { type: 'string', default: 'helve,claude,codex,pi' }, reps: { type: 'string', default: '3' } },
});
const root = process.env.BENCH_PEERS_DIR ?? '';
console.log('| | first byte, s | prompt drawn, s | key echo, median / worst, ms | RSS of the tree, MB |');
console.log('|---|--:|--:|--:|--:|');
for (const name of values.peers.split(',')) {
  const runs = [];
  for (let run = 0; run < Number(values.reps); run += 1) runs.push(await measure(name));
  const echoes = runs.flatMap(({ echo }) => echo);
  const seconds = (key) => (median(runs.map((run) => run[key])) / 1000).toFixed(2);
  console.log(
    `| ${adapters[name].title} | ${seconds('firstByte')} | ${seconds('ready')} | ${median(echoes).toFixed(1)} / ${Math.max(...echoes).toFixed(1)} | ${Math.round(median(runs.map(({ rss }) => rss)))} |`,
  );
}

async function measure(name) {
  const adapter = adapters[name];
  const { args, ready, setup } = interfaces[name];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'helve-bench-'));
  const [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const each of [home, cwd]) fs.mkdirSync(each);
  adapter.setup?.(BASE, home);
  setup?.(home, cwd);
  const pidFile = path.join(folder, 'pid');
  const words = [...adapter.bin(root), ...args].map((word) => `'${word}'`).join(' ');
  const started = performance.now();
  const child = spawn(
    'script',
    ['-qfec', `stty cols 110 rows 40; echo $$ > '${pidFile}'; exec ${words}`, '/dev/null'],
    {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SHELL: '/bin/sh',
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        ...adapter.env(BASE, home),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  let seen = '';
  let firstByte;
  let wake = () => {};
  child.stdout.setEncoding('utf8').on('data', (data) => {
    firstByte ??= performance.now() - started;
    seen += data;
    answerQueries(data, child.stdin);
    wake();
  });
  const shows = async (wanted) => {
    const end = performance.now() + READY_MS;
    while (!wanted.test(plain(seen))) {
      if (performance.now() > end) throw new Error(`${name} never showed ${wanted}:\n${plain(seen).slice(-3000)}`);
      await Promise.race([new Promise((done) => (wake = done)), delay(500)]);
    }
  };
  try {
    await shows(ready);
    const readyAt = performance.now() - started;
    await delay(REST_MS);
    const echo = [];
    for (let key = 0; key < KEYS; key += 1) {
      await delay(KEY_MS);
      const letter = 'qzjxkv'[key % 6];
      seen = '';
      const pressed = performance.now();
      child.stdin.write(letter);
      await shows(new RegExp(letter));
      echo.push(performance.now() - pressed);
    }
    return { firstByte, ready: readyAt, echo, rss: memoryOf(Number(fs.readFileSync(pidFile, 'utf8'))) };
  } finally {
    const ended = new Promise((done) => child.once('close', done));
    if (fs.existsSync(pidFile)) for (const pid of treeOf(Number(fs.readFileSync(pidFile, 'utf8'))).reverse()) kill(pid);
    child.kill('SIGKILL');
    await ended;
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Some programs wait for the terminal's answers; script(1) is none. */
function answerQueries(data, stdin) {
  if (data.includes('\x1b[6n')) stdin.write('\x1b[1;1R');
  if (data.includes('\x1b[c')) stdin.write('\x1b[?62;c');
}

function treeOf(pid) {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => treeOf(Number(child))))];
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {} // it has ended with its parent
}

function write(home, name, data) {
  fs.writeFileSync(path.join(home, name), JSON.stringify(data));
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
