// Requests of a host about work beside the conversation: background commands, tasks of MCP servers and child agents; and
// about going back.
import { readFile } from 'node:fs/promises';
import type { FullAgent } from '../../compose/create-agent.js';
import { messageOf } from '../../platform/message-of.js';
import type { Line } from './control-channel.js';
import type { HostPort } from './host-handlers.js';
import { type RequestHandler, RequestRefused } from './host-requests.js';

const MAX_OUTPUT_BYTES = 1_000_000; // of one task, the end of it

export function hostTasks({ parts, changes, idle }: HostPort): Readonly<Record<string, RequestHandler>> {
  return {
    stop_task: async ({ task_id }) => {
      const { agent } = await parts;
      const id = String(task_id);
      const child = agent.session.agents?.find(id);
      if (child) {
        child.stop();
        return {};
      }
      const task = agent.session.serverTasks?.find(id);
      if (task) {
        await task.stop();
        return {};
      }
      const background = await backgroundOf(agent);
      if (!background.find(id)) throw new RequestRefused(unknownTask(id));
      await background.stop(id);
      return {};
    },
    background_tasks: async ({ tool_use_id }) => {
      const callId = typeof tool_use_id === 'string' ? tool_use_id : undefined;
      const moved = (await parts).agent.session.moveToBackground(callId);
      return { backgrounded: moved > 0 };
    },
    get_task_output: async ({ task_id }) => {
      const { agent } = await parts;
      const id = String(task_id);
      const child = agent.session.agents?.find(id);
      if (child) return shortened(child.report?.answer ?? child.activity.steps.join('\n'));
      const task = agent.session.serverTasks?.find(id);
      if (task) return shortened(task.outcome?.how === 'done' ? task.outcome.result.shown : task.reports.join('\n'));
      const command = (await backgroundOf(agent)).find(id);
      if (!command) throw new RequestRefused(unknownTask(id));
      return shortened(await readFile(command.outputFile, 'utf8').catch(() => ''));
    },
    rewind_files: async ({ user_message_id, dry_run }) => {
      const { agent } = await parts;
      const callIds = changes.callsSince(String(user_message_id));
      if (!callIds) return { canRewind: false, error: `No prompt of this process has the id ${user_message_id}.` };
      const isDry = dry_run === true;
      if (isDry) return await rewind(agent, callIds, { isDry });
      return (
        (await idle.whileIdle(() => rewind(agent, callIds, { isDry }))) ?? { canRewind: false, error: stillRunning }
      );
    },
  };
}

const stillRunning =
  'A run is active and may change the same files, so nothing was undone. Interrupt it or wait for its result, then send rewind_files again.';

const unknownTask = (id: string): string => `There is no task "${id}" in this session.`;

async function backgroundOf({ session }: FullAgent) {
  const { sessionBackground } = await import('../../tools/bash/session-shells.js');
  return session.own(sessionBackground);
}

function shortened(text: string): Line {
  const bytes = Buffer.from(text);
  const output = bytes.length > MAX_OUTPUT_BYTES ? bytes.subarray(-MAX_OUTPUT_BYTES).toString('utf8') : text;
  return { output, total_bytes: bytes.length, truncated: bytes.length > MAX_OUTPUT_BYTES };
}

/** Undoes the changes of these calls, all or nothing, as `helve undo` does. */
async function rewind(agent: FullAgent, since: ReadonlySet<string>, { isDry }: { isDry: boolean }): Promise<Line> {
  const { listUndoable } = await import('../../agent/undo/undo-calls.js');
  const { planUndo } = await import('../../agent/undo/undo.js');
  const { dataFolder, id, root } = agent.session;
  try {
    const calls = await listUndoable(dataFolder, id);
    const callIds = calls.map(({ callId }) => callId).filter((callId) => since.has(callId));
    if (callIds.length === 0) return { canRewind: true, filesChanged: [], insertions: 0, deletions: 0 };
    const plan = await planUndo(dataFolder, id, { callIds }, { cwd: root });
    const problem = plan.items
      .map(({ conflict, impossible }) => conflict ?? impossible)
      .find((why) => why !== undefined);
    const filesChanged = plan.items.map(({ real }) => real);
    const diffs = plan.items.flatMap(({ diff = '' }) => diff.split('\n'));
    const insertions = diffs.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length;
    const deletions = diffs.filter((line) => line.startsWith('-') && !line.startsWith('---')).length;
    if (problem !== undefined) return { canRewind: false, error: problem, filesChanged };
    if (isDry) return { canRewind: true, filesChanged, insertions, deletions };
    const { applyUndo } = await import('../../agent/undo/apply-undo.js');
    const { done } = await applyUndo(plan);
    return { canRewind: true, filesChanged: done, insertions, deletions };
  } catch (error) {
    return { canRewind: false, error: messageOf(error) };
  }
}
