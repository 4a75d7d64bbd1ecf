import * as z from 'zod';
import { ToolFailure } from '../../contract/failure.js';
import { defineTool } from '../../contract/tool.js';
import { sessionBackground, stateText, unknownId } from './session-shells.js';
import { firstLine, shortTitle } from './title.js';

const description = `End a background command and everything that it has started, or cancel a background task of an MCP server.`;

const input = z.strictObject({
  shell_id: z.string().min(1),
});

export const killShellTool = defineTool({
  name: 'KillShell',
  title: 'Stop',
  about: 'Ends a background command, or cancels a task of an MCP server.',
  traits: { olderNames: ['KillBash', 'TaskStop'] },
  description,
  input,
  needsTool: 'Bash',
  effects: () => [],

  async execute({ shell_id }, { session }): Promise<{ command: string; state: string; wasRunning: boolean }> {
    const task = session.serverTasks?.find(shell_id);
    if (task) {
      const wasRunning = task.outcome === undefined;
      await task.stop();
      return { command: task.title, state: task.state, wasRunning };
    }
    const commands = session.own(sessionBackground);
    const found = commands.find(shell_id);
    if (!found) throw unknownId(shell_id, commands);
    if (found.state.status === 'lost') {
      throw new ToolFailure(`${shell_id} (${shortTitle(found.command)}) can't be ended here: ${found.state.why}.`);
    }
    const wasRunning = found.state.status === 'running';
    await commands.stop(shell_id);
    return { command: found.command, state: stateText(found), wasRunning };
  },

  toModel: ({ command, state, wasRunning }, { shell_id }) =>
    wasRunning
      ? `${shell_id} (${shortTitle(command)}) and everything it had started was ended.`
      : `${shell_id} (${shortTitle(command)}) had already ended, so there was nothing to do: ${state}.`,

  displayCall: ({ shell_id = '' }) => ({ title: shell_id }),
  displayResult: ({ command, state, wasRunning }) => ({
    title: firstLine(command),
    facts: [wasRunning ? 'stopped' : `had ended: ${state}`],
  }),
});
