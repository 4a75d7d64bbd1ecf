import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServeClient, servePlace, startServe } from './serve-client.js';

const ID = '00000000-0000-4000-8000-000000000001';

const command = (text: string) => ({ text: 'I run it.', calls: [{ name: 'Bash', input: { command: text } }] });

const prompt = (text: string, cwd: string) => ({
  sessionId: ID,
  promptId: 'p1',
  cwd,
  mcpServers: [],
  prompt: [{ type: 'text', text }],
});

test('a client sends a prompt and another one answers its question; roles limit both', async () => {
  const at = await servePlace([command('echo made > made.txt'), { text: 'Done.' }]);
  const { url } = await startServe(at);
  const [runner, viewer, answerer] = await Promise.all(
    ['run', 'view', 'answer'].map(async (role) => await ServeClient.connect(url, await at.token(role))),
  );
  if (!runner || !viewer || !answerer) throw new Error('not connected');
  expect(await viewer.ask('_helve/prompt', prompt('make it', at.cwd))).toMatchObject({
    error: {
      code: -32_003,
      data: { role: 'view', needed: 'run' },
      message: expect.stringContaining('the token "view" has view'),
    },
  });
  expect(await runner.request('_helve/prompt', prompt('make it', at.cwd))).toEqual({ sessionId: ID, isNew: true });
  for (const client of [runner, viewer, answerer]) await client.request('_helve/session/attach', { sessionId: ID });
  const asked = (client: ServeClient) => client.until(() => client.entries.find(({ kind }) => kind === 'question'));
  const question = await asked(answerer);
  await asked(viewer);
  const answer = { sessionId: ID, questionId: question['id'], answer: { behavior: 'allow' } };
  expect(await viewer.ask('_helve/session/answer', answer)).toMatchObject({ error: { code: -32_003 } });
  expect(await answerer.request('_helve/session/answer', answer)).toEqual({ isAccepted: true });
  expect(await runner.request('_helve/session/answer', answer)).toEqual({ isAccepted: false });
  for (const client of [runner, viewer, answerer]) {
    await client.until(() => client.entries.find(({ kind, isOpen }) => kind === 'question' && isOpen === false));
    const end = await client.until(() => client.entries.find(({ kind }) => kind === 'end'));
    expect(end).toMatchObject({ outcome: 'completed', text: 'Done.' });
  }
  expect(readFileSync(join(at.cwd, 'made.txt'), 'utf8')).toBe('made\n');
  const { sessions } = await viewer.request('_helve/sessions/list');
  expect(sessions).toMatchObject([
    { sessionId: ID, title: 'make it', surface: 'background', canAttach: true, root: at.cwd },
  ]);
});

test('revoking a token from another process ends its connection', async () => {
  const at = await servePlace([]);
  const { url } = await startServe(at);
  const client = await ServeClient.connect(url, await at.token('run', 'phone'));
  const other = await ServeClient.connect(url, await at.token('view'));
  await at.helve(['serve', 'tokens', 'revoke', 'phone']);
  expect(await client.closed).toEqual({ code: 1008, reason: expect.stringContaining('The token "phone" was revoked') });
  expect(await other.request('_helve/sessions/list')).toEqual({ sessions: [] });
});
