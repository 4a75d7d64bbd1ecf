import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/fleet/postgres.js';
import { FleetPrompts } from '../../src/fleet/prompts.js';
import { FleetSchedules } from '../../src/fleet/schedules.js';
import type { FakeAnswer, FakeRequest } from '../../src/testing/fake-model-server.js';
import { runHelve } from '../cli/run-helve.js';
import { ServeClient, servePlace, startServe } from '../cli/serve-client.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { type FleetPlace, helveFleet, startWorker, type TestWorker } from './run-worker.js';

if (withoutPostgres !== undefined) test.skip(withoutPostgres, () => {});

describe.skipIf(withoutPostgres !== undefined)(
  'projects, limits and schedules of a fleet',
  { timeout: 120_000 },
  () => {
    let postgres: TestPostgres;
    let database: Database;
    let prompts: FleetPrompts;

    beforeAll(async () => {
      postgres = await TestPostgres.start();
      database = await openDatabase(postgres.url);
      prompts = new FleetPrompts(database);
    });

    afterAll(async () => {
      await database?.end();
      await postgres?.remove();
    });

    async function place(commands: readonly string[]) {
      for (const table of ['session', 'project', 'used', 'schedule', 'key'])
        await database.query(`delete from helve.${table}`);
      const serve = await servePlace((request) => answerTo(request, commands));
      return { serve, url: postgres.url, model: serve.model.url, root: serve.cwd };
    }

    async function workerAt(at: FleetPlace, ...flags: readonly string[]): Promise<TestWorker> {
      const worker = await startWorker(at, ['--allowedTools', 'Bash', ...flags]);
      onTestFinished(() => void worker.process.kill('SIGKILL'));
      return worker;
    }

    const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> =>
      void (await vi.waitUntil(isReached, { timeout: 20_000, interval: 30 }));

    const areDone = async (): Promise<boolean> =>
      (await prompts.sessions()).every(({ openPrompts }) => openPrompts === 0);

    const linesOf = ({ root }: FleetPlace): string[] =>
      existsSync(join(root, 'ran.txt')) ? readFileSync(join(root, 'ran.txt'), 'utf8').trim().split('\n') : [];

    test('a token of a project sees and begins sessions of that project only, in its folders, with its rules, and within its limits', async () => {
      const at = await place(['echo allowed >> ran.txt', 'echo denied >> ran.txt']);
      const other = join(at.root, 'other');
      mkdirSync(other);
      await helveFleet(at, 'send', '--project', 'other', '--session-id', 'of-another', 'a secret plan');
      await helveFleet(
        at,
        'projects',
        'set',
        'shop',
        '--folder',
        at.root,
        '--deny',
        'Bash(echo denied*)',
        '--per-day',
        '3',
      );
      const served = await startServe(at.serve, ['--database', at.url]);
      const add = ['serve', 'tokens', 'add', 'clerk', '--role', 'run', '--project', 'shop', '--per-day', '2'];
      const clerk = await ServeClient.connect(served.url, (await at.serve.helve(add)).stdout.trim());
      expect(await clerk.request('_helve/sessions/list')).toEqual({ sessions: [] });
      expect(await clerk.ask('_helve/session/read', { sessionId: 'of-another' })).toMatchObject({
        error: { code: -32_002 },
      });
      const prompt = (sessionId: string, cwd: string) => ({
        sessionId,
        promptId: 'p1',
        cwd,
        prompt: [{ type: 'text', text: 'go' }],
      });
      expect(await clerk.ask('_helve/prompt', prompt('of-another', at.root))).toMatchObject({
        error: { code: -32_002 },
      });
      expect(await clerk.ask('_helve/prompt', prompt('a', '/etc'))).toMatchObject({
        error: { message: expect.stringContaining('not in /etc') },
      });
      expect(await clerk.request('_helve/prompt', prompt('a', at.root))).toMatchObject({ isNew: true });
      expect(await clerk.request('_helve/prompt', prompt('a', at.root))).toMatchObject({ isNew: false }); // counts once
      expect(await clerk.request('_helve/prompt', prompt('b', other))).toMatchObject({ isNew: true });
      expect(await clerk.ask('_helve/prompt', prompt('c', at.root))).toMatchObject({
        error: { message: expect.stringMatching(/clerk may send 2 prompts on a day/) },
      });
      await helveFleet(at, 'send', '--project', 'shop', 'go');
      await expect(helveFleet(at, 'send', '--project', 'shop', 'go')).rejects.toThrow(/the project shop may be sent 3/);

      await helveFleet(at, 'stop', 'of-another');
      await workerAt(at, '--concurrency', '1');
      await until(areDone);
      expect(linesOf(at)).toEqual(['allowed', 'allowed']); // `other` is another folder
      expect(readFileSync(join(other, 'ran.txt'), 'utf8')).toBe('allowed\n');

      const lines = (await helveFleet(at, 'audit', '--project', 'shop', '--since', '1h', '--json')).split('\n');
      const rows = lines.map((line) => JSON.parse(line));
      expect(new Set(rows.map(({ project }) => project))).toEqual(new Set(['shop']));
      const ofA = rows.filter(({ session }) => session === 'a');
      expect(ofA[0]).toMatchObject({ type: 'prompt', prompt: 'p1', actor: 'clerk', outcome: 'completed' });
      expect(ofA.filter(({ type }) => type === 'start')).toMatchObject([
        { tool: 'Bash', actor: 'clerk', prompt: 'p1' },
      ]);
      expect(ofA.find(({ type, behavior }) => type === 'decision' && behavior === 'deny')).toMatchObject({
        actor: 'clerk',
      });
      expect(await helveFleet(at, 'audit', '--project', 'shop', '--since', '2999-01-01')).toBe('');

      const machine = await startServe(at.serve);
      const [, , , , ...rest] = add;
      const lone = (await at.serve.helve(['serve', 'tokens', 'add', 'lone', ...rest])).stdout.trim();
      const refused = await ServeClient.open(machine.url, { Authorization: `Bearer ${lone}` });
      expect(await refused.closed).toEqual({
        code: 1008,
        reason: expect.stringContaining('this server shows a machine'),
      });
    });

    test('a worker runs no prompt of a project outside of its folders, or with another model', async () => {
      const at = await place(['echo ran >> ran.txt']);
      await prompts.accept(promptOf(at, 'folders', 'a'), '');
      await prompts.accept(promptOf(at, 'models', 'b'), '');
      await helveFleet(at, 'projects', 'set', 'folders', '--folder', '/srv/nothing');
      await expect(
        helveFleet(at, 'send', '--project', 'folders', '--repo', 'https://127.0.0.1/shop.git', 'go'),
      ).rejects.toThrow(/may work in .*, but not in https:/);
      await helveFleet(at, 'projects', 'set', 'models', '--model', 'anthropic/another');
      await workerAt(at);
      await until(areDone);
      const { rows } = await database.query('select problem from helve.prompt order by session');
      expect(rows.map(({ problem }) => problem)).toEqual([
        expect.stringContaining('may work in /srv/nothing'),
        expect.stringContaining('may use anthropic/another'),
      ]);
      expect(linesOf(at)).toEqual([]);
    });

    test('no more prompts of a project, or of a token, are queued at once than their limits say', async () => {
      const at = await place([]);
      await helveFleet(at, 'projects', 'set', 'small', '--running', '1', '--priority', '3');
      for (const session of ['a', 'b']) await prompts.accept(promptOf(at, 'small', session), '');
      const actorLimits = { running: 2 };
      for (const session of ['c', 'd', 'e']) {
        await prompts.accept({ ...promptOf(at, `of-${session}`, session), actor: 'phone', actorLimits }, '');
      }
      const due = await prompts.due(10);
      expect(due.map(({ sessionId }) => sessionId)).toEqual(['a', 'c', 'd']);
      expect(due[0]?.priority).toBe(3);
      for (const one of due) await prompts.queued(one);
      expect(await prompts.due(10)).toEqual([]);
    });

    test('a scheduled prompt runs once for its time over all workers, and not while the one before runs', async () => {
      const at = await place(['echo ran >> ran.txt']);
      const id = await helveFleet(at, 'schedule', 'add', '0 3 * * *', 'look after it');
      await expect(helveFleet(at, 'schedule', 'add', '61 3 * * *', 'never')).rejects.toThrow(/is not a minute/);
      const list = (await helveFleet(at, 'schedule', 'list', '--json')).split('\n').map((line) => JSON.parse(line));
      expect(list).toMatchObject([{ id, cron: '0 3 * * *', lastAt: null, title: 'look after it' }]);
      const past = "update helve.schedule set next_at = date_trunc('day', now()) - interval '21 hours'";
      await database.query(past);
      const schedules = [new FleetSchedules(database), new FleetSchedules(database), new FleetSchedules(database)];
      await Promise.all(schedules.map((one) => one.sendDue()));
      expect(await prompts.sessions()).toHaveLength(1);
      await database.query(past);
      await Promise.all(schedules.map((one) => one.sendDue()));
      expect(await prompts.sessions()).toHaveLength(1); // the first one has not ended
      await Promise.all([workerAt(at), workerAt(at)]);
      await until(async () => (await prompts.sessions()).length === 2 && (await areDone()));
      expect(linesOf(at)).toEqual(['ran', 'ran']);
      const [{ nextAt } = { nextAt: new Date(0) }] = await new FleetSchedules(database).list();
      expect(nextAt.toISOString()).toMatch(/T03:00:00\.000Z$/);
      expect(await helveFleet(at, 'schedule', 'remove', id)).toBe(`Removed ${id}.`);
    });

    test('a schedule on a repository counts for the limit of its project on a day, and its time waits beyond', async () => {
      const at = await place([]);
      const url = 'file:///srv/shop.git';
      await helveFleet(at, 'projects', 'set', 'shop', '--per-day', '1', '--priority', '3');
      await helveFleet(at, 'schedule', 'add', '--repo', url, '--ref', 'main', '0 3 * * *', 'look after it');
      const schedules = new FleetSchedules(database);
      const sendAtOnce = async (): Promise<void> => {
        await database.query("update helve.schedule set next_at = date_trunc('day', now()) - interval '21 hours'");
        await Promise.all([schedules.sendDue(), schedules.sendDue()]);
      };
      await sendAtOnce();
      const [session, more] = await prompts.sessions();
      expect(more).toBeUndefined();
      expect(session).toMatchObject({ project: 'shop', root: '', repository: { url, ref: 'main' }, openPrompts: 1 });
      await expect(helveFleet(at, 'send', '--project', 'shop', 'more')).rejects.toThrow(/may be sent 1/);
      await database.query("update helve.prompt set ended_at = now(), outcome = 'completed'");
      await sendAtOnce();
      expect(await prompts.sessions()).toHaveLength(1);
      await database.query('update helve.used set day = day - 1'); // the next day
      await Promise.all([schedules.sendDue(), schedules.sendDue()]);
      expect(await prompts.sessions()).toHaveLength(2);
      expect((await prompts.due(10)).map(({ priority }) => priority)).toEqual([3]);
    });

    test('the database has no key of a model, and not the key that contents are encrypted with', async () => {
      const at = await place(['echo "$ANTHROPIC_API_KEY" >> ran.txt']);
      const keyFile = join(at.root, 'file-of-key');
      const digits = '0123456789abcdef'.repeat(4);
      writeFileSync(keyFile, digits, { mode: 0o600 });
      const withKey = ['--key-file', keyFile];
      await helveFleet(at, 'send', ...withKey, 'go');
      await helveFleet(at, 'schedule', 'add', ...withKey, '0 3 * * *', 'a secret plan');
      await workerAt({ ...at, key: 'sk-of-the-model-12345' }, ...withKey);
      await until(areDone);
      const dump = await dumpOf(database);
      expect(dump.length).toBeGreaterThan(1_000);
      for (const secret of ['sk-of-the-model-12345', digits, Buffer.from(digits, 'hex').toString('latin1')]) {
        expect(dump.includes(secret)).toBe(false);
      }
      const refused = await runHelve(['worker', '--database', at.url], { cwd: at.root, env: {} });
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(/encrypts with the key [0-9a-f]{16}, and no key was given\. .*--key-file/);
      expect(refused.stdout).toBe('');
    });

    const promptOf = (at: FleetPlace, project: string, sessionId: string) => ({
      sessionId,
      promptId: 'p',
      project,
      root: at.root,
      content: [{ type: 'text', text: 'go' }] as const,
      actor: 'test',
    });
  },
);

/** Everything in it, contents as bytes of one character each. */
async function dumpOf(database: Database): Promise<string> {
  const { rows: tables } = await database.query(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('helve', 'helve_queue') and table_type = 'BASE TABLE'`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query(`select * from ${name}`);
    for (const row of rows) {
      for (const value of Object.values(row)) {
        parts.push(Buffer.isBuffer(value) ? value.toString('latin1') : (JSON.stringify(value) ?? ''));
      }
    }
  }
  return parts.join('\n');
}

function answerTo({ body }: FakeRequest, commands: readonly string[]): FakeAnswer {
  const done = JSON.stringify(body.messages).match(/command \d+ of the model/g)?.length ?? 0;
  const command = commands[done];
  if (command === undefined) return { text: 'All done.' };
  return { text: `command ${done} of the model`, calls: [{ name: 'Bash', input: { command } }] };
}
