import type { LateBudget } from '../agent/budget/late-budget.js';
import type { AgentType } from '../agent/children/agent-types.js';
import { structuredOutput } from '../agent/components/structured-output.js';
import type { GoalState } from '../agent/goals/goal-state.js';
import { runLoop } from '../agent/loop.js';
import type { Session } from '../agent/session.js';
import { emitter, type SessionComponent } from '../agent/session-component.js';
import type { StructuredOutput } from '../agent/structured-output.js';
import type { Agent } from '../contract/agent.js';
import type { AgentEvent } from '../contract/event.js';
import type { UserBlock } from '../contract/message.js';
import type { OutputOf, OutputOptions, OutputSchema, Prompt, Run, RunOptions } from '../contract/run.js';
import { sharedRound } from '../platform/shared-round.js';
import { checkCompactOptions, checkGoal, checkMode } from './check-calls.js';
import { composeSession } from './compose-session.js';
import { timeLimitsOf } from './create-budget.js';
import { engineOf, type FullEngine } from './create-engine.js';
import { outputRun, plainRun, type RunPrompt, unfinishedRun } from './event-run.js';
import type { FullAgentOptions } from './options.js';
import type { RootSession } from './root-session.js';

/** The agent inside Helve: that of programs, and what the command line and the terminal use in addition. */
export interface FullAgent extends Agent {
  readonly session: Session;
  readonly budget: LateBudget;
  readonly goals: GoalState;
  readonly engine: FullEngine;
  /** The types of child agents that can be started. */
  agentTypes(): Promise<readonly AgentType[]>;
  /** Creates the session's file before its first prompt, so that another process can resume it by its id; if it is kept. */
  announce(): Promise<void>;
  /** Goes on with the run that an earlier process could not finish. Calls that had not begun come first. */
  runUnfinished(options: Pick<RunOptions, 'signal'>): Run;
  /** While the function runs, other programs of the user see that the session waits for an answer. */
  whileAsking<Answer>(question: string, ask: () => Promise<Answer>): Promise<Answer>;
  /** Gives the session another title; false if it is not saved. */
  rename(title: string): boolean;
  /** The number of records that could not be written to the data folder. */
  readonly unwrittenRecords: number;
}

/**
 * A conversation with a model that can use the tools. Nothing is loaded, read or written before its first prompt, but the
 * code of budgets if something is limited.
 */
export function createAgent(options: FullAgentOptions): FullAgent {
  const composed = composeSession(options, { as: 'root' });
  const { tools, runs, context, agents } = composed;
  const { session } = tools;
  const engine = engineOf(tools);
  const runPrompt = promptRunner(composed, options);
  const compact = compacter(composed);
  const end = (): Promise<void> =>
    runs.end(async () => {
      const { writer, models } = composed;
      await writer?.flushed();
      await agents.end();
      await engine.end().finally(() => writer?.end());
      await composed.presence?.end?.();
      tools.reportUnsavedData();
      models.release();
      if (writer) await removeOldSessions(session, options);
    });

  function run(prompt: Prompt, options?: RunOptions & { output?: undefined }): Run;
  function run<Schema extends OutputSchema>(prompt: Prompt, options: OutputOptions<Schema>): Run<OutputOf<Schema>>;
  function run(prompt: Prompt, options: RunOptions | OutputOptions<OutputSchema> = {}): Run | Run<unknown> {
    const hasSchema = typeof options === 'object' && options !== null && 'output' in options && options.output;
    return hasSchema ? outputRun(runPrompt, prompt, options) : plainRun(runPrompt, prompt, options);
  }
  return {
    id: session.id,
    session,
    engine,
    get mode() {
      return session.mode;
    },
    set mode(mode) {
      session.mode = checkMode(mode);
    },
    get messages() {
      return session.transcript.messages;
    },
    run,
    compact(instructions, options = {}) {
      checkCompactOptions(options);
      return compact(instructions, options);
    },
    commands: async () => (await tools.commands?.listed()) ?? [],
    agentTypes: () => agents.types(),
    runUnfinished: (given) => unfinishedRun(runPrompt, given),
    async announce() {
      await composed.writer?.announce();
      await composed.presence?.announce();
    },
    whileAsking: async (question, ask) => await (composed.presence?.during(question, ask) ?? ask()),
    rename(title) {
      composed.writer?.rename(title);
      composed.presence?.rename(title);
      return composed.writer !== undefined;
    },
    get unwrittenRecords() {
      return composed.writer?.unwritten ?? 0;
    },
    budget: composed.budget,
    goals: composed.goals.state,
    get goal() {
      return composed.goals.state.active;
    },
    set goal(goal) {
      composed.goals.state.set(goal && checkGoal(goal));
    },
    contextUsage: () => context.usage(),
    interrupt: () => runs.interrupt(),
    end,
    [Symbol.asyncDispose]: end,
  };
}

/** Runs one prompt after the other. */
function promptRunner(composed: RootSession, options: FullAgentOptions): RunPrompt {
  const { tools, runs, model, models, context, budget } = composed;
  const { session, environment } = tools;
  let openCalls = options.resumed?.restored.openCalls;
  return async function* events(
    prompt,
    { signal, steering, answer, isUnfinished = false },
  ): AsyncGenerator<AgentEvent, void, void> {
    const content: readonly UserBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    if (!isUnfinished && isBlank(content))
      throw new TypeError('The prompt is empty, so there is nothing to send. Give it some words.');
    const stopped = runs.begin(signal);
    const open = openCalls;
    openCalls = undefined; // a call never runs twice
    try {
      for await (const text of runs.takeSlot(stopped)) yield { at: Date.now(), type: 'notice', text };
      await budget.beginRun();
      yield* runLoop({
        session,
        model,
        context,
        components: answer ? withAnswer(composed, answer) : composed.components,
        environment,
        prompt: isUnfinished ? 'unfinished' : content,
        openCalls: open,
        steering,
        maxTurns: options.maxTurns,
        timeLimits: timeLimitsOf(budget, options),
        signal: stopped,
      });
    } finally {
      await budget.endRun();
      if (runs.releaseSlot()) {
        models.release();
        await session.rest(); // frees what it keeps ready for its next prompt, because another agent waits
      }
      await finish(composed);
    }
  };
}

const compacter =
  (composed: RootSession): FullAgent['compact'] =>
  async (instructions, { signal, onEvent = () => {} } = {}) => {
    const { tools, runs, model, context } = composed;
    const stopped = runs.begin(signal);
    try {
      const emit = emitter(composed.components, (event) => {
        if (event.type === 'compaction') tools.session.used.add(model, event.usage);
        onEvent(event);
      });
      await tools.refresh(emit);
      return await context.compact({ hooks: tools.hooks, emit, signal: stopped }, instructions);
    } finally {
      await finish(composed);
    }
  };

async function finish({ runs, writer }: RootSession): Promise<void> {
  if (!runs.hasEnded) await writer?.flushed();
  runs.finish();
}

/** Whether the model has answered is checked after child agents are done, and before hooks are asked. */
function withAnswer(composed: RootSession, answer: StructuredOutput): readonly SessionComponent[] {
  const { components, childAgents, tools } = composed;
  return components.toSpliced(components.indexOf(childAgents) + 1, 0, structuredOutput(answer, tools.session));
}

/** Once a day, and after the work. A failure is not reported, since the session has ended; the next day tries again. */
async function removeOldSessions({ dataFolder }: Session, { settings }: FullAgentOptions): Promise<void> {
  const { cleanUpSessions } = await import('../agent/store/remove-session.js');
  const days = settings?.current.cleanupPeriodDays?.value;
  // Agents that end at the same time share one clean-up.
  await sharedRound(`clean up ${days} ${dataFolder}`, () => cleanUpSessions(dataFolder, days)).catch(() => []);
}

const isBlank = (content: readonly UserBlock[]): boolean =>
  content.every((block) => block.type === 'text' && block.text.trim() === '');
