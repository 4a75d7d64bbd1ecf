import * as z from 'zod';
import type { AgentReport } from '../contract/agents.js';
import { ToolFailure } from '../contract/failure.js';
import type { ServerTask, TaskResult } from '../contract/server-tasks.js';
import { defineTool, type ToolDisplay } from '../contract/tool.js';
import { factsOf, footer, stopped } from './task.js';

const DEFAULT_SECONDS = 150;
const MAX_SECONDS = 600;
const MAX_ANSWER_CHARS = 32_000;

const description = `Get the answer of an agent that Task started in the background, or the result of a background task of an MCP server. Waits for it, unless block is false.`;

const input = z.strictObject({
  agentId: z.string().min(1),
  block: z.boolean().optional().meta({ default: true }),
  wait_up_to: z.number().min(0).max(MAX_SECONDS).optional().meta({ description: 'Seconds', default: DEFAULT_SECONDS }),
});

type Look =
  | {
      description: string;
      /** Undefined while it runs. */
      report?: AgentReport;
    }
  | {
      description: string;
      /** Of a task. */
      state: string;
      reports: readonly string[];
      /** Undefined while it runs. */
      result?: TaskResult;
    };

export const agentOutputTool = defineTool({
  name: 'AgentOutput',
  title: 'Agent',
  about: 'Gets the answer of an agent or a task that works in the background.',
  traits: { olderNames: ['TaskOutput', 'AgentOutputTool'] },
  exposure: 'deferred',
  description,
  input,
  maxResultChars: MAX_ANSWER_CHARS,
  effects: () => [],

  async execute({ agentId, block = true, wait_up_to = DEFAULT_SECONDS }, { session, signal, callId }): Promise<Look> {
    const waiting = { signal, milliseconds: block ? wait_up_to * 1000 : 0 };
    const task = session.serverTasks?.find(agentId);
    if (task) return await lookAt(task, waiting, callId);
    const agent = session.agents?.find(agentId);
    if (!agent) {
      const tasks = (session.serverTasks?.all ?? []).map(({ id, title }) => ({ id, description: title }));
      throw new ToolFailure(unknownAgent(agentId, [...(session.agents?.all ?? []), ...tasks]), {
        kind: 'invalid_input',
        problem: `There is no agent "${agentId}".`,
      });
    }
    const report = block ? await agent.wait(waiting) : agent.report;
    if (report?.problem !== undefined) throw stopped(agentId, report, report.problem);
    return { description: agent.description, ...(report && { report }) };
  },

  maxCharsOf: (look) => ('state' in look ? look.result?.maxChars : undefined),

  toModel(look, { agentId }) {
    if ('state' in look) {
      const { result, description, state } = look;
      return result?.content ?? `The task ${agentId} (${description}) is ${state}. ${GO_ON}`;
    }
    const { description, report } = look;
    return report
      ? `${report.answer || '(the agent ended without a word)'}\n\n${footer(agentId, report)}`
      : `The agent ${agentId} (${description}) is still at work. ${GO_ON}`;
  },

  displayCall: ({ agentId = '' }) => ({ title: agentId }),
  displayResult: (look) => shownLook(look),
});

const GO_ON = 'You are notified when it ends; go on with something else meanwhile.';

/** Throws `ToolFailure` if it has failed, as its call would have. */
async function lookAt(
  task: ServerTask,
  waiting: { signal: AbortSignal; milliseconds: number },
  callId: string,
): Promise<Look> {
  const outcome = task.outcome ?? (await task.wait(waiting));
  if (outcome) task.giveIn(callId);
  if (outcome && outcome.how !== 'done') throw outcome.failure;
  const { title: description, state, reports } = task;
  return { description, state, reports, ...(outcome && { result: outcome.result }) };
}

function unknownAgent(id: string, all: ReadonlyArray<{ id: string; description: string }>): string {
  const known = all.map((agent) => `${agent.id} (${agent.description})`).join(', ');
  const there = known === '' ? 'None was started here' : `There are: ${known}`;
  return `There is no agent "${id}". ${there}. One of an earlier process can be resumed with Task.`;
}

function shownLook(look: Look): ToolDisplay {
  if ('state' in look) {
    const { description: title, state, result } = look;
    if (!result) return { title, facts: [state] };
    return { title, facts: [state], writtenBy: result.writtenBy, body: { type: 'text', text: result.shown } };
  }
  const { description: title, report } = look;
  if (!report) return { title, facts: ['still running'] };
  return { title, facts: factsOf(report), body: { type: 'markdown', text: report.answer } };
}
