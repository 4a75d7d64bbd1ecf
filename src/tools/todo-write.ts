import * as z from 'zod';
import { type Todo, todoStatuses } from '../contract/todo.js';
import { defineTool } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';

const MAX_TODOS = 100; // the list goes into every summary of the conversation

const description = `Keep the list of what is to be done, shown to the user. Each call replaces it whole.
Use it for work of three or more steps: one todo in_progress at a time, completed as soon as it is done. Not for simple tasks.`;

const todo = z.object({
  content: z.string().trim().min(1).describe('"Run the tests"'),
  status: z.enum(todoStatuses),
  activeForm: z.string().trim().optional().describe('"Running the tests"'),
});

export const todoWriteTool = defineTool({
  name: 'TodoWrite',
  title: 'Todos',
  about: 'Updates the to-do list.',
  description,
  input: z.strictObject({ todos: z.array(todo).max(MAX_TODOS) }),
  effects: () => [{ kind: 'session', access: 'write', what: 'todos' }],

  async execute({ todos }, { session }) {
    const oldTodos = session.todos ?? [];
    const newTodos = todos.map(
      ({ content, status, activeForm }): Todo => ({ content, status, activeForm: activeForm || content }),
    );
    session.setTodos(newTodos);
    const active = newTodos.filter(({ status }) => status === 'in_progress');
    // Sent as a reminder, since programs parse the result's exact text.
    if (active.length > 1) {
      session.remind(
        `The todo list has ${active.length} todos in progress: ${active.map(({ content }) => `"${content}"`).join(', ')}. Keep one in_progress at a time.`,
      );
    }
    return { oldTodos, newTodos };
  },

  toModel: () =>
    'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable',

  displayCall: ({ todos = [] }) => ({
    title: counted(todos.length, 'todo'),
    body: { type: 'todos', items: [] }, // surfaces show the list itself
  }),
  displayResult: ({ newTodos }) => ({
    title: counted(newTodos.length, 'todo'),
    facts: summary(newTodos),
    body: { type: 'todos', items: newTodos },
  }),
});

function summary(todos: readonly Todo[]): string[] {
  const done = todos.filter(({ status }) => status === 'completed').length;
  return todos.length === 0 ? [] : [`${done} of ${todos.length} done`];
}
