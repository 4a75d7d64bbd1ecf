// Child agents, background commands and tasks of MCP servers as tasks, for hosts that show them in a list.
import { addUsage, noUsage } from '../../agent/usage.js';
import type { StartedAgent } from '../../contract/agents.js';
import type { ChildEvent } from '../../contract/event.js';
import type { Usage } from '../../contract/model.js';
import type { ServerTask } from '../../contract/server-tasks.js';
import type { BackgroundCommand } from '../../platform/shell/background.js';
import type { Line } from './control-channel.js';

type TaskLine = { subtype: string } & Line;

/** What is known of a child agent that the conversation itself has started. */
export type FindAgent = (id: string) => Pick<StartedAgent, 'description' | 'inBackground'> | undefined;

interface Task {
  description: string;
  toolUseId: string;
  inBackground: boolean;
  isServerTask?: boolean;
  /** Of a child agent. */
  agent?: { type: string; begun: number; usage: Usage; calls: number };
}

export class LiveTasks {
  readonly #tasks = new Map<string, Task>();
  readonly #findAgent: FindAgent;

  constructor(findAgent: FindAgent) {
    this.#findAgent = findAgent;
  }

  /** The lines that an event of a child agent leads to, without those of its own children. */
  ofAgent({ agentId, agentType, parentCallId, event }: ChildEvent): TaskLine[] {
    const task = this.#tasks.get(agentId);
    if (event.type === 'session_start')
      return task ? [] : this.#agentStarted(agentId, agentType, parentCallId, event.at);
    if (!task?.agent) return [];
    const { agent } = task;
    const about = { task_id: agentId, tool_use_id: task.toolUseId };
    switch (event.type) {
      case 'tool_call': {
        agent.calls += 1;
        const facts = { description: task.description, subagent_type: agentType, last_tool_name: event.tool };
        return [{ subtype: 'task_progress', ...about, ...facts, usage: totals(agent, event.at) }];
      }
      case 'turn_end':
        agent.usage = addUsage(agent.usage, event.usage);
        return [];
      case 'result': {
        const { outcome } = event;
        const status = outcome === 'completed' ? 'completed' : outcome === 'interrupted' ? 'stopped' : 'failed';
        const facts = { output_file: '', summary: event.text, usage: totals(agent, event.at) };
        return this.#ended(agentId, task, status, facts, event.at);
      }
      default:
        return [];
    }
  }

  /** What a call has begun runs in the background from now on. */
  callLeft(id: string, toolUseId: string, about: { subject: string; isServerTask: boolean }): TaskLine[] {
    const { subject: description, isServerTask } = about;
    const task = { description, toolUseId, inBackground: true, isServerTask };
    this.#tasks.set(id, task);
    return [this.#started(id, task), this.#changed()];
  }

  /** `summary`: how it ended, in a few words. */
  commandEnded({ id, state, outputFile }: BackgroundCommand, summary: string, at: number): TaskLine[] {
    const task = this.#tasks.get(id);
    if (!task) return [];
    const status = state.status === 'completed' ? 'completed' : state.status === 'killed' ? 'stopped' : 'failed';
    return this.#ended(id, task, status, { output_file: outputFile, summary: `${task.description}: ${summary}` }, at);
  }

  serverTaskEnded({ id, state, outcome }: ServerTask, at: number): TaskLine[] {
    const task = this.#tasks.get(id);
    if (!task) return [];
    const status = outcome?.how === 'done' ? 'completed' : outcome?.how === 'stopped' ? 'stopped' : 'failed';
    return this.#ended(id, task, status, { output_file: '', summary: `${task.description}: ${state}` }, at);
  }

  #agentStarted(id: string, type: string, toolUseId: string, begun: number): TaskLine[] {
    const { description = type, inBackground = false } = this.#findAgent(id) ?? {};
    const task = { description, toolUseId, inBackground, agent: { type, begun, usage: noUsage, calls: 0 } };
    this.#tasks.set(id, task);
    return [this.#started(id, task), ...(inBackground ? [this.#changed()] : [])];
  }

  #started(id: string, task: Task): TaskLine {
    const { description, toolUseId, inBackground, agent } = task;
    return {
      subtype: 'task_started',
      task_id: id,
      tool_use_id: toolUseId,
      description,
      ...(agent && { subagent_type: agent.type }),
      task_type: typeOf(task),
      is_backgrounded: inBackground,
    };
  }

  #ended(id: string, { toolUseId, inBackground }: Task, status: TaskStatus, facts: Line, at: number): TaskLine[] {
    this.#tasks.delete(id);
    const patch = { status: status === 'stopped' ? 'killed' : status, end_time: Math.round(at) };
    return [
      { subtype: 'task_updated', task_id: id, patch },
      { subtype: 'task_notification', task_id: id, tool_use_id: toolUseId, status, ...facts },
      ...(inBackground ? [this.#changed()] : []),
    ];
  }

  /** All that runs in the background now. */
  #changed(): TaskLine {
    const tasks = [...this.#tasks].filter(([, { inBackground }]) => inBackground);
    return {
      subtype: 'background_tasks_changed',
      tasks: tasks.map(([id, task]) => ({
        task_id: id,
        task_type: typeOf(task),
        ...(task.agent && { subagent_type: task.agent.type }),
        description: task.description,
      })),
    };
  }
}

const typeOf = ({ agent, isServerTask }: Task): string =>
  agent ? 'local_agent' : isServerTask ? 'mcp_task' : 'local_bash';

type TaskStatus = 'completed' | 'failed' | 'stopped';

const totals = ({ begun, usage, calls }: NonNullable<Task['agent']>, at: number): Line => ({
  total_tokens:
    usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
  tool_uses: calls,
  duration_ms: Math.round(Math.max(0, at - begun)),
});
