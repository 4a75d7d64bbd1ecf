import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { SessionPort } from '../contract/tool-context.js';
import { clause } from '../platform/text/clause.js';
import { refusal } from './refusal.js';

const PLANNER = 'Plan'; // the type of agent that only reads

const description = `Have a read-only agent of its own look at the code and return a plan for a technical task.
Use it for a change of many files or an open question of design, where the looking around would fill this conversation. Changes nothing; what the plan says is for you to do, or to put to the user.`;

export const architectTool = defineTool({
  name: 'Architect',
  about: 'Has a read-only agent plan a technical task.',
  description,
  exposure: 'deferred',
  optIn: true,
  input: z.strictObject({
    prompt: z.string().trim().min(1).describe('The task or the question'),
    context: z.string().optional().describe('What the agent should know beforehand'),
  }),
  effects: () => [], // the agent's own calls are judged one by one

  async validate(input, { session }) {
    return await agentsOf(session).check(requestFor(input), 'Architect');
  },

  async *execute(input, { session, callId, signal }) {
    const agent = await agentsOf(session).start(requestFor(input), { callId, signal });
    for await (const text of agent.progress) yield { text };
    const report = await agent.wait(); // the signal also ends everything that it started
    signal.throwIfAborted();
    if (report?.problem !== undefined || !report?.answer.trim()) {
      throw refusal(`The agent came to no plan: ${clause(report?.problem ?? 'it said nothing')}.`, {
        advice: 'Narrow the task, or plan it yourself.',
      });
    }
    return { plan: report.answer, notes: report.notes };
  },

  toModel: ({ plan, notes }) => [plan, ...notes].join('\n\n'),
  displayCall: ({ prompt = '' }) => ({ title: prompt }),
  displayResult: ({ plan }, { prompt }) => ({ title: prompt, body: { type: 'markdown', text: plan } }),
});

function agentsOf({ agents }: SessionPort): NonNullable<SessionPort['agents']> {
  if (agents) return agents;
  throw refusal('This session can start no agents: it has no model of its own.', {
    advice: 'Look around and plan it yourself.',
  });
}

function requestFor({ prompt, context }: { prompt: string; context?: string | undefined }) {
  const known = context?.trim() ? `\n\nWhat is known beforehand:\n${context.trim()}` : '';
  return {
    description: 'Plan a change',
    prompt: `Work out how to do the following, and change nothing. Answer with a plan: numbered steps with the files that each is about, what speaks for this way and against others, and how to test it.\n\n${prompt}${known}`,
    type: PLANNER,
    inBackground: false,
  };
}
