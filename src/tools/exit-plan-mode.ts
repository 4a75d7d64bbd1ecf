import * as z from 'zod';
import { modeWords } from '../contract/permission.js';
import type { PlanStep, SwarmReport } from '../contract/planning.js';
import { defineTool, type ToolProgress } from '../contract/tool.js';
import type { SessionPort } from '../contract/tool-context.js';
import { EventQueue } from '../platform/event-queue.js';
import { counted } from '../platform/text/counted.js';
import { refusal } from './refusal.js';

const NAME = 'ExitPlanMode';
const MAX_PLAN_CHARS = 100_000; // more than a user would read before approving
const MAX_TEAMMATES = 10;
const TEAMMATES = 3; // the default of launchSwarm

const description = `Put the plan to the user, and leave plan mode if they agree; if not, you learn why.
Use it once the plan is complete: what changes where, and how it is tested. Not after mere research.`;

const input = z.strictObject({
  plan: z.string().max(MAX_PLAN_CHARS).optional().describe('Markdown, with numbered steps'),
  launchSwarm: z.boolean().optional().describe('Have child agents run the steps, side by side but for "depends on 1"'),
  teammateCount: z.int().min(1).max(MAX_TEAMMATES).optional().describe(`Default ${TEAMMATES}`),
  isolation: z.literal('worktree').optional().describe('Each step on a git branch of its own, merged after it'),
});

export const exitPlanModeTool = defineTool({
  name: NAME,
  title: 'Plan',
  about: 'Presents a plan for your approval.',
  description,
  input,
  needsPerson: true,
  // The children's calls pass the gate one by one, so the call that starts them must not block them.
  effects: ({ launchSwarm }) => (launchSwarm ? [] : [{ kind: 'session', access: 'write', what: 'mode' }]),

  async validate({ plan, launchSwarm = false, teammateCount, isolation }, { session, callId, inputBy }) {
    const { mode, modeAfter } = session.planning;
    const isAgreed = inputBy === 'user'; // the host sent this plan itself, perhaps with another mode
    if (mode !== 'plan' && !isAgreed) {
      throw refusal(`Plan mode is not on (the mode is ${mode}), so there is nothing to leave.`, {
        advice: 'Go on with the work, or switch to plan mode with EnterPlanMode first.',
      });
    }
    const text = planOf(plan, session);
    if (teammateCount !== undefined && !launchSwarm) {
      throw refusal('teammateCount counts for launchSwarm only.', {
        advice: 'Set launchSwarm to true, or leave teammateCount out.',
      });
    }
    if (isolation !== undefined && !launchSwarm) {
      throw refusal('isolation counts for launchSwarm only.', {
        advice: 'Set launchSwarm to true, or leave isolation out.',
      });
    }
    const { swarm } = launchSwarm ? await stepsFor(text, session) : {};
    const aboutAgents = await swarm?.check(NAME);
    const file = await session.planning.keep(text); // the user may want to read it before answering, and it stays if they refuse
    session.own(shownPlans).set(callId, text);
    if (isAgreed) return undefined;
    // A plan that was not sent is not in the input that they see.
    const which = plan?.trim() ? 'the plan' : `the plan of before${file === undefined ? '' : ` (${file})`}`;
    const agents = launchSwarm
      ? `, and ${teammateCount ?? TEAMMATES} child agents run its steps${isolation ? ', each in a git worktree that is merged into the project' : ''}`
      : '';
    const rule = aboutAgents === undefined ? '' : ` (${aboutAgents.ask})`;
    const words = plan?.trim() ? '' : `:\n${text}`;
    return {
      ask: `${which} waits for approval; with it the mode becomes "${modeWords[modeAfter]}"${agents}${rule}${words}`,
    };
  },

  async *execute(
    { plan, launchSwarm = false, teammateCount = TEAMMATES, isolation },
    { session, callId, signal, inputBy },
  ) {
    const text = session.own(shownPlans).get(callId) ?? planOf(plan, session);
    session.own(shownPlans).delete(callId);
    const { swarm, steps } = launchSwarm ? await stepsFor(text, session) : {};
    const file = await session.planning.keep(text);
    const mode = session.planning.leave(callId);
    const isEdited = inputBy === 'user';
    const shown = { plan: text, mode, isEdited, ...(file !== undefined && { file }) };
    if (!swarm || !steps) return shown;
    const report = yield* withProgress((onProgress) =>
      swarm.run({ text, steps }, teammateCount, { signal, callId, isolation, onProgress }),
    );
    return { ...shown, steps, report };
  },

  toModel(data) {
    const edited = data.isEdited ? `\nThey changed it. The plan that they agreed to:\n${data.plan}\n` : '';
    const agreed = `The user has agreed to the plan. Plan mode is off; the mode is ${data.mode}.${edited}`;
    if (!('report' in data)) return `${agreed} Begin with the work, and keep to the plan.`;
    return `${agreed}\nChild agents have run its steps:\n${reported(data.steps, data.report)}\nLook at what they did, and finish what is left.`;
  },

  displayCall: ({ plan = '' }) => ({ title: 'plan', body: { type: 'markdown', text: plan } }),
  displayResult: (data) => ({
    title: 'approved',
    facts: [...(data.isEdited ? ['with your changes'] : []), ...('report' in data ? [stepsDone(data.report)] : [])],
    body: { type: 'markdown', text: data.plan },
  }),
});

function stepsDone({ steps }: SwarmReport): string {
  return `${steps.filter(({ outcome }) => outcome === 'done').length} of ${counted(steps.length, 'step')} done`;
}

/** The plan shown to the user, by call: another call may bring another plan while they decide. */
const shownPlans = (): Map<string, string> => new Map();

function planOf(plan: string | undefined, { planning }: SessionPort): string {
  const text = plan?.trim() ? plan : planning.plan;
  if (text === undefined)
    throw refusal('There is no plan yet.', { advice: 'Send it in "plan", as Markdown with numbered steps.' });
  return text;
}

async function stepsFor(plan: string, { swarm, planning }: SessionPort) {
  if (!swarm) {
    throw refusal('launchSwarm needs child agents, and this session can start none.', {
      advice: 'Leave it out, and do the steps yourself once the user has agreed.',
    });
  }
  const { steps, problem } = await planning.steps(plan);
  if (problem !== undefined) throw refusal("The steps of the plan can't be run by child agents.", { advice: problem });
  return { swarm, steps };
}

/** Yields the progress of the work while it runs. */
async function* withProgress<Result>(
  work: (onProgress: (text: string) => void) => Promise<Result>,
): AsyncGenerator<ToolProgress, Result, void> {
  const queue = new EventQueue<ToolProgress>();
  const result = work((text) => queue.push({ text })).finally(() => queue.end());
  result.catch(() => {}); // thrown below
  yield* queue;
  return await result;
}

function reported(steps: readonly PlanStep[], report: SwarmReport): string {
  const titles = new Map(steps.map(({ id, title }) => [id, title]));
  const outcomes = { done: 'done', failed: 'FAILED', not_started: 'NOT STARTED' } as const;
  return report.steps
    .map(({ id, outcome, report: text }) => `Step ${id} (${titles.get(id) ?? ''}): ${outcomes[outcome]}. ${text}`)
    .join('\n');
}
