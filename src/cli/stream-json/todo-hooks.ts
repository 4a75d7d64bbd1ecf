// The to-do list of the model as tasks, for hooks of the host that look at them.
import type { Todo } from '../../contract/todo.js';
import type { FiredForHost } from './host-hooks.js';

interface Task {
  task_id: string;
  isCompleted: boolean;
}

/** Finds out which tasks are new and which are completed, each once. */
export class TodoHooks {
  readonly #tasks = new Map<string, Task>();
  #seen: readonly Todo[] | undefined;

  changes(todos: readonly Todo[] | undefined): Array<{ event: FiredForHost; task_id: string; task_subject: string }> {
    if (todos === undefined || todos === this.#seen) return [];
    this.#seen = todos;
    return todos.flatMap(({ content, status }) => {
      const known = this.#tasks.get(content);
      const task = known ?? { task_id: String(this.#tasks.size + 1), isCompleted: false };
      this.#tasks.set(content, task);
      const isDone = status === 'completed' && !task.isCompleted;
      task.isCompleted = status === 'completed';
      const facts = { task_id: task.task_id, task_subject: content };
      return [
        ...(known ? [] : [{ event: 'TaskCreated' as const, ...facts }]),
        ...(isDone ? [{ event: 'TaskCompleted' as const, ...facts }] : []),
      ];
    });
  }
}
