// What a turn costs more if its records go to PostgreSQL: sessions of the same turns, one command each, in turn with the
// records in the data folder alone, and with them in the database before each command. node scripts/fetch-postgres.mjs
// fetches the database. SESSIONS=10   of each kind      TURNS=30   of each session
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from './bundle-source.mjs';

const SESSIONS = Number(process.env.SESSIONS ?? 10);
const TURNS = Number(process.env.TURNS ?? 30);
const PACE_MS = 10; // of the model: what is stored without waiting is stored by then, as with a real one

const source = await importSource('bench/fleet-source.ts');
const { createAgent, openDatabase, FileStore, PostgresStore, SessionCopy, scriptedModel, LocalPostgres } = source;
const postgres = await LocalPostgres.start();
const database = await openDatabase(postgres.url);
const store = new PostgresStore(database);
const waits = [];
const root = mkdtempSync(join(tmpdir(), 'helve-bench-'));
try {
  const commits = await timesOf(50, () => store.claim(crypto.randomUUID()));
  await turns(undefined); // loads the code
  const [files, tables] = [[], []];
  waits.length = 0;
  for (let session = 0; session < SESSIONS; session += 1) {
    files.push(...(await turns(undefined)));
    tables.push(...(await turns(store)));
  }
  console.log(
    `### A turn with its records in PostgreSQL (Node ${process.versions.node}, ${files.length} turns of each)\n`,
  );
  const { rows } = await database.query(
    'select count(*) / $1::numeric as rows, sum(length(content)) / $1::numeric as bytes from helve.record',
    [SESSIONS * TURNS],
  );
  console.log('| | p50, ms | p95, ms |\n|---|--:|--:|');
  for (const [name, times] of [
    ['files', files],
    ['PostgreSQL', tables],
    ['waiting for the database before a call', waits],
    ['a commit alone', commits],
  ]) {
    console.log(`| ${name} | ${at(times, 0.5)} | ${at(times, 0.95)} |`);
  }
  const { rows: perTurn, bytes } = rows[0];
  console.log(`\nA turn stores ${Number(perTurn).toFixed(1)} rows with ${Math.round(bytes)} bytes of records.`);
} finally {
  await database.end();
  await postgres.remove();
  rmSync(root, { recursive: true });
}

/** How long each turn took, from one request of the model to the next. */
async function turns(to) {
  const id = crypto.randomUUID();
  const dataFolder = join(root, 'data');
  const calls = (turn) => [{ id: `call_${turn}`, name: 'Bash', input: { command: `echo ${turn} > made.txt` } }];
  const script = Array.from({ length: TURNS }, (_, turn) => ({ text: `Turn ${turn}.`, calls: calls(turn) }));
  const copy = to && (await copyOf(to, dataFolder, id));
  const agent = createAgent({
    model: scriptedModel({ turns: [...script, { text: 'Done.' }] }, { pace: PACE_MS }),
    root,
    dataFolder,
    sessionId: id,
    keepSession: true,
    permissionMode: 'bypassPermissions',
    ...(copy && { whenRecorded: () => timed(waits, () => copy.flushed()) }),
  });
  const starts = [];
  for await (const { type } of agent.run('go')) {
    if (type === 'turn_start') starts.push(performance.now());
    if (copy && !type.endsWith('_delta')) copy.changed(); // as a worker does
  }
  await agent.end();
  return starts.slice(2).map((time, index) => time - starts[index + 1]);
}

async function copyOf(to, dataFolder, id) {
  const owner = await to.claim(id);
  const onFailed = (error) => {
    throw error;
  };
  return new SessionCopy({ from: new FileStore(dataFolder), to, owner, stored: new Map(), onFailed });
}

async function timed(times, work) {
  const started = performance.now();
  await work();
  times.push(performance.now() - started);
}

async function timesOf(count, work) {
  const times = [];
  for (let round = 0; round < count; round += 1) {
    await timed(times, work);
  }
  return times;
}

function at(times, share) {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * share)].toFixed(1);
}
