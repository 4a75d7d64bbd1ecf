import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/fleet/postgres.js';
import type { FakeAnswer, FakeRequest } from '../../src/testing/fake-model-server.js';
import { ServeClient, type ServePlace, servePlace, startServe } from '../cli/serve-client.js';
import { TestPostgres, withoutPostgres } from './run-postgres.js';
import { type FleetPlace, helveFleet, startWorker, type TestWorker } from './run-worker.js';

if (withoutPostgres !== undefined) test.skip(withoutPostgres, () => {});

type Fields = Record<string, unknown>;

const ID = '00000000-0000-4000-8000-000000000001';

describe.skipIf(withoutPostgres !== undefined)('helve serve --database', { timeout: 120_000 }, () => {
  let postgres: TestPostgres;
  let database: Database;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    database = await openDatabase(postgres.url);
  });

  afterAll(async () => {
    await database?.end();
    await postgres?.remove();
  });

  interface Served extends FleetPlace {
    serve: ServePlace;
    connect(role: string): Promise<ServeClient>;
    worker(...flags: readonly string[]): Promise<TestWorker>;
  }

  /** A server and a model that sends these commands, one in each answer, and then says that it is done. */
  async function served(commands: readonly string[]): Promise<Served> {
    await database.query('delete from helve.session');
    const serve = await servePlace((request) => answerTo(request, commands));
    const { url } = await startServe(serve, ['--database', postgres.url]);
    const at = { url: postgres.url, model: serve.model.url, root: serve.cwd };
    return {
      ...at,
      serve,
      connect: async (role) => await ServeClient.connect(url, await serve.token(role)),
      worker: async (...flags) => {
        const worker = await startWorker(at, flags);
        onTestFinished(() => void worker.process.kill('SIGKILL'));
        return worker;
      },
    };
  }

  const prompt = ({ root }: FleetPlace, text: string, promptId = 'p1') => ({
    sessionId: ID,
    promptId,
    cwd: root,
    prompt: [{ type: 'text', text }],
  });

  const linesOf = ({ root }: FleetPlace): string[] =>
    existsSync(join(root, 'ran.txt')) ? readFileSync(join(root, 'ran.txt'), 'utf8').trim().split('\n') : [];

  const openQuestion = (client: ServeClient) =>
    client.until(() => {
      const asked = client.entries.findLast(({ kind }) => kind === 'question');
      return asked?.['isOpen'] === true ? asked : undefined;
    });

  test('a client sends a prompt, another one answers, and both see the end although the worker was killed', async () => {
    const at = await served(['echo first >> ran.txt; sleep 600', 'echo second >> ran.txt']);
    const first = await at.worker('--allowedTools', 'Bash');
    const [runner, viewer, answerer] = [await at.connect('run'), await at.connect('view'), await at.connect('answer')];
    expect(await viewer.ask('_helve/prompt', prompt(at, 'go'))).toMatchObject({ error: { code: -32_003 } });
    await viewer.request('_helve/sessions/watch');
    expect(await runner.request('_helve/prompt', prompt(at, 'go'))).toEqual({ sessionId: ID, isNew: true });
    for (const client of [runner, answerer]) await client.request('_helve/session/attach', { sessionId: ID });
    await vi.waitUntil(() => linesOf(at).length === 1, { timeout: 20_000 });
    await runner.until(() => runner.entries.find(({ kind, status }) => kind === 'call' && status === 'running'));
    first.process.kill('SIGKILL');
    await at.worker();
    const question = await openQuestion(answerer);
    await openQuestion(runner);
    const beyond = { behavior: 'allow', updatedInput: { command: 'echo other' } };
    const answer = { sessionId: ID, questionId: question['id'] };
    expect(await answerer.ask('_helve/session/answer', { ...answer, answer: beyond })).toMatchObject({
      error: { code: -32_003, data: { role: 'answer', needed: 'run' } },
    });
    const allow = { ...answer, answer: { behavior: 'allow' } };
    expect(await answerer.request('_helve/session/answer', allow)).toEqual({ isAccepted: true });
    for (const client of [runner, answerer]) {
      const end = await client.until(() => client.entries.find(({ kind }) => kind === 'end'));
      expect(end).toMatchObject({ promptId: 'p1', outcome: 'completed', text: 'All done.' });
      await client.until(() => client.entries.find(({ kind, state }) => kind === 'state' && state === 'idle'));
    }
    expect(linesOf(at)).toEqual(['first', 'second']);
    const calls = [...new Map(runner.entries.filter(({ kind }) => kind === 'call').map((one) => [one['id'], one]))];
    expect(calls.map(([, { status }]) => status)).toEqual(['failed', 'completed']);

    const late = await at.connect('admin');
    const { past, state } = (await late.request('_helve/session/attach', { sessionId: ID })) as {
      past: Fields[];
      state: string;
    };
    const texts = async (): Promise<unknown[]> =>
      [...past, ...late.entries].filter(({ kind }) => kind === 'text').map(({ text }) => text);
    await late.until(() => late.entries.find(({ kind }) => kind === 'state'));
    expect(state).toBe('idle');
    expect(await texts()).toEqual(['command 0 of the model', 'command 1 of the model', 'All done.']);
    const { rows } = (await late.request('_helve/session/audit', { sessionId: ID })) as { rows: Fields[] };
    expect(rows.find(({ type }) => type === 'answer')).toMatchObject({ behavior: 'allow', by: 'answer' });
    const timeline = (await late.request('_helve/session/timeline', { sessionId: ID })) as { calls: Fields[] };
    expect(timeline.calls.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
    expect(await late.request('_helve/session/overview', { sessionId: ID })).toMatchObject({
      usage: [{ turn: 1 }, { turn: 2 }], // the turn that was cut has no usage
    });
    expect(await late.request('_helve/search', { text: 'command 1' })).toMatchObject({ hits: [{ sessionId: ID }] });
    await viewer.until(() =>
      viewer.messages.find(
        ({ method, params }) => method === '_helve/sessions/changed' && JSON.stringify(params).includes('"idle"'),
      ),
    );
  });

  test('an ACP client opens a session, is asked, sees the words of the model and gets the end', async () => {
    const at = await served(['echo first >> ran.txt']);
    await at.worker();
    const client = await at.connect('run');
    const { sessionId } = await client.request('session/new', { cwd: at.root, mcpServers: [] });
    const ended = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
    const asked = await client.until(() =>
      client.messages.find(({ method }) => method === 'session/request_permission'),
    );
    client.socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: asked['id'],
        result: { outcome: { outcome: 'selected', optionId: 'allow' } },
      }),
    );
    expect(await ended).toEqual({ stopReason: 'end_turn' });
    const updates = client.messages.map(({ params }) => (params as { update?: Fields }).update ?? {});
    expect(
      updates
        .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
        .map(({ content }) => (content as Fields)['text'])
        .join(''),
    ).toBe('command 0 of the modelAll done.');
    expect(updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toEqual([]); // its own words
    expect(linesOf(at)).toEqual(['first']);
    const other = await at.connect('view');
    await other.request('session/load', { sessionId, cwd: at.root, mcpServers: [] });
    await other.until(() => (JSON.stringify(other.messages).includes('All done.') ? true : undefined));
    expect(await other.request('session/list')).toMatchObject({ sessions: [{ sessionId, cwd: at.root, title: 'go' }] });
  });

  test('an interrupt ends a prompt, one that has not begun is dropped, and what a fleet has not says what to do', async () => {
    const at = await served(['echo first >> ran.txt; sleep 600']);
    const client = await at.connect('admin');
    await client.request('_helve/prompt', prompt(at, 'go'));
    await client.request('_helve/prompt', prompt(at, 'later', 'p2'));
    await client.request('_helve/session/attach', { sessionId: ID });
    expect(await client.request('_helve/sessions/list')).toMatchObject({
      sessions: [{ sessionId: ID, state: 'running', activity: 'waits for a worker' }],
    });
    await at.worker('--allowedTools', 'Bash');
    await vi.waitUntil(() => linesOf(at).length === 1, { timeout: 20_000 });
    expect(await client.ask('session/delete', { sessionId: ID })).toMatchObject({
      error: { message: expect.stringContaining('Interrupt it') },
    });
    expect(await client.request('_helve/session/interrupt', { sessionId: ID })).toEqual({ wasBusy: true });
    for (const promptId of ['p1', 'p2']) {
      const end = await client.until(() =>
        client.entries.find((one) => one['kind'] === 'end' && one['promptId'] === promptId),
      );
      expect(end).toMatchObject({ outcome: 'interrupted' });
    }
    for (const [method, params, words] of [
      ['_helve/session/set', { sessionId: ID, mode: 'plan' }, '--permission-mode'],
      ['_helve/host/stop', {}, 'SIGTERM'],
      ['session/set_mode', { sessionId: ID, modeId: 'plan' }, '--permission-mode'],
      ['session/new', { cwd: at.root, mcpServers: [{ name: 'a', command: 'b', args: [] }] }, '--mcp-config'],
    ] as const) {
      expect(await client.ask(method, params)).toMatchObject({ error: { message: expect.stringContaining(words) } });
    }
    expect(await client.request('_helve/session/undo', { sessionId: ID, callId: 'x' })).toMatchObject({
      isDone: false,
      message: expect.stringContaining(`helve undo --session ${ID}`),
    });
    await client.request('session/delete', { sessionId: ID });
    expect(await client.request('_helve/sessions/list')).toEqual({ sessions: [] });
    expect(await helveFleet(at, 'list')).not.toContain(ID.slice(0, 8));
  });
});

function answerTo({ body }: FakeRequest, commands: readonly string[]): FakeAnswer {
  const done = JSON.stringify(body.messages).match(/command \d+ of the model/g)?.length ?? 0;
  const command = commands[done];
  if (command === undefined) return { text: 'All done.' };
  return { text: `command ${done} of the model`, calls: [{ name: 'Bash', input: { command } }] };
}
