export const todoStatuses = ['pending', 'in_progress', 'completed'] as const;

/** One item of a to-do list. */
export interface Todo {
  /** The task: `Run the tests`. */
  content: string;
  status: (typeof todoStatuses)[number];
  /** The text to show while it is in progress: `Running the tests`. */
  activeForm: string;
}

/** The list from a session's file, or undefined if it is not a valid to-do list. */
export function todosFrom(value: unknown): readonly Todo[] | undefined {
  if (!Array.isArray(value) || !value.every(isTodo)) return undefined;
  return value.map(({ content, status, activeForm }) => ({ content, status, activeForm }));
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== 'object' || value === null) return false;
  const { content, status, activeForm }: Partial<Record<keyof Todo, unknown>> = value;
  return (
    typeof content === 'string' && typeof activeForm === 'string' && todoStatuses.some((known) => known === status)
  );
}
