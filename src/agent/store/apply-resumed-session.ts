import { todosFrom } from '../../contract/todo.js';
import type { Session } from '../session.js';
import type { ResumedSession } from './resume-session.js';

/** Restores the state of a resumed session. */
export function applyResumedSession(session: Session, { restored, reminders, leftCommands }: ResumedSession): void {
  for (const message of restored.messages) session.transcript.append(message);
  for (const id of restored.callIds) session.claimCallId(id);
  session.shownFiles.restore(restored);
  if (restored.cwd !== undefined) session.changeDirectory(restored.cwd);
  session.mode = restored.mode;
  const todos = todosFrom(restored.todos);
  if (todos) session.setTodos(todos);
  session.planning.restore(restored.plan);
  session.goal = restored.goal;
  session.leftCommands = leftCommands;
  for (const reminder of reminders) session.remind(reminder);
}
