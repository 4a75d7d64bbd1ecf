import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import { type Database, openDatabase, queryWhenUp } from '../../src/fleet/postgres.js';
import { FleetPrompts } from '../../src/fleet/prompts.js';
import { PostgresStore } from '../../src/fleet/store/postgres-store.js';
import { fetchSession } from '../../src/fleet/store/session-copy.js';
import { copyWorkspace } from '../../src/fleet/workspace/fleet-workspaces.js';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { protocolViolations } from '../../src/testing/protocol-violations.js';
import { emptyFolder } from '../cli/run-helve.js';
import { seeded, seedOfRun } from '../seeded.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { startWorker, type TestWorker } from './run-worker.js';

const isSoak = process.env['HELVE_SOAK'] !== undefined;
const WORKERS = isSoak ? 3 : 2;
const SESSIONS = isSoak ? 200 : 6;
const STEPS = isSoak ? 8 : 4;
const KILLS = isSoak ? 12 : 2;
const BETWEEN_KILLS_MS = isSoak ? 5_000 : 1_500;
const SILENCE = isSoak ? '2' : '1';
const STOPPED_MS = isSoak ? 30_000 : 3_000;

const seed = seedOfRun();

test.skipIf(withoutPostgres !== undefined)(
  `workers that are killed and stopped, and a database that restarts, lose nothing and run nothing twice: HELVE_SEED=${seed}`,
  { timeout: 1_800_000 },
  async () => {
    const random = seeded(seed);
    const postgres = await TestPostgres.start();
    onTestFinished(() => postgres.remove());
    const server = await startFakeModelServer(answerTo);
    onTestFinished(() => server.close());
    const database = await openDatabase(postgres.url);
    onTestFinished(() => database.end());
    const prompts = new FleetPrompts(database);
    const root = await emptyFolder();
    const at = { url: postgres.url, model: server.url, root };
    const repository = { url: `file://${await madeRepository()}`, ref: 'main' };
    const workspaces = mkdtempSync('/var/tmp/helve-test-');
    onTestFinished(() => rmSync(workspaces, { recursive: true, force: true }));
    const numbers = Array.from({ length: SESSIONS }, (_, index) => index + 1);
    for (const number of numbers) {
      const content = [{ type: 'text', text: `session ${number} in ${root}: go` }] as const;
      const place = isOfRepository(number) ? { root: '', repository } : { root };
      const prompt = { promptId: 'p', project: `project ${number % 3}`, ...place, content, actor: 'test' };
      await prompts.accept({ sessionId: idOf(number), ...prompt }, '');
    }
    const start = async (): Promise<TestWorker> => {
      const options = [
        '--allowedTools',
        'Bash',
        '--silence',
        SILENCE,
        '--concurrency',
        '8',
        '--workspaces',
        workspaces,
        '--add-dir',
        root,
      ];
      const worker = await startWorker(at, options);
      onTestFinished(() => void worker.process.kill('SIGKILL'));
      return worker;
    };
    const workers = await Promise.all(Array.from({ length: WORKERS }, start));
    const begun = Date.now();
    const takeovers: Array<Promise<number[]>> = [];
    const stopped = workers[0]; // continued later, when its sessions are those of others
    stopped?.process.kill('SIGSTOP');
    const continued = delay(STOPPED_MS).then(() => stopped?.process.kill('SIGCONT'));
    for (let kills = 0; kills < KILLS; kills += 1) {
      await delay(BETWEEN_KILLS_MS * (0.5 + random()));
      const index = 1 + Math.floor(random() * (workers.length - 1));
      const killed = workers[index];
      workers[index] = await start();
      const owned = await ownedBy(database, killed);
      killed?.process.kill('SIGKILL');
      takeovers.push(untilTakenOver(database, owned));
      if (kills === Math.floor(KILLS / 2)) {
        await postgres.kill();
        await postgres.run();
      }
    }
    await continued;
    expect(await stopped?.ended).toBe(1);
    while ((await prompts.sessions()).some(({ openPrompts }) => openPrompts > 0)) await delay(200);
    const seconds = (Date.now() - begun) / 1_000;
    const times = (await Promise.all(takeovers)).flat();
    if (isSoak) report(times, seconds);

    expect(server.refused).toEqual([]);
    const { rows: ends } = await database.query('select distinct outcome, problem from helve.prompt');
    expect(ends).toEqual([{ outcome: 'completed', problem: null }]);
    const store = new PostgresStore(database);
    const dataFolder = await emptyFolder();
    for (const number of numbers) {
      await fetchSession(store, dataFolder, idOf(number));
      const restored = restoreSession(readSession(sessionFolder(dataFolder, idOf(number))), { whole: true });
      const { messages, promptIds, isUnfinished, damaged } = restored;
      expect(protocolViolations({ model: 'm', max_tokens: 1, messages: messages.slice(0, -1) })).toEqual([]);
      expect([promptIds, isUnfinished, damaged]).toEqual([['p'], false, []]);
      const file = join(at.root, `made-${number}.txt`);
      const made = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
      expect(made).toEqual([...new Set(made)]); // nothing ran twice
      const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
      const unknown = results.filter(({ content }) => JSON.stringify(content).includes('outcome is unknown')).length;
      const done = results.filter(({ is_error }) => !is_error).length;
      expect(made.length).toBeGreaterThanOrEqual(done);
      expect(done + unknown).toBe(STEPS); // nothing was lost
      if (!isOfRepository(number)) continue;
      const folder = await emptyFolder();
      const copy = await copyWorkspace(idOf(number), repository, { folder, store, env: process.env });
      const kept = readFileSync(join(copy.root, 'kept.txt'), 'utf8').trim().split('\n').map(Number);
      expect(kept).toEqual([...new Set(kept)]);
      expect(kept.length).toBeGreaterThanOrEqual(done); // what a call with a result has done is in the workspace
    }
  },
);

const isOfRepository = (number: number): boolean => number % 2 === 0;

async function madeRepository(): Promise<string> {
  const folder = await emptyFolder();
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '--message=first');
  return folder;
}

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

interface Owned {
  id: string;
  worker: string;
}

async function ownedBy(database: Database, worker: TestWorker | undefined): Promise<Owned[]> {
  const [, id = ''] = /The worker (\S+) takes/.exec(worker?.stderr() ?? '') ?? [];
  return await queryWhenUp<Owned>(database, {
    text: 'select id, worker from helve.session where worker = $1',
    values: [id],
  });
}

/** How long each took, in milliseconds. */
async function untilTakenOver(database: Database, owned: readonly Owned[]): Promise<number[]> {
  const since = Date.now();
  const times = new Map<string, number>();
  while (times.size < owned.length) {
    const rows = await queryWhenUp<{ id: string; worker: string | null; state: string }>(database, {
      text: 'select id, worker, state from helve.session where id = any($1)',
      values: [owned.map(({ id }) => id)],
    });
    for (const { id, worker, state } of rows) {
      const before = owned.find((one) => one.id === id)?.worker;
      const isTaken = worker === null ? state !== 'interrupted' : worker !== before;
      if (isTaken && !times.has(id)) times.set(id, Date.now() - since);
    }
    await delay(20);
  }
  return [...times.values()];
}

function report(takeovers: readonly number[], seconds: number): void {
  const sorted = takeovers.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  process.stdout.write(
    `${SESSIONS} sessions in ${seconds.toFixed(1)} s, ${sorted.length} takeovers: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${sorted.at(-1)} ms\n`,
  );
}

function answerTo({ body }: FakeRequest): FakeAnswer {
  const text = JSON.stringify(body.messages);
  const number = Number(/session (\d+) in/.exec(text)?.[1]);
  const [, root = ''] = /session \d+ in (\S+): go/.exec(text) ?? [];
  const steps = [...text.matchAll(/step (\d+) of/g)].map(([, step]) => Number(step));
  const step = Math.max(0, ...steps) + 1;
  if (step > STEPS) return { text: 'All done.' };
  const kept = isOfRepository(number) ? `echo ${step} >> kept.txt; ` : '';
  const command = `${kept}echo ${step} >> ${root}/made-${number}.txt; sleep 0.3`;
  return { text: `step ${step} of ${STEPS}`, calls: [{ name: 'Bash', input: { command } }] };
}
