import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/fleet/postgres.js';
import { FleetPrompts } from '../../src/fleet/prompts.js';
import type { FakeAnswer, FakeRequest } from '../../src/testing/fake-model-server.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';
import { ServeClient, servePlace, startServe } from '../cli/serve-client.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { type FleetPlace, helveFleet, startWorker, type TestWorker } from './run-worker.js';

if (withoutPostgres !== undefined) test.skip(withoutPostgres, () => {});

const ID = '00000000-0000-4000-8000-000000000001';

describe.skipIf(withoutPostgres !== undefined)('a fleet in which something is wrong', { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  let database: Database;
  let prompts: FleetPrompts;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });

  beforeEach(async () => {
    database = await openDatabase(postgres.url);
    prompts = new FleetPrompts(database);
    await database.query('delete from helve.session');
    return async () => await database.end();
  });

  afterAll(async () => {
    await postgres?.remove();
  });

  async function place(commands: readonly string[]) {
    const serve = await servePlace((request) => answerTo(request, commands));
    return { serve, url: postgres.url, model: serve.model.url, root: serve.cwd };
  }

  async function workerAt(at: FleetPlace, ...flags: readonly string[]): Promise<TestWorker> {
    const worker = await startWorker(at, ['--allowedTools', 'Bash', ...flags]);
    onTestFinished(() => void worker.process.kill('SIGKILL'));
    return worker;
  }

  const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> =>
    void (await vi.waitUntil(isReached, { timeout: 30_000, interval: 30 }));

  const areDone = async (): Promise<boolean> =>
    (await prompts.sessions()).every(({ openPrompts }) => openPrompts === 0);

  const linesOf = ({ root }: FleetPlace): string[] =>
    existsSync(join(root, 'ran.txt')) ? readFileSync(join(root, 'ran.txt'), 'utf8').trim().split('\n') : [];

  test('a prompt with which worker after worker is lost is given up, and says so', async () => {
    const at = await place(Array.from({ length: 5 }, () => 'echo begun >> ran.txt; sleep 600'));
    const id = await helveFleet(at, 'send', 'the poison');
    for (let lost = 1; lost <= 2; lost += 1) {
      const worker = await workerAt(at, '--max-losses', '2');
      await until(() => linesOf(at).length === lost);
      worker.process.kill('SIGKILL');
    }
    await helveFleet(at, 'send', '--session-id', ID, '--root', await emptyFolder(), 'another');
    await workerAt(at, '--max-losses', '2');
    await until(async () => (await prompts.sessions()).some(({ state }) => state === 'failed'));
    const { rows } = await database.query('select outcome, problem, losses from helve.prompt where session = $1', [id]);
    expect(rows).toEqual([
      {
        outcome: 'error',
        problem: expect.stringMatching(/^Workers were lost 2 times .* send another prompt/),
        losses: 2,
      },
    ]);
    expect(linesOf(at)).toHaveLength(2);
    await helveFleet(at, 'stop', ID);
  });

  test('a worker whose clock is an hour ahead and one whose clock is an hour behind do not take each other for lost', async () => {
    const at = await place(['echo first >> ran.txt; sleep 600', 'echo second >> ran.txt']);
    const ahead = await workerAt({ ...at, env: clock(3_600_000) });
    const id = await helveFleet(at, 'send', 'go');
    await until(() => linesOf(at).length === 1);
    const behind = await workerAt({ ...at, env: clock(-3_600_000) });
    const seen = async (): Promise<number> => {
      const { rows } = await database.query(
        "select count(*) from helve.worker where lost_at is null and seen_at > now() - interval '1 second'",
      );
      return Number(rows[0].count);
    };
    const { rows: times } = await database.query("select now() + interval '2 seconds' as later");
    await until(async () => (await database.query('select now() > $1 as is_later', [times[0].later])).rows[0].is_later);
    expect(await seen()).toBe(2); // for longer than the limit of one second
    expect([ahead.process.exitCode, behind.process.exitCode]).toEqual([null, null]);
    ahead.process.kill('SIGKILL');
    await until(areDone);
    expect(linesOf(at)).toEqual(['first', 'second']);
    const rows = (await helveFleet(at, 'audit', '--json')).split('\n').map((line) => JSON.parse(line));
    const calls = rows.filter(({ type, session }) => type === 'start' && session === id);
    expect(calls.map(({ prompt }) => prompt === rows[0].prompt)).toEqual([true, true]); // although times are out of order
  });

  test('two servers show one fleet, and both go on when the database has been away', async () => {
    const at = await place(['echo first >> ran.txt', 'echo second >> ran.txt']);
    const [one, other] = [
      await startServe(at.serve, ['--database', at.url]),
      await startServe(at.serve, ['--database', at.url]),
    ];
    const worker = await startWorker(at, ['--silence', '5']); // it asks
    onTestFinished(() => void worker.process.kill('SIGKILL'));
    const token = await at.serve.token('run');
    const [runner, answerer] = [await ServeClient.connect(one.url, token), await ServeClient.connect(other.url, token)];
    await runner.request('_helve/prompt', {
      sessionId: ID,
      promptId: 'p1',
      cwd: at.root,
      prompt: [{ type: 'text', text: 'go' }],
    });
    for (const client of [runner, answerer]) await client.request('_helve/session/attach', { sessionId: ID });
    const allow = async (client: ServeClient, number: number): Promise<void> => {
      const asked = await client.until(
        () => client.entries.filter(({ kind, isOpen }) => kind === 'question' && isOpen === true)[number],
      );
      const answer = { sessionId: ID, questionId: asked['id'], answer: { behavior: 'allow' } };
      expect(await client.request('_helve/session/answer', answer)).toEqual({ isAccepted: true });
    };
    await allow(answerer, 0);
    await until(() => linesOf(at).length === 1);
    await postgres.kill();
    const late = runner.request('_helve/sessions/list'); // waits for the database
    await postgres.run();
    expect(await late).toMatchObject({ sessions: [{ sessionId: ID }] });
    await allow(runner, 1);
    for (const client of [runner, answerer]) {
      const end = await client.until(() => client.entries.find(({ kind }) => kind === 'end'));
      expect(end).toMatchObject({ outcome: 'completed' });
    }
    expect(linesOf(at)).toEqual(['first', 'second']);
    worker.process.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });

  test('workers of two versions continue each other, also when the later one has added to the schema', async () => {
    const at = await place([
      'echo first >> ran.txt; sleep 600',
      'echo second >> ran.txt; sleep 600',
      'echo third >> ran.txt',
    ]);
    const later = await otherVersion('99.0.0');
    const first = await workerAt(at);
    const id = await helveFleet(at, 'send', 'go');
    await until(() => linesOf(at).length === 1);
    await database.query('alter table helve.session add column if not exists of_a_later_version text');
    await database.query('update helve.schema set number = number + 1');
    const second = await workerAt({ ...at, program: later });
    first.process.kill('SIGKILL');
    await until(() => linesOf(at).length === 2);
    await workerAt(at);
    second.process.kill('SIGKILL');
    await until(areDone);
    expect(linesOf(at)).toEqual(['first', 'second', 'third']);
    const { rows } = await database.query('select distinct version from helve.worker order by version');
    expect(rows.map(({ version }) => version)).toContain('99.0.0');
    expect((await prompts.sessions()).find(({ sessionId }) => sessionId === id)?.state).toBe('idle');
  });

  test('a database that only later versions understand, or that has other tables, is refused', async () => {
    const at = await place([]);
    await database.query('update helve.schema set number = 9000, oldest = 9000');
    const list = await runHelve(['fleet', 'list', '--database', at.url], { cwd: at.root, env: {} });
    await database.query('delete from helve.schema');
    expect(list.code).toBe(1);
    expect(list.stderr).toMatch(/changed by a later version of Helve: its schema has the number 9000, .* Update Helve/);
    await database.query('create database another');
    const url = at.url.replace(/postgres$/, 'another');
    const { Pool } = await import('pg');
    const pool = new Pool({ connectionString: url });
    await pool.query('create schema helve; create table helve.session (id integer)');
    await pool.end();
    const foreign = await runHelve(['worker', '--database', url], { cwd: at.root, env: {} });
    expect(foreign.code).toBe(1);
    expect(foreign.stderr).toMatch(/has tables that are not those of Helve: .* Name another database/);
    expect(foreign.stdout).toBe('');
  });

  test('old sessions are removed with all that they have, and those with work are not', async () => {
    const at = await place(['echo ran >> ran.txt']);
    const keyFile = join(at.root, 'key');
    writeFileSync(keyFile, '0f'.repeat(32), { mode: 0o600 });
    const withKey = ['--key-file', keyFile];
    onTestFinished(async () => void (await openAndDeleteKey(postgres.url)));
    const worker = await workerAt(at, ...withKey);
    for (const name of ['old', 'young']) await helveFleet(at, 'send', ...withKey, '--session-id', name, 'go');
    await until(areDone);
    worker.process.kill('SIGTERM');
    await worker.ended;
    await helveFleet(at, 'send', ...withKey, '--session-id', 'open', 'go');
    await database.query(
      "update helve.session set written_at = now() - interval '8 days', changed_at = written_at - interval '8 days' where id <> 'young'",
    );
    await workerAt(at, ...withKey, '--keep-days', '7');
    await until(areDone);
    for (const table of ['record', 'prompt', 'live']) {
      const { rows } = await database.query(`select distinct session from helve.${table} order by session`);
      expect(rows.map(({ session }) => session)).toEqual(['open', 'young']);
    }
    expect(await helveFleet(at, 'audit', ...withKey, '--json')).toContain('"session":"young"');
    const { rows } = await database.query('select count(*) from helve.record where key_id is null');
    expect(rows).toEqual([{ count: '0' }]);
  });
});

async function openAndDeleteKey(url: string): Promise<void> {
  const database = await openDatabase(url);
  await database.query('delete from helve.key');
  await database.end();
}

/** The clock of a process that is wrong. */
function clock(offsetMs: number): Record<string, string> {
  const script = `const Real = Date; globalThis.Date = class extends Real {
    constructor(...given) { super(...(given.length === 0 ? [Real.now() + ${offsetMs}] : given)); }
    static now() { return Real.now() + ${offsetMs}; }
  };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** A copy of the program that says it is another version. */
async function otherVersion(version: string): Promise<string> {
  const folder = await emptyFolder();
  for (const name of ['bin', 'dist']) cpSync(resolve(name), join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const about = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, version }));
  for (const name of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.[cm]?js$/.test(name)) continue;
    const path = join(folder, 'dist', name);
    const text = readFileSync(path, 'utf8');
    if (text.includes(`"${about.version}"`)) writeFileSync(path, text.replaceAll(`"${about.version}"`, `"${version}"`));
  }
  return join(folder, 'bin/helve.cjs');
}

function answerTo({ body }: FakeRequest, commands: readonly string[]): FakeAnswer {
  const done = JSON.stringify(body.messages).match(/command \d+ of the model/g)?.length ?? 0;
  const command = commands[done];
  if (command === undefined) return { text: 'All done.' };
  return { text: `command ${done} of the model`, calls: [{ name: 'Bash', input: { command } }] };
}
