// What the database of a fleet does with many sessions: how long its regular statements take with so many waiting prompts, and
// how many rows and bytes a turn takes. node scripts/fetch-postgres.mjs fetches the database.   PROMPTS=10,1000,100000
import { importSource } from './bundle-source.mjs';

const COUNTS = (process.env.PROMPTS ?? '10,1000,100000').split(',').map(Number);
const PROJECTS = 20;
const ROUNDS = 15;

const { openDatabase, FleetPrompts, PostgresStore, LocalPostgres } = await importSource('bench/fleet-source.ts');
const postgres = await LocalPostgres.start();
const database = await openDatabase(postgres.url);
const prompts = new FleetPrompts(database);
try {
  console.log(`### Waiting prompts, ${PROJECTS} projects (Node ${process.versions.node}, PostgreSQL 18)\n`);
  console.log(
    '| prompts | what is due, p50 ms | the list, p50 ms | an append of 2 kB, p50 ms | table of prompts |\n|--:|--:|--:|--:|--:|',
  );
  for (const count of COUNTS) {
    await fill(count);
    const due = await p50(() => prompts.due(10));
    const list = await p50(() => prompts.sessions());
    const store = new PostgresStore(database);
    const owner = await store.claim('s1');
    let position = 0;
    const append = await p50(async () => {
      const bytes = Buffer.alloc(2_000, 'x');
      await store.append(owner, [{ file: 'session.jsonl', position, bytes }]);
      position += bytes.length;
    });
    const { rows } = await database.query("select pg_size_pretty(pg_total_relation_size('helve.prompt')) as size");
    console.log(`| ${count} | ${due} | ${list} | ${append} | ${rows[0].size} |`);
  }
} finally {
  await database.end();
  await postgres.remove();
}

/** Sessions with one prompt each; ten of each project are queued, as many as may be. */
async function fill(count) {
  await database.query('delete from helve.session');
  await database.query(
    `insert into helve.session (id, epoch, project, title) select 's' || n, 0, 'project ' || n % ${PROJECTS}, 'a title'
     from generate_series(1, $1) n`,
    [count],
  );
  await database.query(
    `insert into helve.prompt (session, project, id, priority, actor, content, is_queued)
     select 's' || n, 'project ' || n % ${PROJECTS}, 'p', 0, 'bench', repeat('x', 200)::bytea, n <= ${PROJECTS * 8}
     from generate_series(1, $1) n`,
    [count],
  );
  await database.query('vacuum analyze helve.prompt, helve.session');
}

async function p50(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)].toFixed(1);
}
