// What calls leave for later: commands in the background, whose end the host is told, and tasks of the to-do list.
import type { FullAgent } from '../../compose/create-agent.js';
import type { AgentEvent } from '../../contract/event.js';
import type { Line } from './control-channel.js';
import { backgroundIdIn, type EventLines } from './event-lines.js';
import type { HostHooks } from './host-hooks.js';
import { TodoHooks } from './todo-hooks.js';

interface LeftWorkOptions {
  lines: EventLines;
  hooks: HostHooks;
  tell(line: Line): void;
}

export class LeftWork {
  readonly #options: LeftWorkOptions;
  readonly #todos = new TodoHooks();

  constructor(options: LeftWorkOptions) {
    this.#options = options;
  }

  async see(agent: FullAgent, event: AgentEvent): Promise<void> {
    if (event.type !== 'tool_result') return;
    const id = backgroundIdIn(event.data);
    if (id !== undefined) void this.#tellEnd(agent, id);
    const { id: session_id, session } = agent;
    for (const { event: name, ...task } of this.#todos.changes(session.todos)) {
      await this.#options.hooks.fire(name, { session_id, cwd: session.cwd, transcript_path: '', ...task });
    }
  }

  async #tellEnd({ session }: FullAgent, id: string): Promise<void> {
    const task = session.serverTasks?.find(id);
    if (task) {
      await task.ended;
      for (const line of this.#options.lines.taskEnded(task)) this.#options.tell(line);
      return;
    }
    const { sessionBackground, stateText } = await import('../../tools/bash/session-shells.js');
    const command = await session.own(sessionBackground).ended(id);
    if (!command) return;
    for (const line of this.#options.lines.commandEnded(command, stateText(command))) this.#options.tell(line);
  }
}
