export const todoStatuses = ['pending', 'in_progress', 'completed'] as const;

/** One thing to do. */
export interface Todo {
  /** What is to be done: `Run the tests`. */
  content: string;
  status: (typeof todoStatuses)[number];
  /** What to show while it is being done: `Running the tests`. */
  activeForm: string;
}

/** The list as a session's file has it, or undefined where that is no list of things to do. */
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
