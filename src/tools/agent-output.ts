import * as z from 'zod';
import type { AgentReport } from '../contract/agents.js';
import { ToolFailure } from '../contract/failure.js';
import { defineTool } from '../contract/tool.js';
import { factsOf, footer, stopped } from './task.js';

const DEFAULT_SECONDS = 150;
const MAX_SECONDS = 600;
const MAX_ANSWER_CHARS = 32_000;

const description = `Get the answer of an agent that Task started in the background. Waits for it, unless block is false.`;

const input = z.strictObject({
  agentId: z.string().min(1),
  block: z.boolean().optional().meta({ default: true }),
  wait_up_to: z.number().min(0).max(MAX_SECONDS).optional().meta({ description: 'Seconds', default: DEFAULT_SECONDS }),
});

interface Look {
  description: string;
  /** Undefined while it runs. */
  report?: AgentReport;
}

export const agentOutputTool = defineTool({
  name: 'AgentOutput',
  title: 'Agent',
  about: 'Gets the answer of a child agent that runs in the background.',
  traits: { olderNames: ['TaskOutput', 'AgentOutputTool'] },
  exposure: 'deferred',
  description,
  input,
  maxResultChars: MAX_ANSWER_CHARS,
  effects: () => [],

  async execute({ agentId, block = true, wait_up_to = DEFAULT_SECONDS }, { session, signal }): Promise<Look> {
    const agent = session.agents?.find(agentId);
    if (!agent)
      throw new ToolFailure(unknownAgent(agentId, session.agents?.all ?? []), {
        kind: 'invalid_input',
        problem: `There is no agent "${agentId}".`,
      });
    const report = block ? await agent.wait({ signal, milliseconds: wait_up_to * 1000 }) : agent.report;
    if (report?.problem !== undefined) throw stopped(agentId, report, report.problem);
    return { description: agent.description, ...(report && { report }) };
  },

  toModel: ({ description, report }, { agentId }) =>
    report
      ? `${report.answer || '(the agent ended without a word)'}\n\n${footer(agentId, report)}`
      : `The agent ${agentId} (${description}) is still at work. You are notified when it ends; go on with something else meanwhile.`,

  displayCall: ({ agentId = '' }) => ({ title: agentId }),
  displayResult: ({ description, report }) => ({
    title: description,
    facts: report ? factsOf(report) : ['still running'],
    ...(report && { body: { type: 'markdown', text: report.answer } }),
  }),
});

function unknownAgent(id: string, all: ReadonlyArray<{ id: string; description: string }>): string {
  const known = all.map((agent) => `${agent.id} (${agent.description})`).join(', ');
  const there = known === '' ? 'None was started here' : `There are: ${known}`;
  return `There is no agent "${id}". ${there}. One of an earlier process can be resumed with Task.`;
}
