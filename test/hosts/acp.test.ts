import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fields } from '../cli/stream-json-host.js';
import { everythingServer } from '../counterparts.js';
import { selected, startAcp, startSession } from './acp-client.js';

const write = (path: string, content = 'hello\n', id = 'toolu_w') => ({
  calls: [{ name: 'Write', id, input: { file_path: path, content } }],
});

test('answers initialize with version 1 and what is really supported', async () => {
  const client = await startAcp([]);
  const answer = await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  expect(answer).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: 'helve' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true },
    },
  });
  expect(await client.end()).toBe(0);
});

test('answers session/new before available_commands_update', async () => {
  const { client, sessionId } = await startSession([]);
  await client.update(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
  const order = client.fromAgent.map(({ method, result }) => method ?? Object.keys(fields(result))[0]);
  expect(order).toEqual(['protocolVersion', 'sessionId', 'session/update']);
  expect(sessionId).toMatch(/^[\w-]+$/);
  await client.end();
});

test('runs a prompt: text, a call with kind, place and diff, a question about it, usage and the title', async () => {
  const { client, sessionId } = await startSession((_, number) => {
    const path = join(client.cwd, 'a.txt');
    return number === 0
      ? { thinking: { text: 'Hm.', signature: 's' }, text: 'Writing. ', ...write(path) }
      : { text: 'Done.' };
  });
  const path = join(client.cwd, 'a.txt');
  expect(await client.prompt(sessionId, 'write a.txt')).toEqual({ stopReason: 'end_turn' });
  expect(await readFile(path, 'utf8')).toBe('hello\n');
  expect(client.text()).toBe('Writing. Done.');
  const [question] = client.asked('session/request_permission');
  expect(question).toMatchObject({
    sessionId,
    toolCall: {
      toolCallId: 'toolu_w',
      kind: 'edit',
      status: 'pending',
      locations: [{ path }],
      content: [{ type: 'diff', path, oldText: null }, { type: 'content' }],
    },
    options: [
      { optionId: 'allow', kind: 'allow_once' },
      { kind: 'allow_always', name: expect.stringContaining('Edit(') },
      { kind: 'allow_always' },
      { optionId: 'deny', kind: 'reject_once' },
    ],
  });
  const calls = client.updates().filter(({ toolCallId }) => toolCallId === 'toolu_w');
  expect(calls[0]).toMatchObject({ sessionUpdate: 'tool_call', status: 'pending', kind: 'edit' });
  expect(calls.at(-1)).toMatchObject({
    status: 'completed',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: null, newText: 'hello' }],
  });
  expect(client.updates().find(({ sessionUpdate }) => sessionUpdate === 'usage_update')).toMatchObject({
    used: expect.any(Number),
    size: expect.any(Number),
    cost: { currency: 'USD' },
  });
  const usage = client
    .updates()
    .flatMap(({ sessionUpdate, ...sent }) => (sessionUpdate === 'usage_update' ? [JSON.stringify(sent)] : []));
  expect(new Set(usage).size).toBe(usage.length);
  expect(client.updates().at(-1)).toMatchObject({ sessionUpdate: 'session_info_update', title: 'write a.txt' });
  await client.end();
});

test('denies a call that the client refuses, and the session goes on', async () => {
  const { client, sessionId } = await startSession((_, number) =>
    number === 0 ? write(join(client.cwd, 'a.txt')) : { text: 'Not written.' },
  );
  client.reply = () => selected('deny');
  expect(await client.prompt(sessionId, 'write')).toEqual({ stopReason: 'end_turn' });
  await expect(readFile(join(client.cwd, 'a.txt'))).rejects.toThrow('ENOENT');
  expect(client.updates().findLast(({ toolCallId }) => toolCallId === 'toolu_w')).toMatchObject({ status: 'failed' });
  await client.end();
});

test('an option for the session allows the next call by the rule that it names', async () => {
  const touch = (id: string) => ({ calls: [{ name: 'Bash', id, input: { command: 'touch made' } }] });
  const { client, sessionId } = await startSession([touch('t1'), touch('t2'), { text: 'ok' }]);
  client.reply = () => selected('session');
  await client.prompt(sessionId, 'go');
  const asked = client.asked('session/request_permission');
  expect(asked).toHaveLength(1);
  expect(JSON.stringify(asked[0])).toMatch(/Helve asks because/);
  expect(asked[0]?.['options']).toContainEqual({
    optionId: 'session',
    kind: 'allow_always',
    name: expect.stringMatching(/^Allow Bash\(touch.*\) in this session$/),
  });
  const ended = client.updates().filter(({ status }) => status === 'completed');
  expect(ended.map(({ toolCallId, kind }) => [toolCallId, kind])).toEqual([
    ['t1', 'execute'],
    ['t2', 'execute'],
  ]);
  await client.end();
});

test('session/cancel ends the prompt with the stop reason cancelled, and withdraws the open question', async () => {
  const { client, sessionId } = await startSession(() => write(join(client.cwd, 'a.txt')));
  client.reply = () => 'none';
  const id = client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'write' }] });
  await client.find(({ method }) => method === 'session/request_permission');
  client.send({ method: 'session/cancel', params: { sessionId } });
  expect(await client.answerTo(id)).toMatchObject({ result: { stopReason: 'cancelled' } });
  expect(client.fromAgent.some(({ method }) => method === '$/cancel_request')).toBe(true);
  await client.end();
});

test('$/cancel_request of a prompt does the same', async () => {
  const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { client, sessionId } = await startSession(async () => {
    arrived.resolve();
    await release.promise;
    return { text: 'late' };
  });
  const id = client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
  await arrived.promise;
  client.send({ method: '$/cancel_request', params: { requestId: id } });
  expect(await client.answerTo(id)).toMatchObject({ result: { stopReason: 'cancelled' } });
  release.resolve();
  await client.end();
});

test('session/load replays all and then answers, session/resume replays nothing', async () => {
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  const first = await startSession(
    (_, number) =>
      number === 0 ? { text: 'I write. ', ...write(join(first.client.cwd, 'a.txt')) } : { text: 'Done.' },
    { home },
  );
  await first.client.prompt(first.sessionId, 'write a.txt');
  await first.client.end();

  const { cwd } = first.client;
  const again = await startAcp([{ text: 'Still here.' }], { home, cwd });
  await again.initialize();
  const { sessions } = await again.request('session/list', { cwd });
  expect(sessions).toMatchObject([{ sessionId: first.sessionId, cwd, title: 'write a.txt' }]);
  const { sessionId } = first;
  const loaded = await again.request('session/load', { sessionId, cwd, mcpServers: [] });
  expect(loaded).toMatchObject({ modes: { currentModeId: 'default' } });
  const before = again.kinds().filter((kind) => kind !== 'available_commands_update');
  expect(before).toEqual(['user_message_chunk', 'agent_message_chunk', 'tool_call', 'agent_message_chunk']);
  expect(again.updates()[2]).toMatchObject({ toolCallId: 'toolu_w', status: 'completed', content: [{ type: 'diff' }] });
  const answered = again.fromAgent.findIndex(({ result }) => result !== undefined && 'modes' in fields(result));
  const lastReplayed = again.fromAgent.findLastIndex(
    ({ params }) => JSON.stringify(params)?.includes('Done.') ?? false,
  );
  expect(lastReplayed).toBeLessThan(answered);
  expect(await again.prompt(sessionId, 'there?')).toEqual({ stopReason: 'end_turn' });
  await again.end();

  const third = await startAcp([{ text: 'Yes.' }], { home, cwd });
  await third.initialize();
  await third.request('session/resume', { sessionId, cwd });
  await third.update(({ sessionUpdate }) => sessionUpdate === 'available_commands_update');
  expect(third.kinds()).toEqual(['available_commands_update']);
  expect(await third.prompt(sessionId, 'still?')).toEqual({ stopReason: 'end_turn' });
  expect(JSON.stringify(third.server.requests[0]?.body.messages)).toContain('Still here.');
  await third.request('session/close', { sessionId });
  await third.request('session/delete', { sessionId });
  expect((await third.request('session/list', { cwd }))['sessions']).toEqual([]);
  await third.end();
});

test('loading a session that is open here shows all of it again', async () => {
  const { client, sessionId } = await startSession([{ text: 'First answer.' }]);
  await client.prompt(sessionId, 'first prompt');
  const before = client.updates().length;
  await client.request('session/load', { sessionId, cwd: client.cwd, mcpServers: [] });
  const replayed = client.updates().slice(before);
  expect(replayed.map(({ sessionUpdate }) => sessionUpdate)).toEqual(
    expect.arrayContaining(['user_message_chunk', 'agent_message_chunk']),
  );
  await client.end();
});

test('a session of another folder is not loaded from here', async () => {
  const { client, sessionId } = await startSession([{ text: 'a' }]);
  await client.prompt(sessionId, 'x');
  await client.request('session/close', { sessionId });
  const other = await mkdtemp(join(tmpdir(), 'helve-other-'));
  const { message } = await client.refused('session/load', { sessionId, cwd: other, mcpServers: [] });
  expect(message).toContain('belongs to');
  await client.end();
});

test('modes and config options say the same and can be set by either', async () => {
  const { client, sessionId } = await startSession([{ text: 'a' }]);
  await client.request('session/set_mode', { sessionId, modeId: 'plan' });
  await client.update(({ currentModeId }) => currentModeId === 'plan');
  const { configOptions } = await client.request('session/set_config_option', {
    sessionId,
    configId: 'mode',
    value: 'acceptEdits',
  });
  expect(configOptions).toMatchObject([
    { id: 'mode', category: 'mode', currentValue: 'acceptEdits' },
    { id: 'model' },
    { id: 'effort' },
  ]);
  await client.request('session/set_config_option', {
    sessionId,
    configId: 'model',
    value: 'anthropic/claude-haiku-4-5',
  });
  await client.prompt(sessionId, 'x');
  expect(client.server.requests[0]?.body.model).toContain('haiku');
  const { message } = await client.refused('session/set_mode', { sessionId, modeId: 'yolo' });
  expect(message).toContain('There is no mode "yolo". There are: default');
  await client.end();
});

test('two sessions in two folders run at once, each with its own answer', async () => {
  const { client, sessionId } = await startSession((request) => ({
    text: JSON.stringify(request.body.messages).includes('one') ? 'ONE' : 'TWO',
  }));
  const folder = await mkdtemp(join(tmpdir(), 'helve-second-'));
  const { sessionId: other } = await client.request('session/new', { cwd: folder, mcpServers: [] });
  const [first, second] = await Promise.all([client.prompt(sessionId, 'one'), client.prompt(String(other), 'two')]);
  expect([first, second]).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  expect(client.text('agent_message_chunk', sessionId)).toBe('ONE');
  expect(client.text('agent_message_chunk', other)).toBe('TWO');
  await client.end();
});

test('prompts carry images, embedded context and links to files', async () => {
  const { client, sessionId } = await startSession([{ text: 'seen' }]);
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await client.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: 'Look at ' },
      { type: 'resource_link', uri: `file://${client.cwd}/b.ts`, name: 'b.ts' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: `file://${client.cwd}/c.ts`, text: 'const c = 1;' } },
    ],
  });
  const sent = JSON.stringify(client.server.requests[0]?.body.messages);
  expect(sent).toContain(`Look at \`${client.cwd}/b.ts\``);
  expect(sent).toContain('const c = 1;');
  expect(sent).toContain('image/png');
  await client.end();
});

test('the to-do list of the model is shown as a plan', async () => {
  const todos = [{ content: 'Run the tests', status: 'in_progress', activeForm: 'Running the tests' }];
  const { client, sessionId } = await startSession([
    { calls: [{ name: 'TodoWrite', id: 't', input: { todos } }] },
    { text: 'ok' },
  ]);
  await client.prompt(sessionId, 'plan it');
  expect(client.updates().find(({ sessionUpdate }) => sessionUpdate === 'plan')).toEqual({
    sessionUpdate: 'plan',
    entries: [{ content: 'Run the tests', priority: 'medium', status: 'in_progress' }],
  });
  await client.end();
});

test('a client that never answers is waited for once, and the calls say why they were denied', async () => {
  const { client, sessionId } = await startSession(
    (_, number) =>
      number < 3 ? write(join(client.cwd, `${number}.txt`), 'x', `toolu_${number}`) : { text: 'gave up' },
    { args: ['--answer-timeout', '0.2s'] },
  );
  client.reply = () => 'none';
  expect(await client.prompt(sessionId, 'write')).toEqual({ stopReason: 'end_turn' });
  expect(client.asked('session/request_permission')).toHaveLength(1);
  expect(JSON.stringify(client.server.requests[1]?.body.messages)).toContain('did not answer within 0.2 s');
  expect(JSON.stringify(client.server.requests[2]?.body.messages)).toContain('is not asked again');
  const shown = client.updates().findLast(({ toolCallId }) => toolCallId === 'toolu_0');
  expect(JSON.stringify(shown)).toContain('Not run: the client did not answer within 0.2 s.');
  const told = [client.updates(), client.server.requests.at(-1)?.body.messages];
  expect(JSON.stringify(told)).not.toMatch(/refused/i);
  await client.end();
});

test('a client that answered before is asked again after one question passed its limit', async () => {
  const { client, sessionId } = await startSession(
    (_, number) => (number < 3 ? write(join(client.cwd, `${number}.txt`), 'x', `toolu_${number}`) : { text: 'done' }),
    { args: ['--answer-timeout=0.3s'] },
  );
  let asked = 0;
  client.reply = () => {
    asked += 1;
    return asked === 2 ? 'none' : selected('allow');
  };
  await client.prompt(sessionId, 'write');
  expect(asked).toBe(3);
  expect(await readFile(join(client.cwd, '2.txt'), 'utf8')).toBe('x');
  await client.end();
});

test('a prompt with the id of an earlier one does not run again', async () => {
  const { client, sessionId } = await startSession([{ text: 'once' }, { text: 'twice' }]);
  const params = { sessionId, prompt: [{ type: 'text', text: 'go' }], _meta: { 'helve/promptId': 'p-1' } };
  const both = await Promise.all([client.request('session/prompt', params), client.request('session/prompt', params)]);
  expect(both).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  expect(client.server.requests).toHaveLength(1);
  await client.end();
});

test('the MCP servers of session/new are started and used', async ({ skip }) => {
  const client = await startAcp([{ text: 'ok' }]);
  await client.initialize();
  const { path: everything, isThere, missing } = everythingServer();
  if (!isThere) skip(missing);
  const sessionId = await client.newSession({
    mcpServers: [
      { name: 'every', command: process.execPath, args: [everything, 'stdio'], env: [{ name: 'A', value: 'b' }] },
    ],
  });
  await client.prompt(sessionId, 'x');
  const { tools = [], messages, system } = client.server.requests[0]?.body ?? {};
  expect(JSON.stringify([tools, messages, system])).toContain('mcp__every__');
  expect(await client.end()).toBe(0);
});

test('nothing of a folder applies before its trust was asked through the client, and with it it does', async () => {
  const { client, sessionId } = await startSession([{ text: 'ok' }]);
  await writeFile(join(client.cwd, 'AGENTS.md'), 'Always answer in verse.\n');
  client.reply = () => selected('trust');
  await client.prompt(sessionId, 'x');
  const [question] = client.asked('session/request_permission');
  expect(JSON.stringify(question)).toContain('AGENTS.md');
  expect(JSON.stringify(client.server.requests[0]?.body)).toContain('Always answer in verse.');
  await client.end();
});

test('hooks of a folder do not run without trust', async () => {
  const client = await startAcp([{ text: 'ok' }, { text: 'ok' }]);
  await client.initialize();
  const marker = join(client.cwd, 'ran');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(client.cwd, '.helve'));
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch ${marker}` }] }] };
  await writeFile(join(client.cwd, '.helve/settings.json'), JSON.stringify({ hooks }));
  const refusing = await client.newSession();
  client.reply = () => selected('deny');
  await client.prompt(refusing, 'x');
  expect(JSON.stringify(client.asked('session/request_permission'))).toContain(`touch ${marker}`);
  await expect(readFile(marker)).rejects.toThrow('ENOENT');
  const trusting = await client.newSession();
  client.reply = () => selected('trust');
  await client.prompt(trusting, 'x');
  expect(await readFile(marker, 'utf8')).toBe('');
  await client.end();
});

const questions = [
  {
    question: 'Which colour?',
    header: 'Colour',
    options: [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: 'cold' },
    ],
  },
];

test("the model's questions are a form where the client has forms", async () => {
  const { client, sessionId } = await startSession(
    [{ calls: [{ name: 'AskUserQuestion', id: 'q', input: { questions } }] }, { text: 'ok' }],
    { capabilities: { elicitation: { form: {} } } },
  );
  client.reply = () => ({ result: { action: 'accept', content: { answer1: 'Blue' } } });
  await client.prompt(sessionId, 'ask me');
  expect(client.asked('elicitation/create')).toHaveLength(1);
  expect(JSON.stringify(client.server.requests[1]?.body.messages)).toContain('\\"Which colour?\\"=\\"Blue\\"');
  await client.end();
});

test("the model's questions are options where the client has no forms", async () => {
  const { client, sessionId } = await startSession([
    { calls: [{ name: 'AskUserQuestion', id: 'q', input: { questions } }] },
    { text: 'ok' },
  ]);
  client.reply = () => selected('option-1');
  await client.prompt(sessionId, 'ask me');
  expect(JSON.stringify(client.server.requests[1]?.body.messages)).toContain('\\"Which colour?\\"=\\"Blue\\"');
  await client.end();
});

test('without a key a session is refused as needing authentication, and the sentence says what to set', async () => {
  const client = await startAcp([], { env: { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' } });
  await client.initialize();
  const { code, message } = await client.refused('session/new', { cwd: client.cwd, mcpServers: [] });
  expect(code).toBe(-32_000);
  expect(message).toMatch(/key|model/i);
  expect((await client.refused('authenticate', { methodId: 'environment' })).code).toBe(-32_000);
  await client.end();
});
