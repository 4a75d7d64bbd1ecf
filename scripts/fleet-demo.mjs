// npm run fleet:demo: a fleet on this machine. Starts a real PostgreSQL, three workers, a server with the web view and a
// scripted model, sends twenty prompts for a git repository, kills a worker in the middle, and shows the list of sessions
// until all have ended. Then says what has happened, in a terminal waits for Enter, and removes everything. Ctrl-C does that
// at any time.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startFakeModelServer } from '../dist/testing.mjs';
import { LocalPostgres, withoutPostgres } from './run-postgres.ts';

const SESSIONS = Number(process.env.SESSIONS ?? 20);
const STEPS = 4;
const NAMES = ['Ada', 'Bob', 'Cleo'];
const SILENCE_SECONDS = 2;
const SHOW_MS = 2_000;
const LIMIT_MS = 5 * 60_000;
const STATES = { running: 'running', requires_action: 'waiting for you', failed: 'failed', interrupted: 'interrupted' };

const place = mkdtempSync(join(tmpdir(), 'helve-fleet-demo-'));
const mark = `HELVE_FLEET_DEMO=${place}`;
const helve = resolve('bin/helve.cjs');
const workers = new Map();
/** The server with the web view. */
let server;
/** What has to be ended, the last first. */
const cleanUps = [() => rmSync(place, { recursive: true, force: true, maxRetries: 5 })];
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop.abort(new Error('interrupted')));

try {
  await demo();
} catch (error) {
  if (!stop.signal.aborted) {
    say(`The demo failed: ${error.message}`);
    process.exitCode = 1;
  } else {
    say('\nInterrupted. Everything that was started is being ended.');
    process.exitCode = 130;
  }
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  say('Nothing of the demo is left on this machine.');
}

async function demo() {
  if (withoutPostgres !== undefined) throw new Error(withoutPostgres);
  say(`${SESSIONS} sessions, ${NAMES.length} workers, one PostgreSQL. Everything is in ${place}.`);
  const postgres = await step(
    'Starting PostgreSQL',
    () => LocalPostgres.start(),
    (started) => started.remove(),
  );
  const temporary = join(place, 'tmp');
  mkdirSync(temporary);
  const model = await startFakeModelServer(answerTo);
  cleanUps.push(() => model.close());
  const env = {
    PATH: process.env.PATH,
    HOME: place,
    TMPDIR: temporary, // a worker that is killed leaves pipes there
    IS_SANDBOX: '1', // the workers' rules are the same as root
    HELVE_FLEET_DEMO: place,
    HELVE_DATABASE: postgres.url,
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: model.url,
    HELVE_MODEL: 'anthropic/claude-sonnet-4-5',
  };
  const repository = makeRepository();
  cleanUps.push(endProcesses);
  await step('Starting workers', () => Promise.all(NAMES.map((name) => startWorker(name, env))));
  const web = await step('Starting the server with the web view', () => startServer(env));
  say(
    `\n  Watch it in a browser: ${web.url}/#code=${web.code}\n  The code signs one browser in, within five minutes.\n`,
  );
  const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
  database.on('error', () => {});
  cleanUps.push(() => database.end());

  const begun = Date.now();
  await step('Sending prompts', async () => {
    const numbers = Array.from({ length: SESSIONS }, (_, index) => index + 1);
    const send = async () => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        await fleet(env, 'send', '--repo', `file://${repository}`, `session ${number}: write your steps to work.txt`);
      }
    };
    await Promise.all([send(), send(), send(), send()]);
  });
  let killed;
  for (let shown = 0; ; ) {
    const sessions = await listOf(env);
    const open = sessions.filter(({ openPrompts }) => openPrompts > 0);
    if (open.length === 0) break;
    if (!killed && open.length <= SESSIONS / 2) killed = kill(sessions);
    if (Date.now() - shown > SHOW_MS) {
      shown = Date.now();
      show(sessions);
    }
    if (Date.now() - begun > LIMIT_MS) throw new Error(`not all sessions have ended after ${LIMIT_MS / 1_000} s`);
    await delay(200, undefined, { signal: stop.signal });
  }
  show(await listOf(env));
  await report(database, { seconds: (Date.now() - begun) / 1_000, killed });
  if (process.stdin.isTTY && process.stdout.isTTY)
    await enter(`\nThe web view is still at ${web.url}. Enter ends everything. `);
}

async function enter(question) {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.once('SIGINT', () => stop.abort(new Error('interrupted')));
  await new Promise((answered, reject) => {
    lines.question(question, answered);
    lines.once('close', answered);
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  }).finally(() => lines.close());
}

/** The sessions of the worker that runs the most are continued by others. */
function kill(sessions) {
  const owned = [...workers.values()].map((worker) => ({
    ...worker,
    sessions: sessions.filter((session) => session.worker === worker.id).map(({ sessionId }) => sessionId),
  }));
  const [most] = owned.sort((one, other) => other.sessions.length - one.sessions.length);
  if (most.sessions.length === 0) return undefined;
  process.kill(most.process.pid, 'SIGKILL');
  say(`\n>>> kill -9: ${most.name} is gone in the middle of ${most.sessions.length} sessions.\n`);
  return most;
}

async function report(database, { seconds, killed }) {
  const { rows: ends } = await database.query('select session, outcome, problem from helve.prompt');
  const { rows: records } = await database.query(
    "select session, content from helve.record where file = 'session.jsonl' order by session, position",
  );
  const logs = new Map();
  for (const { session, content } of records)
    logs.set(session, Buffer.concat([logs.get(session) ?? Buffer.alloc(0), content]));
  const unknown = [...logs.values()].reduce((sum, log) => sum + withoutResult(log.toString()), 0);
  const ran = existsSync(join(place, 'ran')) ? readdirSync(join(place, 'ran')) : [];
  const lines = ran.flatMap((name) =>
    readFileSync(join(place, 'ran', name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => `${name} ${line}`),
  );
  const twice = lines.length - new Set(lines).size;
  const good = ends.filter(({ outcome }) => outcome === 'completed').length;
  const failed = ends.find(({ outcome }) => outcome !== 'completed');
  say(`
What happened
  ${good} of ${ends.length} prompts are completed, after ${seconds.toFixed(0)} s.
  ${killed ? `${killed.name} was killed with ${killed.sessions.length} sessions. The others noticed after ${SILENCE_SECONDS} s, made these workspaces again from the database, and went on.` : 'No worker was killed: all sessions had ended before.'}
  ${lines.length} commands ran, and ${twice === 0 ? 'none of them twice' : `${twice} of them twice`}.
  ${unknown === 0 ? 'None of them was running when its worker was killed.' : `${unknown} of them ran when their worker was killed. Their models were told that the outcome is unknown, and they did not run again.`}`);
  if (failed) throw new Error(`a prompt has the outcome ${failed.outcome}: ${failed.problem}`);
  if (twice > 0) throw new Error('a command ran twice');
}

/** How many calls of a log have begun and have no result. */
function withoutResult(log) {
  const idsOf = (type) =>
    [...log.matchAll(new RegExp(`"type":"${type}"[^\\n]*?"id":"([^"]+)"`, 'g'))].map(([, id]) => id);
  const results = new Set(idsOf('result'));
  return new Set(idsOf('call').filter((id) => !results.has(id))).size;
}

/** Each session writes a line for each step: into its workspace, and into a file that only this demo has. */
function answerTo({ body }) {
  const text = JSON.stringify(body.messages);
  const number = Number(/session (\d+): write/.exec(text)?.[1]);
  const steps = [...text.matchAll(/step (\d+) of/g)].map(([, step]) => Number(step));
  const next = Math.max(0, ...steps) + 1;
  if (next > STEPS) return { text: 'All steps are written.' };
  const command = `echo ${next} | tee -a ${place}/ran/session-${number} >> work.txt; sleep 1`;
  return { text: `step ${next} of ${STEPS}`, calls: [{ name: 'Bash', input: { command } }] };
}

function makeRepository() {
  const repository = join(place, 'repository');
  for (const folder of [repository, join(place, 'ran')]) mkdirSync(folder);
  writeFileSync(join(repository, 'README.md'), '# A repository\n');
  const identity = ['-c', 'user.name=Demo', '-c', 'user.email=demo@localhost'];
  const git = (...args) => execFileSync('git', [...identity, ...args], { cwd: repository, stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
  return repository;
}

async function startWorker(name, env) {
  const home = join(place, name);
  mkdirSync(home);
  const rules = ['--trust', '--permission-mode', 'bypassPermissions'];
  const options = [
    ...rules,
    '--silence',
    String(SILENCE_SECONDS),
    '--drain',
    '1',
    '--workspaces',
    join(place, 'workspaces'),
  ];
  const child = spawn(process.execPath, [helve, 'worker', ...options], {
    cwd: home,
    env: { ...env, HELVE_HOME: join(home, 'data') },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true, // keys of the terminal are for the demo
  });
  workers.set(name, { name, process: child });
  let said = '';
  const id = await new Promise((ready, reject) => {
    child.stderr.on('data', (text) => {
      said += text;
      const [, found] = /The worker (\S+) takes/.exec(said) ?? [];
      if (found) ready(found);
    });
    child.once('exit', () => reject(new Error(`the worker ${name} did not start: ${said}`)));
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  workers.set(name, { name, process: child, id });
}

/** With a data folder of its own, which has the code. */
async function startServer(env) {
  const home = join(place, 'server');
  mkdirSync(home);
  const ofServer = { ...env, HELVE_HOME: join(home, 'data') };
  server = spawn(process.execPath, [helve, 'serve', '--fleet', '--port', '0'], {
    cwd: home,
    env: ofServer,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const url = await new Promise((ready, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (text) => {
        said += text;
        const [, found] = /^url: (\S+)$/m.exec(said) ?? [];
        if (found) ready(found);
      });
    }
    server.once('exit', () => reject(new Error(`the server did not start: ${said}`)));
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
  });
  return { url, code: await run(ofServer, 'serve', 'code') };
}

async function endProcesses() {
  const left = [...[...workers.values()].map((worker) => worker.process), server].filter(
    (child) => child && child.exitCode === null && child.signalCode === null,
  );
  const ended = left.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of left) child.kill('SIGTERM');
  await Promise.race([Promise.all(ended), delay(5_000)]);
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(ended);
  for (const pid of marked()) process.kill(pid, 'SIGKILL'); // what the killed worker has left running
}

/** Processes that the workers have started. Linux only. */
function marked() {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return (
          pid > 0 && pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)
        );
      } catch {
        return false; // ended meanwhile, or of another user
      }
    });
}

async function listOf(env) {
  const lines = await fleet(env, 'list', '--json');
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function fleet(env, ...args) {
  return await run(env, 'fleet', ...args);
}

async function run(env, ...args) {
  const child = spawn(process.execPath, [helve, ...args], {
    cwd: place,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  stop.signal.throwIfAborted();
  if (code !== 0) throw new Error(errors.trim());
  return output.trim();
}

/** The sessions as helve fleet list shows them, with the names of the workers. */
function show(sessions) {
  const nameOf = new Map([...workers.values()].map(({ id, name }) => [id, name]));
  const rows = sessions.map(({ sessionId, state, worker, openPrompts, title }) => {
    const shown = STATES[state] ?? (openPrompts > 0 ? 'queued' : 'done');
    return `  ${sessionId.slice(0, 8)}  ${shown.padEnd(12)}  ${(nameOf.get(worker) ?? '-').padEnd(5)}  ${title.slice(0, 40)}`;
  });
  say(
    `  ${'ID'.padEnd(8)}  ${'STATE'.padEnd(12)}  ${'BY'.padEnd(5)}  TITLE\n${rows.sort((one, other) => titleOf(one) - titleOf(other)).join('\n')}\n`,
  );
}

function titleOf(row) {
  return Number(/session (\d+)/.exec(row)?.[1] ?? 0);
}

async function step(what, work, end) {
  stop.signal.throwIfAborted();
  const begun = Date.now();
  const result = await work();
  if (end) cleanUps.push(() => end(result));
  stop.signal.throwIfAborted();
  say(`${what}: ${((Date.now() - begun) / 1_000).toFixed(1)} s`);
  return result;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
