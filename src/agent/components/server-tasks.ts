import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';

/** The tasks of a session's MCP servers, as a run uses them. */
export interface RunTasks {
  /** To be called once all servers are configured: tasks of an earlier process whose server is missing are given up. */
  dropStrayTasks(): Promise<void>;
  /** Resolves with whether there are outcomes that the model was not told of; waits for one if tasks run. */
  taskNews(signal: AbortSignal): Promise<boolean>;
}

/** In a session without a person, who could ask later, the model may not end before it has the outcome of its tasks. */
export const serverTasks = (tasks: RunTasks, session: Session): SessionComponent => ({
  name: 'server tasks',
  prepare: () => tasks.dropStrayTasks(),
  async beforeEnd(_lastText, { signal }) {
    if (session.interactive || !(await tasks.taskNews(signal))) return undefined;
    return '[A task that you left in the background has ended. See below, then go on, or say in a sentence that all is done.]';
  },
});
