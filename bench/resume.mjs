// How long a session takes to be resumed, and how much memory, in a process of its own for each length: from the call of
// resumeSession, lock and all, to a history that can be sent. Each turn is one call with a result of 2 KB. Beside it: the
// cost of a turn for the writer at the beginning and at the end of the file, and a list of 1,000 sessions.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundle-source.mjs';

const LENGTHS = [50, 500, 5_000];
const RUNS = 5;
const [mode, dataFolder] = process.argv.slice(2);
if (mode === 'resume') await resume(dataFolder);
else await all();

async function resume(folder) {
  const { resumeSession } = await importSource('src/agent/store/resume-session.ts');
  const before = process.resourceUsage().maxRSS / 1024;
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const { restored, store } = await resumeSession({ dataFolder: folder, id: 'long', root: '/', model: 'm' });
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1_000;
  const peak = process.resourceUsage().maxRSS / 1024;
  await store.close();
  console.log(
    JSON.stringify({ ms, cpu, before, peak, messages: restored.messages.length, turns: restored.totals.turns }),
  );
}

async function all() {
  const { SessionStore } = await importSource('src/agent/store/session-store.ts');
  const { listSessions } = await importSource('src/agent/store/list-sessions.ts');
  console.log(`### Resuming a session (Node ${process.versions.node}, median of ${RUNS} runs)\n`);
  console.log(
    '| turns | file, MB | resume, ms | CPU, ms | peak resident, MB | writer, µs a turn without sync: first 50 | last 50 |',
  );
  console.log('|--:|--:|--:|--:|--:|--:|--:|');
  for (const turns of LENGTHS) {
    const folder = mkdtempSync(join(tmpdir(), 'helve-bench-'));
    try {
      const times = await writeSession(SessionStore, folder, turns);
      const { size } = statSync(join(folder, 'sessions', 'long', 'session.jsonl'));
      const seen = Array.from({ length: RUNS }, () => measured(folder));
      if (seen.some((one) => one.turns !== turns)) throw new Error('Turns were lost.');
      const cells = [
        median(seen.map(({ ms }) => ms)).toFixed(0),
        median(seen.map(({ cpu }) => cpu)).toFixed(0),
        median(seen.map(({ peak }) => peak)).toFixed(0),
        median(times.slice(0, 50)).toFixed(0),
        median(times.slice(-50)).toFixed(0),
      ];
      console.log(`| ${turns} | ${(size / 1e6).toFixed(1)} | ${cells.join(' | ')} |`);
      if (turns === LENGTHS.at(-1)) {
        console.log(`\nThe process that resumes has ${median(seen.map(({ before }) => before)).toFixed(0)} MB before.`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  await list(SessionStore, listSessions);
}

function measured(folder) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'resume', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function writeSession(SessionStore, folder, turns) {
  const store = new SessionStore({ dataFolder: folder, id: 'long', root: '/', model: 'm' });
  store.watch({ cwd: '/', mode: 'default' });
  await store.open();
  store.prompt([{ type: 'text', text: 'A long piece of work' }]);
  const times = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const started = performance.now();
    playTurn(store, turn);
    await Promise.resolve(); // when the batch is written
    times.push((performance.now() - started) * 1_000);
    if (turn % 100 === 0) await store.flushed();
  }
  await store.close();
  return times;
}

function playTurn(store, turn) {
  const callId = `call_${turn}`;
  const input = { file_path: `/project/src/file-${turn % 40}.ts`, offset: turn };
  const text = `Turn ${turn}: I look at the next part of the file to see how it goes on from there.`;
  const result = {
    type: 'tool_result',
    tool_use_id: callId,
    content: `line ${turn} of a result, "quoted" and all\n`.repeat(50),
  };
  const usage = {
    input_tokens: 1_000,
    output_tokens: 100,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const content = [
    { type: 'text', text },
    { type: 'tool_use', id: callId, name: 'Look', input },
  ];
  store.take({ type: 'turn_start', turn });
  store.take({ type: 'tool_call', callId, tool: 'Look', input, display: { title: '' } });
  store.take({ type: 'tool_start', callId, tool: 'Look' });
  store.take({ type: 'tool_result', callId, tool: 'Look', result, display: { title: '' } });
  store.take({ type: 'assistant_message', message: { role: 'assistant', content }, id: `msg_${turn}`, model: 'm' });
  store.take({ type: 'user_message', message: { role: 'user', content: [result] } });
  store.take({ type: 'turn_end', turn, stopReason: 'tool_use', usage });
}

async function list(SessionStore, listSessions) {
  const folder = mkdtempSync(join(tmpdir(), 'helve-bench-'));
  try {
    const turns = 20;
    await writeSession(SessionStore, folder, turns);
    const top = join(folder, 'sessions');
    const text = process.getBuiltinModule('node:fs').readFileSync(join(top, 'long', 'session.jsonl'));
    for (let number = 1; number < 1_000; number += 1) {
      mkdirSync(join(top, `session-${number}`));
      writeFileSync(join(top, `session-${number}`, 'session.jsonl'), text);
    }
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      const started = performance.now();
      const { length } = await listSessions(folder);
      times.push(performance.now() - started);
      if (length !== readdirSync(top).length) throw new Error('Sessions are missing from the list.');
    }
    console.log(`\nA list of 1,000 sessions of ${turns} turns: ${median(times).toFixed(0)} ms.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
