// Child agents as tasks, for hosts that show them in a list.
import { addUsage, noUsage } from '../../agent/usage.js';
import type { ChildEvent } from '../../contract/event.js';
import type { Usage } from '../../contract/model.js';
import type { Line } from './control-channel.js';

interface Task {
  begun: number;
  usage: Usage;
  calls: number;
}

export class ChildTasks {
  readonly #tasks = new Map<string, Task>();

  /** The lines that an event of a child agent leads to, without those of its own children. */
  lines({ agentId, agentType, parentCallId, event }: ChildEvent): Array<{ subtype: string } & Line> {
    const about = { task_id: agentId, tool_use_id: parentCallId };
    switch (event.type) {
      case 'session_start': {
        if (this.#tasks.has(agentId)) return [];
        this.#tasks.set(agentId, { begun: event.at, usage: noUsage, calls: 0 });
        const facts = { description: agentType, subagent_type: agentType, task_type: 'local_agent' };
        return [{ subtype: 'task_started', ...about, ...facts }];
      }
      case 'tool_call': {
        const task = this.#tasks.get(agentId);
        if (!task) return [];
        task.calls += 1;
        const facts = { description: agentType, subagent_type: agentType, last_tool_name: event.tool };
        return [{ subtype: 'task_progress', ...about, ...facts, usage: totals(task, event.at) }];
      }
      case 'turn_end': {
        const task = this.#tasks.get(agentId);
        if (task) task.usage = addUsage(task.usage, event.usage);
        return [];
      }
      case 'result': {
        const task = this.#tasks.get(agentId);
        this.#tasks.delete(agentId);
        if (!task) return [];
        const { outcome } = event;
        const status = outcome === 'completed' ? 'completed' : outcome === 'interrupted' ? 'stopped' : 'failed';
        const patch = { status: status === 'stopped' ? 'killed' : status, end_time: Math.round(event.at) };
        const facts = { status, output_file: '', summary: event.text, usage: totals(task, event.at) };
        return [
          { subtype: 'task_updated', task_id: agentId, patch },
          { subtype: 'task_notification', ...about, ...facts },
        ];
      }
      default:
        return [];
    }
  }
}

const totals = ({ begun, usage, calls }: Task, at: number): Line => ({
  total_tokens:
    usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
  tool_uses: calls,
  duration_ms: Math.round(Math.max(0, at - begun)),
});
