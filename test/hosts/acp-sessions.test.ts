// Sessions that are opened, closed and opened again, by one client and by several processes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Reply, selected, startSession } from './acp-client.js';

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
