import type { Todo } from '../contract/todo.js';

export const todoSigns = { pending: '☐', in_progress: '▶', completed: '☑' } as const;

/** The current item in its active form, the others as written. */
export const todoText = ({ content, activeForm, status }: Todo): string =>
  status === 'in_progress' ? activeForm : content;

export const todoProgress = (todos: readonly Todo[]): string =>
  `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length} done`;
