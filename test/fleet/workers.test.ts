import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readSession } from '../../src/agent/store/read-session.js';
import { restoreSession } from '../../src/agent/store/restore-session.js';
import { sessionFolder } from '../../src/agent/store/session-folder.js';
import { type Database, openDatabase } from '../../src/fleet/postgres.js';
import { FleetPrompts, type FleetSession } from '../../src/fleet/prompts.js';
import { FleetQuestions } from '../../src/fleet/questions.js';
import { PostgresStore } from '../../src/fleet/store/postgres-store.js';
import { fetchSession } from '../../src/fleet/store/session-copy.js';
import { type FakeAnswer, type FakeRequest, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { protocolViolations } from '../../src/testing/protocol-violations.js';
import { emptyFolder, runHelve } from '../cli/run-helve.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { type FleetPlace, helveFleet, startWorker, type TestWorker } from './run-worker.js';

if (withoutPostgres !== undefined) test.skip(withoutPostgres, () => {});

describe.skipIf(withoutPostgres !== undefined)('workers of a fleet', { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  let database: Database;
  let prompts: FleetPrompts;
  let questions: FleetQuestions;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    database = await openDatabase(postgres.url);
    prompts = new FleetPrompts(database);
    questions = new FleetQuestions(database);
  });

  afterAll(async () => {
    await database?.end();
    await postgres?.remove();
  });

  /** A model that sends these commands, one in each answer, and then says that it is done. */
  async function place(commands: readonly string[]): Promise<FleetPlace> {
    const server = await startFakeModelServer((request) => answerTo(request, commands));
    onTestFinished(() => server.close());
    await database.query('delete from helve.session');
    return { url: postgres.url, model: server.url, root: await emptyFolder() };
  }

  /** Its sessions may run commands, unless it asks about them. */
  async function workerAt(
    at: FleetPlace,
    flags: readonly string[] = [],
    { allows = true }: { allows?: boolean } = {},
  ): Promise<TestWorker> {
    const worker = await startWorker(at, [...flags, ...(allows ? ['--allowedTools', 'Bash'] : [])]);
    onTestFinished(() => void worker.process.kill('SIGKILL'));
    return worker;
  }

  const until = async (isReached: () => boolean | Promise<boolean>): Promise<void> =>
    void (await vi.waitUntil(isReached, { timeout: 20_000, interval: 30 }));

  async function sessionOf(id: string): Promise<FleetSession> {
    const session = (await prompts.sessions()).find(({ sessionId }) => sessionId === id);
    if (!session) throw new Error(`no session ${id}`);
    return session;
  }

  const isDone = (id: string) => async (): Promise<boolean> => (await sessionOf(id)).openPrompts === 0;

  /** The conversation as the database has it. */
  async function conversationOf(id: string) {
    const dataFolder = await emptyFolder();
    await fetchSession(new PostgresStore(database), dataFolder, id);
    const restored = restoreSession(readSession(sessionFolder(dataFolder, id)), { whole: true });
    const { messages } = restored;
    expect(protocolViolations({ model: 'm', max_tokens: 1, messages: messages.slice(0, -1) })).toEqual([]);
    return { ...restored, text: JSON.stringify(messages) };
  }

  const linesOf = ({ root }: FleetPlace, name: string): string[] => {
    const path = join(root, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };

  test('another worker continues the session of one that was killed, and reports the call that was cut', async () => {
    const at = await place(['echo first >> ran.txt', 'echo second >> ran.txt; sleep 600', 'echo third >> ran.txt']);
    const first = await workerAt(at);
    const id = await helveFleet(at, 'send', 'go');
    await until(() => linesOf(at, 'ran.txt').includes('second'));
    first.process.kill('SIGKILL');
    await workerAt(at);
    await until(isDone(id));
    expect(linesOf(at, 'ran.txt')).toEqual(['first', 'second', 'third']);
    const { text, isUnfinished } = await conversationOf(id);
    expect(text.match(/outcome is unknown/g)).toHaveLength(1);
    expect(isUnfinished).toBe(false);
    expect(await sessionOf(id)).toMatchObject({ state: 'idle', worker: null, title: 'go' });
  });

  test('a worker that was stopped for too long writes nothing when it continues, and ends', async () => {
    const at = await place(['echo first >> ran.txt; sleep 600', 'echo second >> ran.txt']);
    const first = await workerAt(at);
    const id = await helveFleet(at, 'send', 'go');
    await until(() => linesOf(at, 'ran.txt').includes('first'));
    first.process.kill('SIGSTOP');
    await workerAt(at);
    await until(isDone(id));
    const store = new PostgresStore(database);
    const [before, stored] = [await store.files(id), await sessionOf(id)];
    first.process.kill('SIGCONT');
    expect(await first.ended).toBe(1);
    expect(first.stderr()).toContain('others continue its sessions');
    expect(await store.files(id)).toEqual(before);
    expect(await sessionOf(id)).toEqual(stored);
    expect(linesOf(at, 'ran.txt')).toEqual(['first', 'second']);
  });

  test('prompts of a session run once each and in order, on whichever worker has room', async () => {
    const at = await place(['echo "database: $HELVE_DATABASE" >> ran.txt']);
    const id = await helveFleet(at, 'send', '--prompt-id', 'a', 'first prompt');
    for (const name of ['b', 'c']) await helveFleet(at, 'send', '--resume', id, '--prompt-id', name, `prompt ${name}`);
    const again = await helveFleet(at, 'send', '--resume', id, '--prompt-id', 'b', '--json', 'prompt b');
    expect(JSON.parse(again)).toEqual({ sessionId: id, promptId: 'b', isNew: false });
    await expect(helveFleet(at, 'send', '--resume', id, '--prompt-id', 'b', 'another')).rejects.toThrow(
      /another prompt/,
    );
    await Promise.all([workerAt(at), workerAt(at)]); // both create the tables of the queue
    await until(isDone(id));
    const { promptIds, text } = await conversationOf(id);
    expect(promptIds).toEqual(['a', 'b', 'c']);
    expect(text.indexOf('prompt b')).toBeLessThan(text.indexOf('prompt c'));
    expect(linesOf(at, 'ran.txt')).toEqual(['database:']); // once: later prompts of the session have no command; no password
  });

  test('helve fleet stop interrupts a prompt on its worker, and one that waits', async () => {
    const at = await place(['echo begun >> ran.txt; sleep 600']);
    const worker = await workerAt(at);
    const id = await helveFleet(at, 'send', 'go');
    await helveFleet(at, 'send', '--resume', id, 'later');
    await until(() => linesOf(at, 'ran.txt').includes('begun'));
    expect(await helveFleet(at, 'stop', id.slice(0, 8))).toContain('is being stopped, with 2 prompts');
    await until(isDone(id));
    const { rows } = await database.query('select outcome from helve.prompt where session = $1', [id]);
    expect(rows).toEqual([{ outcome: 'interrupted' }, { outcome: 'interrupted' }]);
    worker.process.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });

  test('a question waits in the database for the first answer, and another worker asks it again', async () => {
    const at = await place(['echo asked >> ran.txt']);
    const first = await workerAt(at, [], { allows: false });
    const id = await helveFleet(at, 'send', 'go');
    await until(async () => (await sessionOf(id)).state === 'requires_action');
    expect(await helveFleet(at, 'answer', id)).toContain('echo asked >> ran.txt');
    const { worker } = await sessionOf(id);
    first.process.kill('SIGKILL');
    await workerAt(at, [], { allows: false });
    await until(async () => ![worker, null].includes((await sessionOf(id)).worker));
    await until(async () => (await questions.open(id)).length === 1);
    expect(linesOf(at, 'ran.txt')).toEqual([]);
    expect(await helveFleet(at, 'answer', id, 'allow')).toBe('Answered.');
    await until(isDone(id));
    expect(linesOf(at, 'ran.txt')).toEqual(['asked']);
    expect((await conversationOf(id)).text).not.toContain('outcome is unknown');
    const audit = Buffer.concat(await Array.fromAsync(new PostgresStore(database).read(id, 'audit.jsonl'))).toString();
    expect(audit).toContain(`"behavior":"allow","by":"${userInfo().username}"`);
  });

  test('an answer to a worker that was just lost counts for the next one, if it asks the same about the same call', async () => {
    const at = await place(['echo asked >> ran.txt', 'echo next >> ran.txt']);
    const first = await workerAt(at, ['--silence', '3'], { allows: false });
    const id = await helveFleet(at, 'send', 'go');
    await until(async () => (await questions.open(id)).length === 1);
    first.process.kill('SIGSTOP'); // it gets no answer
    expect(await helveFleet(at, 'answer', id, 'allow')).toBe('Answered.');
    first.process.kill('SIGKILL');
    await workerAt(at, [], { allows: false });
    await until(() => linesOf(at, 'ran.txt').includes('asked'));
    await until(async () => (await questions.open(id)).length === 1); // about another call
    expect(await helveFleet(at, 'answer', id)).toContain('echo next');
    expect(await helveFleet(at, 'answer', id, 'deny')).toBe('Answered.');
    await until(isDone(id));
    expect(linesOf(at, 'ran.txt')).toEqual(['asked']);
    const audit = Buffer.concat(await Array.fromAsync(new PostgresStore(database).read(id, 'audit.jsonl'))).toString();
    expect(audit).toContain(`"behavior":"allow","by":"${userInfo().username}"`);
  });

  test('a worker that is told to end waits for its prompts, and gives the others the rest at once', async () => {
    const at = await place(['echo begun >> ran.txt; sleep 600', 'echo second >> ran.txt']);
    const first = await workerAt(at, ['--drain', '1', '--silence', '60']); // it is not taken for lost
    const id = await helveFleet(at, 'send', 'go');
    await until(() => linesOf(at, 'ran.txt').includes('begun'));
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    await workerAt(at);
    await until(isDone(id));
    expect(linesOf(at, 'ran.txt')).toEqual(['begun', 'second']);
    expect((await conversationOf(id)).text.match(/outcome is unknown/g)).toHaveLength(1);
  });

  test('with a key, the database has nothing readable of what a session says, and workers without it do not start', async () => {
    const at = await place(['echo "a secret" >> ran.txt']);
    const keyFile = join(at.root, 'key');
    writeFileSync(keyFile, `${'0f'.repeat(32)}\n`, { mode: 0o600 });
    const withKey = ['--key-file', keyFile];
    const id = await helveFleet(at, 'send', ...withKey, 'the title\na secret prompt');
    onTestFinished(async () => void (await database.query('delete from helve.key')));
    await expect(workerAt(at)).rejects.toThrow(/encrypts with the key \w+, and no key was given/);
    const otherFile = join(at.root, 'other-key');
    writeFileSync(otherFile, `${'f0'.repeat(32)}\n`, { mode: 0o600 });
    await expect(workerAt(at, ['--key-file', otherFile])).rejects.toThrow(/the file of --key-file has the key/);
    await workerAt(at, withKey);
    await until(isDone(id));
    expect(linesOf(at, 'ran.txt')).toEqual(['a secret']);
    const { rows } = await database.query(
      "select content from helve.record union all select content from helve.prompt union all select convert_to(title, 'UTF8') from helve.session",
    );
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter(({ content }) => content.includes('secret'))).toEqual([]);
  });

  test('helve doctor --database says what a fleet has, and what is wrong with an address', async () => {
    const at = await place([]);
    await workerAt(at);
    const statesOf = async (url: string): Promise<string[]> => {
      const { stdout } = await runHelve(['doctor', '--database', url, '--json']);
      return JSON.parse(stdout).map(({ what, state }: { what: string; state: string }) => `${what} ${state}`);
    };
    const machine = ['pg ok', '@dbos-inc/dbos-sdk ok', 'git ok', 'database ok', 'clock ok'];
    expect(await statesOf(at.url)).toEqual([...machine, 'schema ok', 'key ok', 'workers ok', 'prompts ok']);
    await database.query('create database empty');
    const empty = at.url.replace(/[^/]+$/, 'empty');
    for (let look = 0; look < 2; look += 1) {
      expect(await statesOf(empty)).toEqual([...machine, 'schema missing']); // the first look has created nothing
    }
    const bad = await runHelve(['doctor', '--database', 'postgres://helve:secret@127.0.0.1:1/none']);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/✗ database: .*postgres:\/\/127\.0\.0\.1:1\/none can't be used: .*ECONNREFUSED/);
    expect(bad.stdout).not.toContain('secret');
  });

  test('a project with many prompts does not keep another one waiting', async () => {
    const at = await place(['echo x >> ran.txt']);
    const send = (project: string, index: number) =>
      prompts.accept(
        {
          sessionId: `${project}-${index}`,
          promptId: 'a',
          project,
          root: at.root,
          content: [{ type: 'text', text: `${project} ${index}` }],
          actor: 'test',
        },
        '',
      );
    for (let index = 0; index < 6; index += 1) await send('large', index);
    await send('small', 0);
    await workerAt(at, ['--concurrency', '1']);
    await until(async () => (await prompts.sessions()).every(({ openPrompts }) => openPrompts === 0));
    const { rows } = await database.query('select session from helve.prompt order by ended_at');
    expect(rows.findIndex(({ session }) => session === 'small-0')).toBeLessThanOrEqual(2);
  });
});

function answerTo({ body }: FakeRequest, commands: readonly string[]): FakeAnswer {
  const { messages } = body;
  const done = JSON.stringify(messages).match(/command \d+ of the model/g)?.length ?? 0;
  const command = commands[done];
  if (command === undefined) return { text: 'All done.' };
  return { text: `command ${done} of the model`, calls: [{ name: 'Bash', input: { command } }] };
}
