import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AskUser } from '../../src/contract/question.js';
import { type EraServer, eraServer } from './mcp-eras.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const both = ['stdio', 'http'] as const;
const fast = { env: { ...process.env, MCP_TIMEOUT: '4000' } };

/** A person who agrees to answer, and says where. */
const person: AskUser = async (questions) =>
  questions.map((_, index) => (index === 0 ? { chosen: ['Answer'] } : { chosen: [], text: 'Oslo' }));

/** The methods of one start, in which lists have no order. */
const startOf = async (server: EraServer): Promise<string[]> =>
  (await server.asked()).filter((method) => !method.includes('/list') && method !== 'subscriptions/listen');

for (const over of both) {
  test(`a server of each era connects over ${over}, and only its first start pays for the question`, async () => {
    const started = over === 'stdio' ? ['started'] : []; // a single process, which is asked in place
    const modern = await eraServer(over, { era: 'modern' });
    for (const asked of [['server/discover'], ['server/discover']]) {
      const { state, call, end } = await modern.start();
      expect(state).toBe('connected');
      expect(await startOf(modern)).toEqual([...started, ...asked]);
      expect(await call('echo', { say: 'hello' })).toBe('said hello');
      await end();
      await modern.asked();
    }
    const legacy = await eraServer(over, { era: 'legacy' });
    for (const asked of [['server/discover', 'initialize'], ['initialize']]) {
      const { state, call, end } = await legacy.start();
      expect(state).toBe('connected');
      expect(await startOf(legacy)).toEqual([...started, ...asked, 'notifications/initialized']);
      expect(await call('echo', { say: 'hello' })).toBe('said hello');
      await end();
      await legacy.asked();
    }
  });

  test(`a server over ${over} that changes its era between two starts is connected, either way`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    for (const era of ['modern', 'legacy', 'modern', 'both', 'legacy']) {
      await server.become({ era });
      const { state, detail, call, end } = await server.start();
      expect({ era, state, detail }).toEqual({ era, state: 'connected', detail: '' });
      expect(await call('echo', { say: era })).toBe(`said ${era}`);
      await end();
    }
  });

  test(`a server over ${over} that answers the question with nonsense is connected as an old one`, async () => {
    const server = await eraServer(over, { era: 'malformed' });
    const { state, call } = await server.start();
    expect(state).toBe('connected');
    expect(await call('echo', { say: 'x' })).toBe('said x');
  });

  test(`a server over ${over} that speaks only another version of the protocol is refused with the reason`, async () => {
    const server = await eraServer(over, { era: 'other version', versions: ['2099-01-01'] });
    const { state, detail } = await server.start(fast);
    expect(state).toBe('failed');
    expect(detail).toMatch(
      /^The MCP server era speaks only version 2099-01-01 of the protocol, and Helve speaks .* to 2026-07-28\.$/,
    );
  });

  test(`an unreadable memory of eras counts as none over ${over}`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const first = await server.start();
    await first.end();
    const file = join(server.dataFolder, 'mcp-eras.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: 1 });
    await writeFile(file, '{"servers": {"era', { mode: 0o600 });
    expect(await server.start()).toMatchObject({ state: 'connected' });
  });

  test(`a change of the lists is followed over ${over}, however often it is announced`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const { tools, call } = await server.start();
    await server.asked();
    expect(tools()).not.toContain('new_2');
    await call('change');
    while (!tools().includes('new_2')) await new Promise(setImmediate);
    const lists = (await server.asked()).filter((method) => method === 'tools/list');
    expect(lists.length).toBeLessThan(20);
  });

  test(`a stream of changes over ${over} that ends is opened again, and changes in between are not missed`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const { tools, call } = await server.start();
    await call('hangup');
    while (!tools().includes('new_4')) await new Promise(setImmediate);
    expect((await server.asked()).filter((method) => method === 'subscriptions/listen')).toHaveLength(2);
  });

  test(`a question in the middle of a call goes to the person over ${over}, and the state goes back unchanged`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const { call } = await server.start({ askUser: person });
    expect(await call('ask')).toBe('{"where":{"action":"accept","content":{"city":"Oslo"}}} {"opaque": "ä state"}');
  });

  test(`a call over ${over} that is cancelled while the person is asked is not sent again`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const interrupt = new AbortController();
    const asks: AskUser = async (_, signal) => {
      interrupt.abort(new Error('The person stopped it.'));
      signal.throwIfAborted();
      return [];
    };
    const { call } = await server.start({ askUser: asks });
    await server.asked();
    await call('ask', {}, interrupt.signal);
    expect((await server.asked()).filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  test(`progress is shown over ${over}, and a call that is cancelled is cancelled at the server`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const { call, happened } = await server.start();
    const interrupt = new AbortController();
    const calling = call('slow', {}, interrupt.signal);
    while (!JSON.stringify(happened).includes('half of it (1)')) await new Promise(setImmediate);
    interrupt.abort(new Error('The person stopped it.'));
    await calling;
    const log: string[] = [];
    while (!log.includes('cancelled')) log.push(...(await server.asked()));
  });

  // Of the four combinations, the transports and the eras each occur once.
  test.each(soak ? ['modern', 'legacy'] : [over === 'http' ? 'modern' : 'legacy'])(
    `a result of 50 MB of a %s server goes to a file over ${over}`,
    async (era) => {
      const server = await eraServer(over, { era });
      const { call } = await server.start();
      expect(await call('big')).toMatch(/52,428,800|52428800|50(\.0)? MB/);
    },
  );

  test(`a call that becomes a task is waited for over ${over}, with what it tells and asks`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const { call, happened } = await server.start({ askUser: person });
    expect(await call('task', { ends: 'well' })).toBe('done []');
    expect(JSON.stringify(happened)).toContain('begun');
    expect(await call('task', { ends: 'ask' })).toBe('done [{"where":{"action":"accept","content":{"city":"Oslo"}}}]');
    expect(await call('task', { ends: 'fail' })).toContain('The MCP server era could not complete the call: no paper.');
    expect(await call('task', { ends: 'lose' })).toContain("can't be fetched any more");
  });

  test(`a task over ${over} is cancelled with its call`, async () => {
    const server = await eraServer(over, { era: 'modern' });
    const { call, happened } = await server.start();
    const interrupt = new AbortController();
    const calling = call('task', { ends: 'never' }, interrupt.signal);
    while (!JSON.stringify(happened).includes('look 2')) await new Promise(setImmediate);
    interrupt.abort(new Error('The person stopped it.'));
    await calling;
    const log: string[] = [];
    while (!log.includes('tasks/cancel')) log.push(...(await server.asked()));
  });
}

test('a remote server that changes its era in the middle of a task is connected again, and the task goes on', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { call } = await server.start();
  const task = call('task', { ends: 'later' });
  while (!(await server.asked()).includes('tasks/get')) await new Promise(setImmediate);
  // In the old era it would not know the task, so it must not be in it for longer than the client takes to connect.
  await server.become({ era: 'legacy', next: { era: 'modern', done: true } });
  expect(await task).toContain('done []');
  expect(await call('echo', { say: 'new' })).toBe('said new');
});

test('a task whose server names states that there are not ends with an unknown outcome', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { call } = await server.start();
  expect(await call('task', { ends: 'odd' })).toMatch(/outcome is unknown.*no state that a task can have/);
});

test('a new process that is slow to start is asked again with more time', async () => {
  const server = await eraServer('stdio', { era: 'modern', startMs: 3_100 });
  const env = { ...process.env, MCP_TIMEOUT: '6000' };
  expect(await server.start({ env })).toMatchObject({ state: 'connected', detail: '' });
});

test.each([
  ['is silent', 'silent', ['started', 'server/discover', 'initialize']],
  ['exits', 'exits', ['started', 'server/discover', 'started', 'initialize']],
])('an old process that %s at an unknown first request is connected', async (_, era, first) => {
  const server = await eraServer('stdio', { era });
  for (const asked of [first, ['started', 'initialize']]) {
    const { state, call, end } = await server.start(fast);
    expect(state).toBe('connected');
    expect(await startOf(server)).toEqual([...asked, 'notifications/initialized']);
    expect(await call('echo', { say: era })).toBe(`said ${era}`);
    await end();
    await server.asked();
  }
});

test('an old remote server that fails at an unknown first request is connected', async () => {
  const server = await eraServer('http', { era: 'fails' });
  const { state, call } = await server.start();
  expect(state).toBe('connected');
  expect(await call('echo', { say: 'x' })).toBe('said x');
});

test.each([
  ['modern', 'legacy'],
  ['legacy', 'modern'],
])('a remote server that was %s and is %s at the next call answers it', async (before, after) => {
  const server = await eraServer('http', { era: before });
  const { call } = await server.start();
  await server.become({ era: after });
  expect(await call('echo', { say: after })).toBe(`said ${after}`);
});

test('without a person a question is declined, and a server that insists ends its call', async () => {
  const server = await eraServer('stdio', { era: 'modern' });
  const { call } = await server.start();
  expect(await call('ask')).toContain('"action":"decline"');
  expect(await call('pester')).toContain("can't go on without input, and no person is here to give it");
});

test('questions without end, too many at once, and requests for the model end the call in words', async () => {
  const server = await eraServer('stdio', { era: 'modern' });
  const { call } = await server.start({ askUser: person });
  expect(await call('pester')).toContain('The MCP server era asked for input 11 times, so the call was ended.');
  expect(await call('flood')).toContain('The MCP server era asked 500 questions at once, so the call was ended.');
  expect(await call('sample')).toContain("wants to use Helve's model for this call, which Helve does not allow");
});

test('results of 2026-07-28 may hold any JSON, and one that breaks the protocol is not lost', async () => {
  const server = await eraServer('stdio', { era: 'modern' });
  const { call, tools } = await server.start();
  expect(await call('list')).toBe('[1,"two",null]');
  expect(await call('bare')).toBe('bare');
  expect(await call('odd')).toContain('a result of a kind that Helve does not know (hologram)');
  expect(tools()).toContain('echo'); // although another entry of the list has no name
});

test('lists and reads are used again for as long as the server says, and no longer than until the next call', async () => {
  const server = await eraServer('http', { era: 'modern', ttlMs: 3_600_000 });
  const { callTool, call } = await server.start();
  await server.asked();
  const read = { server: 'era', uri: 'note://1' };
  expect(await callTool('ReadMcpResource', read)).toContain('the note');
  expect(await callTool('ReadMcpResource', read)).toContain('the note');
  expect(await server.asked()).toEqual(['resources/read']);
  await call('echo', { say: 'x' });
  await callTool('ReadMcpResource', read);
  expect(await server.asked()).toEqual(['tools/call', 'resources/read']);
});

test('named parameters are sent as headers, with a new list if the server wants others', async () => {
  const server = await eraServer('http', { era: 'modern' });
  const { call, tools } = await server.start();
  await server.asked();
  expect(await call('route', { region: 'north' })).toBe('routed');
  await server.become({ era: 'modern', header: 'Place' });
  expect(await call('route', { region: 'süd' })).toContain('routed');
  expect((await server.asked()).filter((line) => line.startsWith('header'))).toEqual([
    'header north',
    'header undefined',
    'header =?base64?c8O8ZA==?=',
  ]);
  expect(tools()).not.toContain('unroutable');
});
