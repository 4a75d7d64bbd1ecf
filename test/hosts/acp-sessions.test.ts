// Sessions that are opened, closed and opened again, by one client and by several processes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder } from '../cli/run-helve.js';
import { type Reply, selected, startAcp, startSession } from './acp-client.js';

test.each(['session/load', 'session/resume'])(
  'a session that was opened with %s and closed without a prompt can be opened again',
  async (open) => {
    const { client, sessionId } = await startSession([{ text: 'First.' }, { text: 'Second.' }]);
    const place = { sessionId, cwd: client.cwd, mcpServers: [] };
    await client.prompt(sessionId, 'one');
    await client.request('session/close', { sessionId });
    await client.request(open, place);
    await client.request('session/close', { sessionId });
    await client.request('session/resume', place);
    expect(await client.prompt(sessionId, 'two')).toEqual({ stopReason: 'end_turn' });
    await client.request('session/close', { sessionId });
    await client.request(open, place);
    await client.request('session/close', { sessionId });
    await client.request('session/delete', { sessionId });
    await client.end();
  },
);

test('a session that is loaded as soon as its end was asked for is opened again', async () => {
  const { client, sessionId } = await startSession([{ text: 'First.' }, { text: 'Second.' }]);
  await client.prompt(sessionId, 'one');
  const closing = client.start('session/close', { sessionId });
  await client.request('session/load', { sessionId, cwd: client.cwd, mcpServers: [] });
  expect(await client.answerTo(closing)).toMatchObject({ result: {} });
  expect(await client.prompt(sessionId, 'two')).toEqual({ stopReason: 'end_turn' });
  await client.end();
});

/** A session whose prompt runs until `release`: the model has been asked. */
async function runningPrompt() {
  const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { client, sessionId } = await startSession(async () => {
    arrived.resolve();
    await answer.promise;
    return { text: 'Done.' };
  });
  const prompt = client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  await arrived.promise;
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  return { client, place, prompt, release: answer.resolve };
}

test('a session whose prompt runs can be loaded: what there is so far is sent, and the prompt goes on', async () => {
  const { client, place, prompt, release } = await runningPrompt();
  await client.request('session/load', place);
  expect(client.text('user_message_chunk')).toBe('go');
  release();
  expect(await client.answerTo(prompt)).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(client.text()).toBe('Done.');
  await client.end();
});

test('two loads at once send the conversation twice, one after the other, and the prompt goes on', async () => {
  const { client, place, prompt, release } = await runningPrompt();
  await Promise.all([client.request('session/load', place), client.request('session/load', place)]);
  await client.request('session/resume', place);
  expect(client.text('user_message_chunk')).toBe('gogo');
  release();
  expect(await client.answerTo(prompt)).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(client.text()).toBe('Done.');
  await client.end();
});

test('two loads at once of a session that is not open send its conversation once each', async () => {
  const { client, sessionId } = await startSession([{ text: 'Hello.' }]);
  await client.prompt(sessionId, 'hi');
  await client.request('session/close', { sessionId });
  const place = { sessionId, cwd: client.cwd, mcpServers: [] };
  const before = client.text().length;
  await Promise.all([client.request('session/load', place), client.request('session/load', place)]);
  expect(client.text().slice(before)).toBe('Hello.Hello.');
  await client.end();
});

test('a question that is open when its session is loaded is not asked twice, and its answer counts', async () => {
  const { client, sessionId } = await startSession([
    { calls: [{ name: 'Bash', id: 'b', input: { command: 'touch made' } }] },
    { text: 'Done.' },
  ]);
  const answer = Promise.withResolvers<Reply>();
  client.reply = () => answer.promise;
  const prompt = client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  await client.find(({ method }) => method === 'session/request_permission');
  await client.request('session/load', { sessionId, cwd: client.cwd, mcpServers: [] });
  answer.resolve(selected('allow'));
  expect(await client.answerTo(prompt)).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(client.asked('session/request_permission')).toHaveLength(1);
  expect(await readFile(join(client.cwd, 'made'), 'utf8')).toBe('');
  await client.end();
});

test.each(['session/load', 'session/resume'])(
  'a session without a prompt is opened with %s by another process, and listed from its first prompt',
  async (open) => {
    const home = await emptyFolder();
    const first = await startSession([], { home });
    const { sessionId } = first;
    const { cwd } = first.client;
    await first.client.end();

    const second = await startAcp([{ text: 'Here.' }], { home, cwd });
    await second.initialize();
    expect((await second.request('session/list', { cwd }))['sessions']).toEqual([]);
    await second.request(open, { sessionId, cwd, mcpServers: [] });
    expect(await second.prompt(sessionId, 'are you there')).toEqual({ stopReason: 'end_turn' });
    expect((await second.request('session/list', { cwd }))['sessions']).toMatchObject([
      { sessionId, title: 'are you there' },
    ]);
    await second.end();
  },
);

test('a session without a prompt that was trusted begins once in its file, and deleting it leaves nothing', async () => {
  const home = await emptyFolder();
  const { client, sessionId } = await startSession([{ text: 'ok' }], { home });
  await writeFile(join(client.cwd, 'AGENTS.md'), 'Be kind.\n');
  client.reply = () => selected('trust');
  await client.prompt(sessionId, 'x');
  const file = join(home, '.helve/sessions', sessionId, 'session.jsonl');
  const types = (await readFile(file, 'utf8')).split('\n').map((line) => /"type":"(\w+)"/.exec(line)?.[1]);
  expect(types.slice(0, 2)).toEqual(['session', 'user']);
  const empty = await client.newSession();
  await client.request('session/delete', { sessionId: empty });
  await client.request('session/delete', { sessionId });
  expect((await readdir(join(home, '.helve/sessions'))).filter((name) => !name.startsWith('.'))).toEqual([]);
  await client.end();
});

test('a session that another process has is refused with what a client can do about it', async () => {
  const home = await emptyFolder();
  const { client, sessionId } = await startSession([{ text: 'ok' }], { home });
  await client.prompt(sessionId, 'x');
  const other = await startAcp([], { home, cwd: client.cwd });
  await other.initialize();
  const { code, message } = await other.refused('session/load', { sessionId, cwd: client.cwd, mcpServers: [] });
  expect(code).toBe(-32_002);
  expect(message).toMatch(
    /^The session \S+ is in use by process \d+, since [\d: -]+, and two writers would mix their conversations\. Close it there first, or begin a new session\.$/,
  );
  const unknown = await other.refused('session/load', { sessionId: 'nope', cwd: client.cwd, mcpServers: [] });
  expect(unknown.message).toBe('There is no session nope. session/list has those there are.');
  await other.end();
  await client.end();
});
