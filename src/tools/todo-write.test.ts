import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { todoWriteTool } from './todo-write.js';

const reply =
  'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable';

const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}…` });

test('keeps the list in the session, shows it, and returns the usual text', async () => {
  const project = await temporaryProject();
  const todos = [todo('Look', 'completed'), todo('Change', 'in_progress'), todo('Test', 'pending')];
  const run = await project.run(todoWriteTool, { todos });
  expect(run).toMatchObject({ content: reply, isError: false, data: { oldTodos: [], newTodos: todos } });
  expect(run.display).toEqual({
    action: 'Todos',
    title: '3 todos',
    facts: ['1 of 3 done'],
    body: { type: 'todos', items: todos },
  });
  expect(project.engine.session.todos).toEqual(todos);
  expect(project.engine.session.takeReminders()).toEqual([]);
});

test('replaces the whole list, and returns the previous one', async () => {
  const project = await temporaryProject();
  await project.run(todoWriteTool, { todos: [todo('Look', 'pending')] });
  const run = await project.run(todoWriteTool, { todos: [] });
  expect(run.data).toEqual({ oldTodos: [todo('Look', 'pending')], newTodos: [] });
  expect(run.display).toMatchObject({ title: '0 todos', facts: [] });
  expect(project.engine.session.todos).toEqual([]);
});

test('uses the content if there is no active form', async () => {
  const project = await temporaryProject();
  await project.run(todoWriteTool, { todos: [{ content: 'Look', status: 'pending', priority: 'high' }] });
  expect(project.engine.session.todos).toEqual([{ content: 'Look', status: 'pending', activeForm: 'Look' }]);
});

test('accepts a list with two todos in progress, and tells the model to keep one', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(todoWriteTool, {
    todos: [todo('Look', 'in_progress'), todo('Test', 'in_progress')],
  });
  expect(content).toBe(reply);
  const [reminder] = project.engine.session.takeReminders();
  expect(reminder?.text).toContain('2 todos in progress: "Look", "Test". Keep one in_progress at a time.');
});

test.each([
  [{ todos: [{ content: 'Look', status: 'done', activeForm: 'Looking' }] }, '"todos[0].status" must be "pending" or'],
  [{ todos: [{ content: ' ', status: 'pending', activeForm: 'x' }] }, '"todos[0].content" must have at least 1'],
  [{ todos: [{ status: 'pending' }] }, '"todos[0].content" is required'],
  [{ todos: Array.from({ length: 101 }, () => todo('Look', 'pending')) }, '"todos" must have at most 100 entries'],
  [{}, '"todos" is required'],
])('refuses an invalid list of todos: %#', async (input, problem) => {
  const project = await temporaryProject();
  const run = await project.run(todoWriteTool, input);
  expect(run.failure).toBe('invalid_input');
  expect(run.content).toContain(problem);
  expect(project.engine.session.todos).toBeUndefined();
});

test('writes nothing but the list, so that plan mode permits it', async () => {
  const project = await temporaryProject({}, { permissionMode: 'plan' });
  expect(await project.effects(todoWriteTool, { todos: [] })).toEqual([
    { kind: 'session', access: 'write', what: 'todos' },
  ]);
  expect((await project.run(todoWriteTool, { todos: [todo('Look', 'pending')] })).isError).toBe(false);
});
