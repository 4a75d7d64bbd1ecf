// Work beside the conversation, as hosts of the Agent SDK see it.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fileAppears } from '../cli/run-helve.js';
import { type Fields, load, messagesOf, ofKind, Prompts, place, run, sdkTest, until } from './agent-sdk.js';

const done = { text: 'Done.' };
const bash = (input: Fields) => ({ calls: [{ name: 'Bash', id: 'toolu_b', input }] });
const allowed = { allowedTools: ['Bash'], permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

sdkTest('a command in the background is a task, with its output, its end and its id as data', {}, async () => {
  const command = 'echo begun; until [ -e end ]; do sleep 0.1; done; echo over';
  const at = await place([bash({ command, description: 'Wait for it', run_in_background: true }), done]);
  const { query } = await load();
  const prompts = new Prompts();
  const q = query({ prompt: prompts, options: { ...at.options, ...allowed } });
  prompts.send('go');
  const started = await until(q, 'task_started');
  const { task_id: taskId } = started;
  expect(started).toMatchObject({
    tool_use_id: 'toolu_b',
    description: 'Wait for it',
    task_type: 'local_bash',
    is_backgrounded: true,
  });
  expect(await until(q, 'background_tasks_changed')).toMatchObject({
    tasks: [{ task_id: taskId, task_type: 'local_bash', description: 'Wait for it' }],
  });
  expect(await until(q, 'user')).toMatchObject({ tool_use_result: { backgroundTaskId: taskId } });
  await until(q, 'result');
  await writeFile(join(at.cwd, 'end'), '');
  expect(await until(q, 'task_updated')).toMatchObject({ task_id: taskId, patch: { status: 'completed' } });
  expect(await until(q, 'task_notification')).toMatchObject({
    task_id: taskId,
    tool_use_id: 'toolu_b',
    status: 'completed',
    summary: expect.stringContaining('exit code 0'),
    output_file: expect.any(String),
  });
  expect(await until(q, 'background_tasks_changed')).toMatchObject({ tasks: [] });
  prompts.end();
  await messagesOf(q);
});

sdkTest('a host moves the command that it names to the background, and stops it there', {}, async () => {
  const at = await place([bash({ command: 'touch begun; sleep 600' }), done]);
  const { query } = await load();
  const prompts = new Prompts();
  const q = query({ prompt: prompts, options: { ...at.options, ...allowed } });
  prompts.send('go');
  await until(q, 'assistant');
  await fileAppears(at.cwd, 'begun');
  expect(await q['backgroundTasks']('toolu_other')).toBe(false);
  expect(await q['backgroundTasks']('toolu_b')).toBe(true);
  const { task_id: taskId } = await until(q, 'task_started');
  expect(await until(q, 'user')).toMatchObject({ tool_use_result: { backgroundTaskId: taskId } });
  await until(q, 'result');
  await q['stopTask'](taskId);
  expect(await until(q, 'task_notification')).toMatchObject({ task_id: taskId, status: 'stopped' });
  prompts.end();
  await messagesOf(q);
});

sdkTest('a child agent is named by the description of its task', {}, async () => {
  const task = {
    name: 'Task',
    input: { description: 'Count files', prompt: 'Count.', subagent_type: 'general-purpose' },
  };
  const at = await place([{ calls: [task] }, { text: 'Three.' }, done]);
  const messages = await run(at, { allowedTools: ['Task'] });
  expect(ofKind(messages, 'task_started')).toMatchObject([
    { description: 'Count files', subagent_type: 'general-purpose', is_backgrounded: false },
  ]);
});

sdkTest('each result of an answer is a message of its own, in the order of the calls, with its data', {}, async () => {
  const call = (id: string, command: string) => ({ name: 'Bash', id, input: { command } });
  const at = await place([
    {
      calls: [
        call('toolu_1', 'touch one; echo one'),
        call('toolu_2', 'echo two; false'),
        call('toolu_3', 'echo three'),
      ],
    },
    done,
  ]);
  const users = ofKind(await run(at, allowed), 'user');
  expect(existsSync(join(at.cwd, 'one'))).toBe(true);
  expect(users).toMatchObject([
    {
      message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      tool_use_result: { output: expect.stringContaining('one') },
    },
    { message: { content: [{ tool_use_id: 'toolu_2', is_error: true }] }, tool_use_result: expect.anything() },
    {
      message: { content: [{ tool_use_id: 'toolu_3' }] },
      tool_use_result: { output: expect.stringContaining('three') },
    },
  ]);
});

sdkTest('hooks of tasks see the to-do list', { hooks: ['TaskCreated', 'TaskCompleted'] }, async () => {
  const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}…` });
  const list = (...todos: unknown[]) => ({ calls: [{ name: 'TodoWrite', input: { todos } }] });
  const at = await place([
    list(todo('Test', 'in_progress'), todo('Ship', 'pending')),
    list(todo('Test', 'completed'), todo('Ship', 'in_progress')),
    done,
  ]);
  const seen: unknown[] = [];
  const hook = async ({ hook_event_name, task_id, task_subject }: Fields) => {
    seen.push([hook_event_name, task_id, task_subject]);
    return {};
  };
  await run(at, { hooks: { TaskCreated: [{ hooks: [hook] }], TaskCompleted: [{ hooks: [hook] }] } });
  expect(seen).toEqual([
    ['TaskCreated', '1', 'Test'],
    ['TaskCreated', '2', 'Ship'],
    ['TaskCompleted', '1', 'Test'],
  ]);
});
