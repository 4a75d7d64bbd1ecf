import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentHappening } from '../../contract/event.js';
import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from '../../contract/message.js';
import type { Decision } from '../../contract/permission.js';
import type { SeenFile } from '../../contract/tool-context.js';
import { protocolViolations } from '../../testing/protocol-violations.js';
import { addUsage, noUsage } from '../usage.js';
import { WatchedLedger } from '../watched-ledger.js';
import { interruptionNotes } from './interrupted-calls.js';
import { LARGE_CHARS } from './large-values.js';
import { readSession } from './read-session.js';
import { restoreSession } from './restore-session.js';
import { type ResumedSession, resumeSession } from './resume-session.js';
import { SessionStore } from './session-store.js';

const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const prices = { input: 1, output: 2 };
const text = (words: string): UserBlock & AssistantBlock => ({ type: 'text', text: words });

const reading: Decision = {
  behavior: 'allow',
  reason: '',
  trail: [{ about: 'x', effect: 0, behavior: 'allow', because: '', basis: 'workspace', decided: true }],
};
const writing: Decision = { behavior: 'allow', reason: '' };

interface TestSession {
  dataFolder: string;
  store: SessionStore;
  state: { cwd: string; mode: 'default' | 'plan' | 'bypassPermissions'; todos?: unknown };
  problems: string[];
  /** Emits the events of one turn, as the loop does. */
  turn(
    words: string,
    calls?: ReadonlyArray<{ id: string; input?: unknown; result?: ToolResultBlock['content'] }>,
  ): void;
  say(happening: AgentHappening): void;
  resume(options?: { fork?: boolean }): Promise<ResumedSession>;
}

async function newSession({ id = 'abc', root = tmpdir() } = {}): Promise<TestSession> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-sessions-'));
  const problems: string[] = [];
  const store = new SessionStore({
    dataFolder,
    id,
    root,
    model: 'm',
    prices,
    onProblem: (problem) => problems.push(problem),
  });
  const state: TestSession['state'] = { cwd: root, mode: 'default' };
  store.watch(state);
  await store.open();
  const say = (happening: AgentHappening): void => store.take(happening);
  return {
    dataFolder,
    store,
    state,
    problems,
    say,
    turn: (words, calls = []) => playTurn(say, words, calls),
    resume: (options = {}) => resumeSession({ dataFolder, id, root, model: 'm', prices, ...options }),
  };
}

function startCalls(say: TestSession['say'], calls: ReadonlyArray<{ id: string; input?: unknown }>): void {
  const display = { title: '' };
  for (const { id, input = {} } of calls) {
    say({ type: 'tool_call', callId: id, tool: 'Change', input, display });
    say({ type: 'permission_decision', callId: id, tool: 'Change', decision: writing });
    say({ type: 'tool_start', callId: id, tool: 'Change' });
  }
}

const playTurn = (
  say: TestSession['say'],
  words: string,
  calls: ReadonlyArray<{ id: string; input?: unknown; result?: ToolResultBlock['content'] }>,
): void => {
  say({ type: 'turn_start', turn: 1 });
  say({ type: 'text_delta', text: words });
  startCalls(say, calls);
  const results = calls.map(
    ({ id, result = `done ${id}` }): ToolResultBlock => ({ type: 'tool_result', tool_use_id: id, content: result }),
  );
  for (const result of results) {
    say({ type: 'tool_result', callId: result.tool_use_id, tool: 'Change', result, display: { title: '' } });
  }
  const content = [
    text(words),
    ...calls.map(({ id, input = {} }) => ({ type: 'tool_use', id, name: 'Change', input }) as const),
  ];
  say({ type: 'assistant_message', message: { role: 'assistant', content }, id: 'msg', model: 'm' });
  if (results.length > 0) say({ type: 'user_message', message: { role: 'user', content: results } });
  say({ type: 'turn_end', turn: 1, stopReason: 'end_turn', usage });
};

const violations = (messages: readonly Message[]): string[] =>
  messages.length === 0 ? [] : protocolViolations({ model: 'm', max_tokens: 1, messages });

const textsOf = (messages: readonly Message[]): unknown[] =>
  messages.map(({ content }) =>
    content.map((block) => ('text' in block ? block.text : 'content' in block ? block.content : block.type)),
  );

test('restores a conversation with directory, mode, todos, ledger, cost and title', async () => {
  const session = await newSession();
  const seen: SeenFile = { hash: 'h', size: 3, at: new Date(5), lines: [[1, 2]] };
  const kept = new Map<string, SeenFile>();
  const ledger = new WatchedLedger({
    get: (real) => kept.get(real),
    set: (real, one) => kept.set(real, one),
    forget: (real) => kept.delete(real),
  });
  ledger.listen((real, one) => session.store.saw(real, one));
  session.store.prompt([text('  Fix the bug\nplease')]);
  session.say({ type: 'session_start', sessionId: 'abc', cwd: '/', model: 'm', mode: 'default', tools: [] });
  session.turn('Looking', [{ id: 'a', input: { file: 'x' } }, { id: 'b' }]);
  ledger.set('/x', { ...seen, bytes: Buffer.from('abc') });
  session.state.mode = 'plan';
  session.state.cwd = tmpdir();
  session.state.todos = [{ content: 'one', status: 'pending' }];
  session.turn('Done');
  await session.store.close();

  const { restored, store } = await session.resume();
  expect(restored.messages).toEqual([
    { role: 'user', content: [text('  Fix the bug\nplease')] },
    {
      role: 'assistant',
      content: [
        text('Looking'),
        { type: 'tool_use', id: 'a', name: 'Change', input: { file: 'x' } },
        { type: 'tool_use', id: 'b', name: 'Change', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'done a' },
        { type: 'tool_result', tool_use_id: 'b', content: 'done b' },
      ],
    },
    { role: 'assistant', content: [text('Done')] },
  ]);
  expect(restored).toMatchObject({
    title: 'Fix the bug',
    cwd: tmpdir(),
    mode: 'plan',
    todos: session.state.todos,
    totals: { turns: 2, usage: { input_tokens: 20, output_tokens: 10 }, costUsd: (2 * (10 + 2 * 5)) / 1e6 },
    callIds: ['a', 'b'],
    damaged: [],
    notes: [],
  });
  expect([...restored.ledger]).toEqual([['/x', seen]]);
  expect(ledger.get('/x')).toMatchObject(seen);
  await store.close();
  expect(session.problems).toEqual([]);
});

test('only the owner can read its folders and files', async () => {
  const session = await newSession();
  session.store.prompt([text('x'.repeat(LARGE_CHARS + 1))]);
  await session.store.flushed();
  const modes = (path: string): number => statSync(path).mode & 0o777;
  const { path, file, results, lock } = session.store.folder;
  const [large = ''] = readdirSync(results);
  expect([path, results].map(modes)).toEqual([0o700, 0o700]);
  expect([file, lock, join(results, large)].map(modes)).toEqual([0o600, 0o600, 0o600]);
  await session.store.close();

  chmodSync(path, 0o755);
  chmodSync(file, 0o644);
  await (await session.resume()).store.close();
  expect([path, file].map(modes)).toEqual([0o700, 0o600]);
});

test('does not follow a link in place of the session folder, and the conversation continues', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'helve-sessions-'));
  const elsewhere = await mkdtemp(join(tmpdir(), 'helve-elsewhere-'));
  mkdirSync(join(dataFolder, 'sessions'));
  symlinkSync(elsewhere, join(dataFolder, 'sessions', 'abc'));
  const problems: string[] = [];
  const store = new SessionStore({
    dataFolder,
    id: 'abc',
    root: '/',
    model: 'm',
    onProblem: (one) => problems.push(one),
  });
  await store.open();
  store.prompt([text('hello')]);
  await store.close();
  expect(problems).toEqual([
    expect.stringContaining('is not a folder that you own, so nothing private can be kept there'),
  ]);
  expect(store.lost).toBe(1);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('a session without a prompt leaves no files', async () => {
  const session = await newSession();
  await session.store.close();
  expect(readdirSync(join(session.dataFolder, 'sessions'))).toEqual([]);
});

test('a prompt is in the file at once, and a call that may change something before it starts', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  expect(readFileSync(session.store.folder.file, 'utf8')).toContain('"go"');
  session.say({ type: 'turn_start', turn: 1 });
  startCalls(session.say, [{ id: 'a', input: { file: 'x' } }]);
  const written = readFileSync(session.store.folder.file, 'utf8');
  expect(written).toContain('"content":[{"type":"tool_use","id":"a","name":"Change","input":{"file":"x"}}]');
  expect(written).toContain('{"type":"call","id":"a","tool":"Change"');
  await session.store.close();
});

test('writes a read-only call only once it has its result', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  const before = readFileSync(session.store.folder.file, 'utf8');
  session.say({ type: 'turn_start', turn: 1 });
  session.say({ type: 'tool_call', callId: 'a', tool: 'Look', input: {}, display: { title: '' } });
  session.say({ type: 'permission_decision', callId: 'a', tool: 'Look', decision: reading });
  session.say({ type: 'tool_start', callId: 'a', tool: 'Look' });
  expect(readFileSync(session.store.folder.file, 'utf8')).toBe(before);
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: 'a', content: 'found' };
  session.say({ type: 'tool_result', callId: 'a', tool: 'Look', result, display: { title: '' } });
  expect(restoreSession(readSession(session.store.folder)).messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Look', input: {} }] },
    { role: 'user', content: [result] },
  ]);
  await session.store.close();
});

test('calls that were running when the program ended are answered as interrupted, and known results are kept', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say({ type: 'turn_start', turn: 1 });
  session.say({ type: 'text_delta', text: 'First a, then b.' });
  startCalls(session.say, [{ id: 'a', input: { file: 'x' } }]);
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: 'a', content: 'changed x' };
  session.say({ type: 'tool_result', callId: 'a', tool: 'Change', result, display: { title: '' } });
  startCalls(session.say, [{ id: 'b' }]);

  const restored = restoreSession(readSession(session.store.folder));
  expect(restored.messages).toEqual([
    { role: 'user', content: [text('go')] },
    {
      role: 'assistant',
      content: [
        text('First a, then b.'),
        { type: 'tool_use', id: 'a', name: 'Change', input: { file: 'x' } },
        { type: 'tool_use', id: 'b', name: 'Change', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        result,
        {
          type: 'tool_result',
          tool_use_id: 'b',
          content: 'Change was interrupted when the program ended; its outcome is unknown. Check before you repeat it.',
          is_error: true,
        },
      ],
    },
  ]);
  expect(restored.interrupted).toEqual([{ id: 'b', tool: 'Change', input: {} }]);
  expect(restored.totals.runs).toMatchObject({ prompts: 1, killed: 1 });
  expect(restored.failures.get('b')).toEqual({
    kind: 'interrupted',
    problem: 'Helve was ended while this ran; it may or may not have taken effect: check, or ask the model to check',
  });
  expect(interruptionNotes(restored.interrupted)).toEqual([
    'Helve was ended while a call ran (Change). It may or may not have taken effect: check, or ask the model to check. The model knows about it.',
  ]);
  await session.store.close();
});

test('describes interrupted calls in text if the answer had begun with thinking', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say({ type: 'turn_start', turn: 1 });
  session.say({ type: 'thinking_delta', text: 'hm' });
  startCalls(session.say, [{ id: 'a', input: { file: 'x' } }]);
  const { messages } = restoreSession(readSession(session.store.folder));
  expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
  expect(textsOf(messages)[1]).toEqual([
    expect.stringMatching(/^\[The program ended in .*\n\nChange {"file":"x"}\nChange was interrupted/s),
  ]);
  await session.store.close();
});

test('keeps calls as blocks if thinking began after them', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say({ type: 'turn_start', turn: 1 });
  const [first, second] = ['one', 'two'].map((thinking) => ({ type: 'thinking', thinking, signature: 's' }) as const);
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Change', input: {} }) as const;
  const settle = (id: string): ToolResultBlock => {
    const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content: `done ${id}` };
    session.say({ type: 'tool_result', callId: id, tool: 'Change', result, display: { title: '' } });
    return result;
  };
  const results: ToolResultBlock[] = [];
  for (const [thinking, id] of [
    [first, 'a'],
    [second, 'b'],
  ] as const) {
    session.say({ type: 'thinking_delta', text: 'hm' });
    if (thinking) session.store.block(thinking);
    session.say({ type: 'tool_call', callId: id, tool: 'Change', input: {}, display: { title: '' } });
  }
  session.say({ type: 'thinking_delta', text: 'and now' });
  session.say({ type: 'tool_start', callId: 'a', tool: 'Change' });
  results.push(settle('a'));
  session.say({ type: 'tool_start', callId: 'b', tool: 'Change' });
  results.push(settle('b'));
  expect(restoreSession(readSession(session.store.folder)).messages.slice(1)).toEqual([
    { role: 'assistant', content: [first, call('a'), second, call('b')] },
    { role: 'user', content: results },
  ]);
  await session.store.close();
});

test('an answer is in the file once it is complete, and each result once it is settled, in the order of the calls', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say({ type: 'turn_start', turn: 1 });
  session.say({ type: 'thinking_delta', text: 'hm' });
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' } as const;
  session.store.block(thinking);
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Change', input: { id } }) as const;
  const settle = (id: string): ToolResultBlock => {
    const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content: `done ${id}` };
    session.say({ type: 'tool_result', callId: id, tool: 'Change', result, display: { title: '' } });
    return result;
  };
  const answersInFile = () => restoreSession(readSession(session.store.folder)).messages.slice(1);
  session.say({ type: 'tool_call', callId: 'a', tool: 'Change', input: { id: 'a' }, display: { title: '' } });
  session.say({ type: 'tool_call', callId: 'b', tool: 'Change', input: { id: 'b' }, display: { title: '' } });
  session.say({ type: 'tool_call', callId: 'c', tool: 'Change', input: { id: 'c' }, display: { title: '' } });
  session.say({ type: 'tool_start', callId: 'b', tool: 'Change' });
  const b = settle('b');
  session.say({ type: 'tool_start', callId: 'a', tool: 'Change' });
  const lost = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content, is_error: true });
  const [interrupted, notBegun] = [
    expect.stringContaining('its outcome is unknown'),
    expect.stringContaining('most likely did not run'),
  ];
  const asked = { role: 'assistant', content: [thinking, call('a'), call('b'), call('c')] } as const;
  const { failures } = restoreSession(readSession(session.store.folder));
  expect(failures.get('c')?.problem).toBe('no result: Helve was ended before this could change anything');
  const underWay = [asked, { role: 'user', content: [lost('a', interrupted), b, lost('c', notBegun)] }];
  expect(answersInFile()).toEqual(underWay);

  const message = { role: 'assistant', content: [...asked.content, text('And now?')] } as const;
  session.store.answered(message, { id: 'msg', model: 'm' });
  expect(answersInFile()).toEqual([message, underWay[1]]);
  const a = settle('a');
  session.say({ type: 'tool_start', callId: 'c', tool: 'Change' });
  expect(answersInFile()).toEqual([message, { role: 'user', content: [a, b, lost('c', interrupted)] }]);
  const results = [a, b, settle('c')];
  session.say({ type: 'assistant_message', message, id: 'msg', model: 'm' });
  session.say({ type: 'user_message', message: { role: 'user', content: results } });
  session.say({ type: 'turn_end', turn: 1, stopReason: 'end_turn', usage });
  await session.store.close();
  expect(answersInFile()).toEqual([message, { role: 'user', content: results }]);
});

test('drops the calls of a withdrawn answer', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say({ type: 'turn_start', turn: 1 });
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: 'a', content: 'not run', is_error: true };
  session.say({ type: 'tool_result', callId: 'a', tool: 'Change', result, display: { title: '' } });
  session.say({ type: 'turn_end', turn: 1, stopReason: 'refusal', usage });
  await session.store.close();
  const { restored, store } = await session.resume();
  expect(textsOf(restored.messages)).toEqual([['go']]);
  await store.close();
});

test('resuming a session a second time gives the same history', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say({ type: 'turn_start', turn: 1 });
  startCalls(session.say, [{ id: 'a' }]);
  await session.store.close();
  appendFileSync(session.store.folder.file, '{"type":"us');

  const first = await session.resume();
  expect(first.restored.notes).toHaveLength(1);
  expect(interruptionNotes(first.restored.interrupted)).toHaveLength(1);
  expect(first.restored.damaged).toEqual([5]);
  first.store.prompt([text('and now?')]);
  playTurn((happening) => first.store.take(happening), 'Better', []);
  await first.store.close();

  const second = await session.resume();
  expect(second.restored.messages.slice(0, 3)).toEqual(first.restored.messages);
  expect(textsOf(second.restored.messages).slice(3)).toEqual([['and now?'], ['Better']]);
  expect(second.restored.damaged).toEqual([5]);
  expect([...second.restored.notes, ...second.restored.interrupted]).toEqual([]); // they were reported the first time
  await second.store.close();
});

test('does not restore a mode that allows more than the default, unless it is chosen again, and reports that', async () => {
  const session = await newSession();
  session.state.mode = 'bypassPermissions';
  session.store.prompt([text('go')]);
  session.turn('Done');
  await session.store.close();
  const { restored, store } = await session.resume();
  expect(restored.mode).toBe('default');
  expect(restored.notes).toEqual(['The mode "bypass permissions" is not restored. Choose it again if you want it.']);
  await store.close();
  const chosen = restoreSession(readSession(session.store.folder), { mode: 'bypassPermissions' });
  expect({ mode: chosen.mode, notes: chosen.notes }).toEqual({ mode: 'bypassPermissions', notes: [] });
});

test('starts in the root if the directory no longer exists, and reports that', async () => {
  const session = await newSession();
  const gone = await mkdtemp(join(tmpdir(), 'helve-gone-'));
  session.state.cwd = gone;
  session.store.prompt([text('go')]);
  session.turn('Done');
  await session.store.close();
  await rm(gone, { recursive: true });
  const { restored, store } = await session.resume();
  expect(restored.cwd).toBe(tmpdir());
  expect(restored.notes).toEqual([`The folder ${gone} is gone, so commands start in ${tmpdir()} again.`]);
  await store.close();
});

test('stores large texts and images in separate files, once each, and restores them', async () => {
  const session = await newSession();
  const data = 'A'.repeat(LARGE_CHARS * 2);
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
  const tricky = { $large: 'not a hash' };
  session.store.prompt([text('look'), image]);
  session.turn('Done', [{ id: 'a', input: { tricky, data }, result: [image] }]);
  await session.store.close();
  expect(readdirSync(session.store.folder.results)).toHaveLength(1);
  expect(statSync(session.store.folder.file).size).toBeLessThan(5_000);

  const { restored, store } = await session.resume();
  expect(restored.messages).toEqual([
    { role: 'user', content: [text('look'), image] },
    {
      role: 'assistant',
      content: [text('Done'), { type: 'tool_use', id: 'a', name: 'Change', input: { tricky, data } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] },
  ]);
  await store.close();
});

test('marks a large text that is lost, and keeps the rest', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.turn('Done', [{ id: 'a', result: 'x'.repeat(LARGE_CHARS + 1) }]);
  await session.store.close();
  const [name = ''] = readdirSync(session.store.folder.results);
  await truncate(join(session.store.folder.results, name), 10);
  const { messages } = restoreSession(readSession(session.store.folder));
  expect(textsOf(messages)).toEqual([['go'], ['Done', 'tool_use'], [expect.stringContaining('missing or damaged')]]);
});

test('continues from the summary after a compaction, and still has the whole conversation for display', async () => {
  const session = await newSession();
  session.store.prompt([text('one')]);
  session.turn('first');
  session.store.prompt([text('two')]);
  session.turn('second');
  session.store.compacted([text('What was said before: one.')], 2);
  session.store.prompt([text('three')]);
  await session.store.close();
  const { folder } = session.store;
  expect(textsOf(restoreSession(readSession(folder)).messages)).toEqual([
    ['What was said before: one.'],
    ['two'],
    ['second'],
    ['three'],
  ]);
  expect(textsOf(restoreSession(readSession(folder), { whole: true }).messages)).toHaveLength(5);
});

test('restores cleared results and forgotten files, including files seen but not written yet', async () => {
  const session = await newSession();
  const seen: SeenFile = { hash: 'h', size: 3, at: new Date(5), lines: 'all' };
  session.store.prompt([text('go')]);
  session.store.saw('/old', seen);
  session.store.saw('/kept', seen);
  session.turn('Looking', [{ id: 'a', result: 'long' }, { id: 'b' }]);
  session.store.saw('/new', seen);
  session.store.forgot(['/old', '/new']);
  session.store.cleared(new Map(Object.entries({ a: '[cleared]', unknown: 'x' })));
  session.turn('Done', [{ id: 'c' }]);
  await session.store.close();
  const { folder } = session.store;
  const { messages, ledger } = restoreSession(readSession(folder));
  expect(textsOf(messages)).toEqual([
    ['go'],
    ['Looking', 'tool_use', 'tool_use'],
    ['[cleared]', 'done b'],
    ['Done', 'tool_use'],
    ['done c'],
  ]);
  expect([...ledger.keys()]).toEqual(['/kept']);
  expect(JSON.stringify(restoreSession(readSession(folder), { whole: true }).messages)).toContain('long');
});

test('a resumed session knows its prompts, its models and its time so far, and adds to them', async () => {
  /** `costUsd`: of this process, with requests that belong to no turn, such as those of a judge. */
  const result = (tokens: number, costUsd: number) => ({
    type: 'result' as const,
    outcome: 'completed' as const,
    text: 'Done',
    turns: 1,
    stopReason: 'end_turn' as const,
    usage: noUsage,
    costUsd: 1,
    models: [{ provider: 'test', name: 'a', usage: { ...noUsage, input_tokens: tokens }, costUsd }],
    modelMs: 10,
    totalMs: 20,
    denials: [],
  });
  const start = {
    type: 'session_start' as const,
    sessionId: 'abc',
    cwd: '/',
    model: 'm',
    mode: 'default' as const,
    tools: [],
  };
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.say(start);
  session.say(result(5, 1));
  session.say(start);
  session.say(result(8, 2.5)); // with the tokens and the cost of the prompt before
  await session.store.close();

  const { restored, store } = await session.resume();
  expect(restored.totals).toMatchObject({
    costUsd: 2.5,
    runs: { prompts: 2, models: [{ name: 'a', usage: { input_tokens: 8 } }], modelMs: 20, totalMs: 40 },
  });
  store.take(start);
  store.take(result(3, 1));
  expect(store.totals).toMatchObject({
    costUsd: 3.5,
    runs: { prompts: 3, models: [{ name: 'a', usage: { input_tokens: 11 }, costUsd: 3.5 }], modelMs: 30 },
  });
  await store.close();
});

test('includes the cost of the summary', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.turn('Done');
  const before = session.store.totals;
  const facts = { tokensBefore: 2, tokensAfter: 1, clearedResults: 0, summarisedMessages: 1 };
  session.say({ type: 'compaction', trigger: 'manual', ...facts, usage });
  expect(session.store.totals).toEqual({
    turns: before.turns,
    usage: addUsage(before.usage, usage),
    costUsd: (before.costUsd ?? 0) * 2,
  });
  await session.store.close();
});

test('a session in use cannot be resumed by a second process, but can be forked from its last complete turn', async () => {
  const session = await newSession();
  const large = 'y'.repeat(LARGE_CHARS + 1);
  session.store.prompt([text('go')]);
  session.turn('Done', [{ id: 'a', result: large }]);
  await session.store.flushed();
  session.store.prompt([text('more')]);
  session.say({ type: 'turn_start', turn: 1 });
  startCalls(session.say, [{ id: 'b' }]);

  await expect(session.resume()).rejects.toThrow(
    /^The session abc is open in this process already, since .* Go on there, or close it there first\.$/,
  );
  const fork = await session.resume({ fork: true });
  expect(fork.id).not.toBe('abc');
  expect(fork.restored.header).toMatchObject({ id: fork.id, fork: { id: 'abc' }, root: tmpdir(), title: 'go' });
  expect(textsOf(fork.restored.messages)).toEqual([['go'], ['Done', 'tool_use'], [large]]);
  expect([...fork.restored.notes, ...fork.restored.interrupted]).toEqual([]);

  await session.store.close();
  await rm(session.store.folder.path, { recursive: true });
  fork.store.prompt([text('on my own')]);
  await fork.store.close();
  const { messages } = restoreSession(readSession(fork.store.folder));
  expect(textsOf(messages)).toEqual([['go'], ['Done', 'tool_use'], [large], ['on my own']]);
});

test('reports an unknown session, and rejects ids with path segments', async () => {
  const session = await newSession();
  const resume = (id: string) => resumeSession({ dataFolder: session.dataFolder, id, root: '/', model: 'm' });
  await expect(resume('nope')).rejects.toThrow('There is no session nope. helve sessions list --all shows');
  await expect(resume('../../etc')).rejects.toThrow('"../../etc" is not the id of a session.');
  await session.store.close();
});

test('does not change a session of a later format', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  await session.store.close();
  const { file } = session.store.folder;
  await writeFile(file, (await readFile(file, 'utf8')).replace('"v":1', '"v":2'));
  await expect(session.resume()).rejects.toThrow(
    'in format 2 by a later version of Helve; this one reads up to format 1.',
  );
});

test('skips record types of later versions', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  await session.store.close();
  appendFileSync(session.store.folder.file, '{"type":"weather","at":1,"sunny":true}\n');
  const restored = restoreSession(readSession(session.store.folder));
  expect(restored.damaged).toEqual([]);
  expect(textsOf(restored.messages)).toEqual([['go']]);
});

test('loses only the part that cannot be serialized, and reports that once', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  session.state.todos = { count: 1n };
  session.turn('Done');
  session.turn('More');
  await session.store.close();
  expect(session.problems).toEqual([
    expect.stringMatching(/^A part of the session \(todos\) can't be written as JSON: .*BigInt/),
  ]);
  expect(session.store.lost).toBe(1);
  expect(textsOf(restoreSession(readSession(session.store.folder)).messages)).toEqual([['go'], ['Done'], ['More']]);
});

test('stops writing, and reports that, when the session is removed meanwhile', async () => {
  const session = await newSession();
  session.store.prompt([text('go')]);
  await rm(session.store.folder.path, { recursive: true });
  session.turn('Done');
  await session.store.flushed();
  expect(session.problems).toEqual([expect.stringContaining('The session abc was removed, or another process')]);
  session.store.prompt([text('on')]);
  expect(session.store.lost).toBe(1);
  await session.store.close();
});

/** Three runs with calls, one of them interrupted by a crash and resumed; some values are in separate files. */
async function longSession(): Promise<TestSession> {
  const session = await newSession();
  session.store.prompt([text('one — “ünïcode” 👍')]);
  session.turn('A', [{ id: 'a' }, { id: 'b', input: { text: 'x\ny' } }]);
  session.turn('B', [{ id: 'c', result: [text('blocks')] as [{ type: 'text'; text: string }] }]);
  session.turn('C');
  await session.store.flushed();
  session.store.prompt([text('two')]);
  session.say({ type: 'turn_start', turn: 1 });
  startCalls(session.say, [{ id: 'd' }, { id: 'e' }]);
  await session.store.close();
  const { store } = await session.resume();
  store.prompt([text('three')]);
  playTurn((happening) => store.take(happening), 'D', [{ id: 'f' }]);
  playTurn((happening) => store.take(happening), 'E', []);
  await store.close();
  return session;
}

test('a file that is cut at any byte gives a valid history with all complete turns', async () => {
  const session = await longSession();
  const { folder } = session.store;
  const whole = await readFile(folder.file);
  const lines = [...readSession(folder)];
  for (let size = whole.length; size >= 0; size -= 1) {
    await truncate(folder.file, size);
    const restored = restoreSession(readSession(folder));
    const turns = lines.filter(({ line, end }) => line?.type === 'turn' && end - 1 <= size).length;
    expect(violations(restored.messages)).toEqual([]);
    expect(restored.totals.turns).toBe(turns);
    const said = restored.messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
    expect(
      ['A', 'B', 'C', 'D', 'E'].filter((words) => said.some((block) => 'text' in block && block.text === words)).length,
    ).toBeGreaterThanOrEqual(turns);
    expect(restored.damaged.length).toBeLessThanOrEqual(1);
  }
});

test('a file with any bytes overwritten gives a valid history, and only the damaged lines are reported and lost', async () => {
  const session = await longSession();
  const { folder } = session.store;
  const whole = await readFile(folder.file);
  const count = [...readSession(folder)].length;
  const afterVersion = '{"type":"session","v":1'.length; // another number there would mean another format
  const damage = fc.array(
    fc.tuple(fc.integer({ min: afterVersion, max: whole.length - 1 }), fc.uint8Array({ minLength: 1, maxLength: 40 })),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  await fc.assert(
    fc.asyncProperty(damage, async (places) => {
      const bytes = Buffer.from(whole);
      for (const [at, written] of places) bytes.set(written.subarray(0, bytes.length - at), at);
      await writeFile(folder.file, bytes);
      const read = [...readSession(folder)];
      const restored = restoreSession(read);
      const broken = read.filter(({ line }) => !line).map(({ number }) => number);
      expect(restored.damaged).toEqual(broken);
      expect(
        violations(restored.messages).filter(
          (one) => !/tool_use.*name|name: must match|text blocks|source|signature/.test(one),
        ),
      ).toEqual([]);
      // Overwritten bytes damage only the lines that they are in; a line break among them adds lines.
      const touched = places.reduce((sum, [, written]) => sum + 2 + written.filter((byte) => byte === 0x0a).length, 0);
      const lost = places.reduce((sum, [, written]) => sum + written.length, 0);
      expect(read.filter(({ line }) => line).length).toBeGreaterThanOrEqual(
        count - Math.min(touched, lost) - places.length,
      );
    }),
    { numRuns: 300 },
  );
});

test('a file with any line removed gives a valid history with the content of all other lines', async () => {
  const session = await longSession();
  const { folder } = session.store;
  const lines = (await readFile(folder.file, 'utf8')).trimEnd().split('\n');
  for (const [index] of lines.entries()) {
    await writeFile(folder.file, `${lines.toSpliced(index, 1, 'x').join('\n')}\n`);
    const restored = restoreSession(readSession(folder));
    expect(restored.damaged).toEqual([index + 1]);
    expect(violations(restored.messages)).toEqual([]);
    for (const words of ['one', 'two', 'three', 'A', 'B', 'C', 'D', 'E']) {
      const own = lines.filter((line) => /^{"type":"(user|assistant)"/.test(line) && line.includes(`"text":"${words}`));
      if (own[0] === lines[index]) continue;
      expect(JSON.stringify(restored.messages)).toContain(`"text":"${words}`);
    }
  }
});
