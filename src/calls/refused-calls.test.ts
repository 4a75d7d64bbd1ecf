import { expect, onTestFinished, test } from 'vitest';
import type { AgentHappening, ToolResultEvent } from '../contract/event.js';
import type { PermissionAnswer } from '../contract/permission.js';
import type { ToolDisplay } from '../contract/tool.js';
import { temporaryProject } from '../testing/temporary-project.js';
import { RefusedCalls } from './refused-calls.js';
import { runCall } from './run-call.js';

interface Message {
  calls: ReadonlyArray<{ name: string; input: Record<string, unknown> }>;
  answers: readonly PermissionAnswer[];
  /** They are there, and have been read. */
  files?: Readonly<Record<string, string>>;
  settings?: Parameters<typeof temporaryProject>[1];
}

/** Runs the calls of one message, and gives their results in order and the tools that were asked about. */
async function send({ calls, answers, files = {}, settings }: Message) {
  const left = [...answers];
  const asked: string[] = [];
  const shown: ToolDisplay[] = [];
  const project = await temporaryProject(
    { 'a.txt': 'one\n', 'b.txt': 'two\n', ...files },
    {
      permissionMode: 'default',
      async askPermission({ tool, display }) {
        asked.push(`${tool} ${display.title}`);
        shown.push(display);
        return left.shift() ?? { behavior: 'allow' };
      },
      ...settings,
    },
  );
  onTestFinished(() => project.remove());
  const reads = Object.keys(files).map((file_path) => ({ id: file_path, name: 'Read', input: { file_path } }));
  await project.engine.callTools(reads);
  const events: AgentHappening[] = [];
  const environment = { ...project.engine.environment((event) => events.push(event)), refused: new RefusedCalls() };
  const { signal } = new AbortController();
  await Promise.all(calls.map((call, index) => runCall({ id: `call_${index}`, ...call }, environment, signal)));
  const results = calls.map((_, index) =>
    events.find((event): event is ToolResultEvent => event.type === 'tool_result' && event.callId === `call_${index}`),
  );
  return { results, asked, shown };
}

const write = (file_path: string) => ({ name: 'Write', input: { file_path, content: 'x\n' } });
const bash = (command: string) => ({ name: 'Bash', input: { command } });

test('a call that conflicts with a refused call before it is not run and not asked about', async () => {
  const { results, asked } = await send({
    calls: [write('new.txt'), bash('touch tested')],
    answers: [{ behavior: 'deny' }],
  });
  expect(asked).toEqual(['Write new.txt']);
  const words = 'Not run, because Write new.txt was refused.';
  expect(results[1]).toMatchObject({
    failure: 'permission_denied',
    problem: words,
    result: { content: words, is_error: true },
  });
});

test('the result of a refused edit shows the change that was asked about', async () => {
  const { results, shown } = await send({
    calls: [
      {
        name: 'Edit',
        input: { file_path: 'lines.txt', old_string: 'line 20 of the file', new_string: 'another line' },
      },
    ],
    answers: [{ behavior: 'deny' }],
    files: { 'lines.txt': Array.from({ length: 30 }, (_, index) => `line ${index + 1} of the file\n`).join('') },
  });
  const [question] = shown;
  expect(question?.body).toMatchObject({ type: 'diff', patch: expect.stringContaining('@@ -17,7 +17,7 @@') });
  expect(results[0]?.display.body).toEqual(question?.body);
});

test('a question that is left unanswered says so, and calls that conflict with its call are not run', async () => {
  const { results } = await send({
    calls: [write('new.txt'), bash('touch tested')],
    answers: [{ behavior: 'deny', reason: 'the client did not answer within 2 s', isUnanswered: true }],
  });
  expect(results.map((result) => result?.problem)).toEqual([
    'Not run: the client did not answer within 2 s.',
    'Not run, because Write new.txt was not allowed.',
  ]);
  expect(results[0]?.result.content).toMatch(/^Write was not run: the client did not answer within 2 s\. /);
});

test('a call that does not conflict with the refused one still runs', async () => {
  const { results, asked } = await send({
    calls: [write('new.txt'), write('other.txt'), { name: 'Read', input: { file_path: 'a.txt' } }],
    answers: [{ behavior: 'deny', reason: 'not this one' }, { behavior: 'allow' }],
  });
  expect(asked).toEqual(['Write new.txt', 'Write other.txt']);
  expect(results.map((result) => result?.failure)).toEqual(['permission_denied', undefined, undefined]);
});

test('a call before the refused one is not affected', async () => {
  const { results } = await send({
    calls: [bash('touch first'), write('new.txt')],
    answers: [{ behavior: 'allow' }, { behavior: 'deny' }],
  });
  expect(results.map((result) => result?.failure)).toEqual([undefined, 'permission_denied']);
});

test('a call that a rule denies does not stop the calls behind it', async () => {
  const { results } = await send({
    calls: [write('new.txt'), bash('touch tested')],
    answers: [{ behavior: 'allow' }],
    settings: { permissions: { deny: ['Write(new.txt)'] } },
  });
  expect(results.map((result) => result?.failure)).toEqual(['permission_denied', undefined]);
});

test('a refused command stops no call that only reads, unless the command names what that reads', async () => {
  const { results } = await send({
    calls: [bash('make all; touch a.txt'), { name: 'Read', input: { file_path: 'a.txt' } }, bash('make all')],
    answers: [{ behavior: 'deny' }],
  });
  expect(results.map((result) => result?.failure)).toEqual([
    'permission_denied',
    'permission_denied',
    'permission_denied',
  ]);
  const other = await send({
    calls: [bash('make all'), { name: 'Read', input: { file_path: 'a.txt' } }],
    answers: [{ behavior: 'deny' }],
  });
  expect(other.results.map((result) => result?.failure)).toEqual(['permission_denied', undefined]);
});
