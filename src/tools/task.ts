import * as z from 'zod';
import type { AgentReport, AgentRequest, ChildAgents } from '../contract/agents.js';
import { ToolFailure } from '../contract/failure.js';
import { defineTool, type ToolProgress } from '../contract/tool.js';
import type { DescribeContext, SessionPort } from '../contract/tool-context.js';
import { clause } from '../platform/text/clause.js';
import { counted } from '../platform/text/counted.js';
import { shortDuration } from '../platform/text/duration.js';
import { AGENT_TOOL } from './roles.js';

const MAX_ANSWER_CHARS = 32_000;
const OUTPUT_TOOL = 'AgentOutput'; // returns the answer of a background agent

const description = ({
  mode,
}: DescribeContext): string => `Give a task to a child agent, which sees nothing of this conversation and may do no more than you. You get its last message. Several in one message work side by side.
Types: general-purpose; Explore (finds code, only reads; say quick, medium or very thorough); Plan (only reads); helve-guide (on Helve); statusline-setup.
You are notified when one in the background ends${mode === 'repl' ? '' : '; your work is not over before that'}.`;

const input = z.strictObject({
  description: z.string().min(1).describe('3-5 words'),
  prompt: z.string().min(1),
  subagent_type: z.string().min(1).default('general-purpose'),
  model: z.string().optional().describe('sonnet, opus, haiku or a name'),
  resume: z.string().optional().describe('agentId'),
  run_in_background: z.boolean().optional().meta({ default: false }),
  isolation: z.literal('worktree').optional().describe('on a git branch of its own'),
});

type TaskInput = z.output<typeof input>;

interface Launched {
  agentId: string;
  type: string;
  /** Undefined for a background agent. */
  report?: AgentReport;
}

export const taskTool = defineTool({
  name: AGENT_TOOL,
  title: 'Agent',
  about: 'Gives a task to a child agent.',
  traits: {
    family: 'agent',
    subject: ['subagent_type'],
    // Listed, since the name of a plugin's agent contains a colon.
    fields: ['description', 'prompt', 'subagent_type', 'model', 'resume', 'run_in_background', 'isolation'],
    olderNames: ['Agent'],
  },
  description,
  input,
  maxResultChars: MAX_ANSWER_CHARS,
  effects: () => [], // the agent's own calls declare their effects

  async validate(given, { session }) {
    return await agentsOf(session).check(requestFor(given), AGENT_TOOL);
  },

  async *execute(given, { session, callId, signal }): AsyncGenerator<ToolProgress, Launched, void> {
    const agent = await agentsOf(session).start(requestFor(given), { callId, signal });
    const launched = { agentId: agent.id, type: agent.type };
    if (given.run_in_background) {
      session.tools.activate([OUTPUT_TOOL]); // not useful before
      return launched;
    }
    for await (const text of agent.progress) yield { text };
    const report = await agent.wait(); // even when interrupted: what it started has to end
    if (report?.problem !== undefined) throw stopped(agent.id, report, report.problem);
    return { ...launched, ...(report && { report }) };
  },

  toModel: ({ agentId, report }, { description }) =>
    report
      ? `${report.answer || '(the agent ended without a word)'}\n\n${footer(agentId, report)}`
      : `The agent ${agentId} (${description}) works in the background. Go on with something else: you are notified when it ends, and AgentOutput gives its answer.`,

  displayCall: ({ description = '', subagent_type = 'general-purpose' }) => ({
    title: `${subagent_type}: ${description}`,
  }),
  displayResult: ({ type, report }, { description }) => ({
    title: `${type}: ${description}`,
    facts: report ? factsOf(report) : ['in the background'],
    ...(report && { body: { type: 'markdown', text: report.answer } }),
  }),
});

function requestFor(given: TaskInput): AgentRequest {
  const { description, prompt, subagent_type, model, resume, run_in_background, isolation } = given;
  return {
    description,
    prompt,
    type: subagent_type,
    model: model || undefined, // models may send an empty string
    resume: resume || undefined,
    inBackground: run_in_background === true,
    isolation,
  };
}

function agentsOf({ agents }: SessionPort): ChildAgents {
  if (agents) return agents;
  throw new ToolFailure('There is no model here that an agent could work with, so none was started.', {
    advice: 'Use the other tools.',
  });
}

/** A finished agent in a few words, for the person. */
export const factsOf = ({ calls, milliseconds }: AgentReport): string[] => [
  counted(calls, 'call'),
  ...(milliseconds >= 1000 ? [shortDuration(milliseconds)] : []),
];

/** What the caller needs besides the answer. */
export function footer(agentId: string, { turns, calls, tokens, milliseconds, model, notes }: AgentReport): string {
  const seconds = (milliseconds / 1000).toFixed(1);
  const facts = `agentId: ${agentId} (to go on with it, use resume); ${model}, ${counted(turns, 'turn')}, ${counted(calls, 'call')}, ${tokens} tokens, ${seconds} s`;
  return [...notes, facts].map((line) => `[${line}]`).join('\n');
}

/** The message for the caller of an agent that did not finish. */
export function stopped(agentId: string, report: AgentReport, problem: string): ToolFailure {
  const words = report.answer === '' ? '' : `\nIts last words:\n${report.answer}\n`;
  return new ToolFailure(
    `The agent ${agentId} stopped before it was done: ${clause(problem)}. What it had changed by then stays changed.${words}\n${footer(agentId, report)}`,
    {
      kind: report.isInterrupted ? 'interrupted' : 'exception',
      problem: `The agent stopped before it was done: ${clause(problem)}.`,
    },
  );
}
