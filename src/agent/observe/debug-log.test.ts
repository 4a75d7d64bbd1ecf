import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../compose/create-agent.js';
import type { AgentEvent } from '../../contract/event.js';
import { type Model, type ModelEvent, ModelFailure } from '../../contract/model.js';
import { defineTool } from '../../contract/tool.js';
import { type ScriptedTurn, scriptedModel } from '../../models/scripted.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { createDebugLog } from './debug-log.js';
import { type Observer, observedEvents, observedHooks, observedModel } from './observe.js';

const brokenTool = defineTool({
  name: 'Broken',
  description: 'Breaks.',
  input: z.strictObject({}),
  effects: () => [],
  async execute(): Promise<string> {
    const inner = Object.assign(new Error('no such wire'), { code: 'ENOWIRE' });
    throw new Error('the machine is out of order', { cause: inner });
  },
  toModel: (words) => words,
});

async function logged(turns: readonly ScriptedTurn[], options: { secrets?: string[]; model?: Model } = {}) {
  const project = await temporaryProject({ 'a.txt': 'hello\n' });
  const observers: Observer[] = [];
  const model = options.model ?? scriptedModel({ name: 'script-1', turns: [...turns, { text: 'Done.' }] });
  const agent = createAgent({
    model: observedModel(model, observers),
    retries: { maxRetries: 1, baseMs: 0 },
    root: project.root,
    dataFolder: project.path('../helve'),
    tools: [brokenTool],
  });
  const problems: string[] = [];
  const path = project.path('../helve/logs/one.log');
  const onProblem = (sentence: string): void => void problems.push(sentence);
  const log = createDebugLog({ path, ownFolder: { keptFiles: 3 }, onProblem, secrets: options.secrets ?? [] });
  observers.push(log);
  await Array.fromAsync(observedEvents(agent.run('go'), observers));
  await agent.end();
  await log.close();
  return { text: await readFile(path, 'utf8'), path, problems };
}

test('each entry is a line with a time stamp, and further lines of the entry are indented', async () => {
  const { text } = await logged([{ calls: [{ name: 'Read', input: { file_path: 'a.txt' }, id: 'call_1' }] }]);
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((line) => !/^(\d{4}-\d\d-\d\dT[\d:.]+Z [a-z_]+ \S| {4})/.test(line))).toEqual([]);
  const events = lines.flatMap((line) => /^\S+Z ([a-z_]+) /.exec(line)?.[1] ?? []);
  expect(events).toEqual(
    expect.arrayContaining([
      'session_start',
      'turn_start',
      'request_start',
      'request_end',
      'tool_call',
      'permission_decision',
      'tool_start',
      'tool_result',
      'assistant_message',
      'turn_end',
      'result',
    ]),
  );
  expect(text).toMatch(
    /request_end #1 scripted\/script-1 \d+ ms \(first word after \d+ ms\), msg_script_1 of script-1, ok/,
  );
  expect(text).toMatch(/permission_decision call_1 Read allow: .*\n {4}\* allow reading .*a\.txt.*\(workspace\)/);
  expect(text).toMatch(/tool_result call_1 Read ok after \d+ ms, \d+ characters/);
});

test('a failed call is logged with its kind, the error with its stack, and the cause', async () => {
  const { text } = await logged([{ calls: [{ name: 'Broken', input: {}, id: 'call_1' }] }]);
  expect(text).toMatch(
    /tool_result call_1 Broken FAILED exception after \d+ ms\n {4}Error: the machine is out of order\n/,
  );
  expect(text).toMatch(/\n {8}at .*debug-log\.test\.ts/);
  expect(text).toMatch(/\n {4}caused by: Error: no such wire \[ENOWIRE\]\n/);
});

test.each([
  ['unknown_tool', { name: 'Nope', input: {} }],
  ['invalid_input', { name: 'Read', input: { file_path: 5 } }],
  ['check_refused', { name: 'Edit', input: { file_path: 'a.txt', old_string: 'hello', new_string: 'bye' } }],
  ['permission_denied', { name: 'Bash', input: { command: 'touch b' } }],
])('logs a failure of the kind %s', async (kind, call) => {
  const { text } = await logged([{ calls: [{ ...call, id: 'call_1' }] }]);
  expect(text).toMatch(new RegExp(`tool_result call_1 ${call.name} FAILED ${kind} `));
});

test('a failed request is logged with its kind, status and complete error', async () => {
  let asked = 0;
  const model: Model = {
    provider: 'test',
    name: 'busy',
    maxOutputTokens: 9,
    async *stream(): AsyncGenerator<ModelEvent> {
      asked += 1;
      if (asked === 1) {
        throw new ModelFailure('overloaded', 'Overloaded.', { status: 529, cause: new Error('the server said so') });
      }
      yield { type: 'block', block: { type: 'text', text: 'Hi.' } };
    },
  };
  const { text } = await logged([], { model });
  expect(text).toMatch(
    /request_end #1 test\/busy \d+ ms FAILED overloaded, status 529\n {4}ModelFailure: Overloaded\.\n/,
  );
  expect(text).toContain('    caused by: Error: the server said so\n');
  expect(text).toMatch(/model_retry 1 of 1, test\/busy in 0 ms: .*\(status 529\)/);
  expect(text).toContain('request_start #2 test/busy');
});

test('contains no secrets, recognized by their format or known by value', async () => {
  const key = `sk-ant-api03-${'Ab1'.repeat(30)}`;
  const long = `${'x'.repeat(990)} my-own-passphrase ${'y'.repeat(4000)}`;
  const calls = [key, 'curl -H my-own-passphrase', long].map((command) => ({ name: 'Bash', input: { command } }));
  const { text } = await logged([{ calls }], { secrets: ['my-own-passphrase'] });
  expect(text).not.toContain(key);
  expect(text).not.toContain('my-own-pass');
  expect(text).toContain('[redacted');
});

test('terminal control characters are escaped', async () => {
  const { text } = await logged([{ calls: [{ name: 'Bash', input: { command: 'echo \u009b31m' } }] }]);
  expect(text).toContain('\\u009b31m');
});

test('only the owner can read the file', async () => {
  const { path } = await logged([]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
});

const notice = (text: string): AgentEvent => ({ type: 'notice', text, at: 0 });

test('a full file is rotated, and the oldest is removed', async () => {
  const project = await temporaryProject();
  const path = project.path('debug.log');
  const log = createDebugLog({ path, maxBytes: 1000, onProblem: () => {} });
  for (let number = 0; number < 200; number += 1) log.take(notice(`line ${number} ${'.'.repeat(80)}`));
  await log.close();
  expect((await readdir(project.root)).toSorted()).toEqual(['debug.log', 'debug.log.1', 'debug.log.2']);
  for (const name of ['debug.log', 'debug.log.1', 'debug.log.2']) {
    expect((await stat(project.path(name))).size).toBeLessThanOrEqual(1000);
  }
  expect(await readFile(path, 'utf8')).toContain('line 199 ');
});

test('appends to an existing file', async () => {
  const project = await temporaryProject();
  const path = project.path('debug.log');
  for (const text of ['first', 'second']) {
    const log = createDebugLog({ path, onProblem: () => {} });
    log.take(notice(text));
    await log.close();
  }
  expect(await readFile(path, 'utf8')).toMatch(/notice first\n\S+ notice second\n$/);
});

test('only the newest logs of other sessions are kept', async () => {
  const project = await temporaryProject();
  const folder = project.path('logs');
  await mkdir(folder);
  for (const name of ['1.log', '2.log', '3.log', '3.log.1', 'mine.txt']) await writeFile(join(folder, name), name);
  const log = createDebugLog({ path: join(folder, 'new.log'), ownFolder: { keptFiles: 2 }, onProblem: () => {} });
  log.take(notice('x'));
  await log.close();
  const left = await readdir(folder);
  expect(left.filter((name) => name.includes('.log'))).toHaveLength(2);
  expect(left).toEqual(expect.arrayContaining(['new.log', 'mine.txt']));
});

test('a log that cannot be written is reported once, and the run continues', async () => {
  const project = await temporaryProject({ file: 'in the way' });
  const problems: string[] = [];
  const path = project.path('file/debug.log');
  const log = createDebugLog({ path, onProblem: (sentence) => problems.push(sentence) });
  for (const text of ['a', 'b', 'c']) log.take(notice(text));
  await log.close();
  expect(problems).toEqual([expect.stringMatching(/debug\.log can't be written \(.*ENOTDIR.*\)\. The work continues/)]);
});

test.runIf(process.platform === 'linux')('a full disk is said once', async () => {
  const problems: string[] = [];
  const log = createDebugLog({ path: '/dev/full', onProblem: (sentence) => problems.push(sentence) });
  for (const text of ['a', 'b', 'c']) log.take(notice(text));
  await log.close();
  expect(problems).toEqual([expect.stringContaining('ENOSPC')]);
});

test('hooks are logged with their answers and durations', async () => {
  const project = await temporaryProject();
  const path = project.path('debug.log');
  const log = createDebugLog({ path, onProblem: () => {} });
  const hooks = observedHooks(
    {
      has: () => true,
      notices: () => [],
      end: async () => {},
      run: async () => ({
        answers: [{ behavior: 'deny', reason: 'not on Sundays', name: 'calendar' }],
        behavior: 'deny',
        additionalContext: [],
        messages: [],
        reports: ['another hook failed'],
      }),
    },
    [log],
  );
  const payload = { tool_name: 'Read', tool_input: {}, tool_use_id: 'call_1' };
  await hooks.run('PreToolUse', payload, { signal: new AbortController().signal });
  await log.close();
  expect(await readFile(path, 'utf8')).toMatch(
    /hooks PreToolUse call_1 Read \d+ ms, deny\n {4}deny by calendar: not on Sundays\n {4}problem: another hook failed\n$/,
  );
});

test.skipIf(process.getuid?.() === 0)('a folder without permission is said once', async () => {
  const project = await temporaryProject();
  await mkdir(project.path('closed'));
  await chmod(project.path('closed'), 0o500);
  const problems: string[] = [];
  const log = createDebugLog({ path: project.path('closed/x.log'), onProblem: (sentence) => problems.push(sentence) });
  for (const text of ['a', 'b']) log.take(notice(text));
  expect(problems).toEqual([expect.stringContaining('EACCES')]);
});

test('the log file may be a link, and only regular files are rotated', async () => {
  const project = await temporaryProject({ 'real.log': '' });
  await symlink('real.log', project.path('link.log'));
  const linked = createDebugLog({ path: project.path('link.log'), onProblem: () => {} });
  linked.take(notice('hello'));
  await linked.close();
  expect(await project.text('real.log')).toContain('notice hello');

  const device = createDebugLog({ path: '/dev/null', maxBytes: 10, onProblem: () => {} });
  for (const text of ['a', 'b', 'c']) device.take(notice(text));
  await device.close();
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
});

test('events of a child agent are logged with its id', async () => {
  const { text } = await logged([
    { calls: [{ name: 'Task', input: { description: 'look', prompt: 'look around' }, id: 'call_1' }] },
    { calls: [{ name: 'Read', input: { file_path: 'a.txt' }, id: 'call_2' }] },
    { text: 'hello' },
  ]);
  expect(text).toMatch(/tool_call call_1 Task /);
  expect(text).toMatch(/tool_call agent (a[0-9a-f]{8}) \1_call_2 Read /);
  expect(text).toMatch(/ result agent a[0-9a-f]{8} completed after 2 turns/);
});
