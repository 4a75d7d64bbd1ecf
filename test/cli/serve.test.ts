import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ServeClient, servePlace, startServe } from './serve-client.js';

type Fields = Record<string, unknown>;

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

test('new sessions are offered in the folder of the server, but not in the home folder', async () => {
  const at = await servePlace([]);
  const token = await at.token('run');
  const projects = async (HOME: string) => {
    const { url } = await startServe({ ...at, env: { ...at.env, HOME } });
    return (await (await ServeClient.connect(url, token)).request('_helve/projects/list'))['projects'];
  };
  expect(await projects(at.cwd)).toEqual([]);
  expect(await projects(at.home)).toEqual([{ root: at.cwd, name: basename(at.cwd), isTrusted: false }]);
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

test('the methods about a session show what it used, changed, waited for and decided, and undo one call', async () => {
  const at = await servePlace([
    {
      text: 'Both.',
      calls: [
        { name: 'Write', input: { file_path: 'a.txt', content: 'one\n' } },
        { name: 'Bash', input: { command: 'node -p 1 > b.txt' } },
      ],
    },
    { text: 'All is well.' },
  ]);
  const { url } = await startServe(at, ['--allowed-tools', 'Write']);
  const client = await ServeClient.connect(url, await at.token('run', 'laptop'));
  await client.request('_helve/prompt', prompt('write both', at.cwd));
  await client.request('_helve/session/attach', { sessionId: ID });
  const question = await client.until(() => client.entries.find(({ kind }) => kind === 'question'));
  const live = await client.request('_helve/session/timeline', { sessionId: ID });
  expect(live['calls']).toMatchObject([
    { tool: 'Write', outcome: 'completed' },
    { tool: 'Bash', outcome: 'running', startedAt: null, endedAt: null },
  ]);
  const early = await client.request('_helve/session/undo', { sessionId: ID, callId: live['calls'] });
  expect(early).toMatchObject({ isDone: false, message: expect.stringContaining('at work') });
  await client.request('_helve/session/answer', {
    sessionId: ID,
    questionId: question['id'],
    answer: { behavior: 'allow' },
  });
  await client.until(() => client.entries.find(({ kind }) => kind === 'end'));

  const { calls } = (await client.request('_helve/session/timeline', { sessionId: ID })) as { calls: Fields[] };
  const [write, bash] = calls;
  expect(bash).toMatchObject({ tool: 'Bash', title: 'node -p 1 > b.txt', outcome: 'completed' });
  expect(bash?.['waits']).toMatchObject(
    expect.arrayContaining([
      { reason: 'earlier_call', detail: write?.['callId'], from: expect.any(Number), to: expect.any(Number) },
      { reason: 'question', from: expect.any(Number), to: expect.any(Number) },
    ]),
  );
  const { rows } = (await client.request('_helve/session/audit', { sessionId: ID })) as { rows: Fields[] };
  expect(rows.find(({ type }) => type === 'answer')).toMatchObject({ behavior: 'allow', by: 'laptop', tool: 'Bash' });
  const overview = await client.request('_helve/session/overview', { sessionId: ID });
  expect(overview).toMatchObject({
    mode: 'default',
    usage: [
      { turn: 1, turns: 1 },
      { turn: 2, turns: 1 },
    ],
    contextParts: [{ name: 'system' }, { name: 'tools' }, { name: 'messages' }, { name: 'results' }],
  });
  const changes = await client.request('_helve/session/changes', { sessionId: ID });
  expect(changes['files']).toMatchObject([
    {
      path: 'a.txt',
      status: 'added',
      added: 1,
      removed: 0,
      patch: expect.stringContaining('+one'),
      calls: [{ canUndo: true }],
    },
    { path: 'b.txt', status: 'added', calls: [{ callId: bash?.['callId'], canUndo: true }] },
  ]);
  writeFileSync(join(at.cwd, 'a.txt'), 'one\ntwo\n');
  expect(await client.request('_helve/session/undo', { sessionId: ID, callId: write?.['callId'] })).toEqual({
    isDone: false,
    message: expect.stringMatching(
      /a\.txt: it was changed since.* --force in a terminal undoes it anyway and replaces later changes of these files\.$/,
    ),
  });
  expect(readFileSync(join(at.cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  const undone = { sessionId: ID, callId: bash?.['callId'] };
  expect(await client.request('_helve/session/undo', undone)).toEqual({ isDone: true, message: '1 file restored.' });
  expect(await client.request('_helve/session/undo', undone)).toMatchObject({ isDone: false });
  expect(existsSync(join(at.cwd, 'b.txt'))).toBe(false);

  expect(await client.ask('session/cancel', { sessionId: ID })).toMatchObject({
    error: { code: -32_600, message: expect.stringContaining('is a notification') },
  });
  const set = await client.request('_helve/session/set', { sessionId: ID, mode: 'plan', title: 'Two files' });
  expect(set).toMatchObject({ mode: 'plan', title: 'Two files' });
  const both = { sessionId: ID, mode: 'default', model: 'none/none', title: 'Other' };
  expect(await client.ask('_helve/session/set', both)).toMatchObject({ error: { code: -32_602 } });
  const kept = await client.request('_helve/session/set', { sessionId: ID });
  expect(kept).toMatchObject({ mode: 'plan', title: 'Two files' });
  const long = await client.request('_helve/session/set', { sessionId: ID, title: `${'x'.repeat(9_000)}\n\u001b[31m` });
  expect(String(long['title'])).toMatch(/^x{79}…$/);
  await client.request('_helve/session/set', { sessionId: ID, title: 'Two files' });
  const options = await client.request('_helve/session/options', { sessionId: ID });
  expect(options['modes']).toContainEqual(expect.objectContaining({ id: 'plan' }));
  const found = await client.request('_helve/search', { text: 'ALL IS' });
  expect(found).toMatchObject({ hits: [{ sessionId: ID, snippet: 'All is well.' }], isPartial: false });
  const read = await client.request('_helve/session/read', { sessionId: ID, limit: 2 });
  expect(read).toMatchObject({ root: at.cwd, past: [{ kind: 'call' }, { kind: 'text' }], earlier: expect.any(String) });
  const earlier = await client.request('_helve/session/read', { sessionId: ID, before: read['earlier'] });
  expect(earlier['past']).toMatchObject([{ kind: 'prompt' }, { kind: 'text' }, { kind: 'call' }]);
  const { projects } = await client.request('_helve/projects/list');
  expect(projects).toEqual([{ root: at.cwd, name: basename(at.cwd), isTrusted: false }]);
  const { sessions } = await client.request('_helve/sessions/list', { query: 'two f' });
  expect(sessions).toMatchObject([{ sessionId: ID, title: 'Two files' }]);
  await vi.waitFor(async () => expect((await at.helve(['ps'])).stdout).toContain('Two files'));
});
