import { personalAgentFolders, projectAgentFolders } from '../agent/children/agent-places.js';
import { lazyAgents, type RootAgents } from '../agent/children/lazy-agents.js';
import { childAgents } from '../agent/components/child-agents.js';
import { commandsComponent } from '../agent/components/commands.js';
import { conversationHooks } from '../agent/components/conversation-hooks.js';
import { instructionsComponent } from '../agent/components/instructions.js';
import { loopGuard } from '../agent/components/loop-guard.js';
import { mcpServers } from '../agent/components/mcp-servers.js';
import { observerComponents } from '../agent/components/observers.js';
import { type SessionWriter, sessionWriter } from '../agent/components/session-writer.js';
import { structuredOutput } from '../agent/components/structured-output.js';
import { contextFrom } from '../agent/context/context-limits.js';
import { ConversationContext } from '../agent/context/conversation-context.js';
import { Instructions } from '../agent/instructions/instructions.js';
import { runLoop } from '../agent/loop.js';
import { resilientModel, resilientModelNamed } from '../agent/resilient-model.js';
import type { Session } from '../agent/session.js';
import { emitter, type RunMoment, type SessionComponent } from '../agent/session-component.js';
import type { ReportProblem } from '../agent/store/append-log.js';
import { applyResumedSession } from '../agent/store/apply-resumed-session.js';
import type { SessionStore } from '../agent/store/session-store.js';
import type { StructuredOutput } from '../agent/structured-output.js';
import { systemPrompt } from '../agent/system-prompt.js';
import type { UsageByModel } from '../agent/usage-by-model.js';
import { beginWork, questionsPaused, type Work } from '../agent/working-agents.js';
import type { AgentEvent } from '../contract/event.js';
import type { UserBlock } from '../contract/message.js';
import type { Model } from '../contract/model.js';
import type { OutputOf, OutputOptions, OutputSchema, Prompt, Run, RunOptions } from '../contract/run.js';
import type { SideModel } from '../contract/web.js';
import { homeFolder } from '../platform/files/paths.js';
import { sharedRound } from '../platform/shared-round.js';
import type { FullAgent } from './agent.js';
import { answersOf } from './answers.js';
import { checkCompactOptions, checkMode } from './check-calls.js';
import { createEngine } from './create-engine.js';
import type { FullEngine } from './engine.js';
import { outputRun, plainRun } from './event-run.js';
import type { FullAgentOptions } from './options.js';

export function createAgent(options: FullAgentOptions): FullAgent {
  if (!options.model) throw new TypeError('createAgent needs a model. Take one from helve/models.');
  const { editStyle = options.model.facts?.editStyle } = options;
  const { contextTokens } = options.model.facts ?? {};
  const { resumed, model: asked } = options;
  const { canUseTool: _, ...others } = options;
  const answers = answersOf(options); // those of canUseTool among them
  let writer: SessionWriter | undefined;
  let work: Work | undefined;
  let components: readonly SessionComponent[] = [];
  let fileInstructions: Instructions | undefined;
  const engine = createEngine({
    onKept: options.onStoreProblem,
    ...(editStyle && { editStyle }),
    ...(contextTokens !== undefined && { contextTokens }),
    keepTranscript: resumed !== undefined || options.keepSession === true,
    ...others,
    ...questionsPaused(answers, () => work),
    ...(resumed && { sessionId: resumed.id, root: resumed.root }),
    ...((resumed || options.keepSession || options.instructions) && {
      onSeen: (real, seen) => {
        for (const component of components) component.onSeen?.(real, seen);
        options.onSeen?.(real, seen);
      },
    }),
  });
  const { session } = engine;
  if (resumed) applyResumedSession(session, resumed);
  session.beginning = { source: resumed ? (resumed.isFork ? 'fork' : 'resume') : 'startup', setup: options.setup };
  const newStore = async (): Promise<SessionStore> => {
    const { SessionStore } = await import('../agent/store/session-store.js');
    const { dataFolder, id, root } = session;
    const prices = asked.facts?.prices;
    const onProblem: ReportProblem = (sentence, kind) => {
      const tell = options.onStoreProblem ?? ((problem) => process.emitWarning(problem));
      if (kind === 'unwritable') session.dataProblem(sentence, tell);
      else tell(sentence);
    };
    return new SessionStore({ dataFolder, id, root, model: asked.name, prices, onProblem });
  };
  if (resumed || options.keepSession) {
    writer = sessionWriter(
      resumed ? async () => resumed.store : newStore,
      session,
      options.onStoreProblem ?? (() => {}),
    );
  }
  const system = systemPrompt({
    root: engine.session.root,
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
    instructions: options.systemPrompt,
    appended: options.appendSystemPrompt,
  });
  if (options.instructions) fileInstructions = instructionsOf(engine, options);
  const model = resilientModel(options.model, options);
  const models = new Set([model]);
  const opened = (another: Model): Model => {
    models.add(another);
    return another;
  };
  const release = (): void => {
    for (const each of models) each.release?.();
  };
  const context = new ConversationContext({
    ...contextFrom(options.env ?? process.env),
    ...options.context,
    session,
    model,
    system,
    keeper: writer,
  });
  const { used } = session;
  const agents = childrenOf(
    engine,
    { ...options, editStyle, askUser: answers.askUser },
    { model, opened, instructions: () => fileInstructions?.block() },
  );
  const swarm = async () => {
    const { createSwarm } = await import('../agent/planning/swarm.js');
    return createSwarm({ agents, setTodos: (todos) => session.setTodos(todos) });
  };
  session.provide({
    agents,
    swarm: {
      check: async (tool) => await (await swarm()).check(tool),
      run: async (plan, teammateCount, options) => await (await swarm()).run(plan, teammateCount, options),
    },
  });
  session.provide({ sideModel: sideModelOf(options, { opened, used }) }, { forChildren: true });
  const hooks = conversationHooks({ hooks: engine.hooks, session, model: model.name });
  const { commands } = engine;
  const children = childAgents(agents, session, engine.notify);
  // In the order in which they see events and prompts.
  components = [
    ...engine.watchers,
    writer,
    options.observers && observerComponents(options.observers),
    { name: 'settings', refresh: ({ emit }: RunMoment) => engine.refresh(emit) },
    mcpServers(engine.servers, session, { isResumed: resumed !== undefined }),
    fileInstructions && instructionsComponent(fileInstructions, system),
    { name: 'hook notifications', beforeMessage: () => engine.hookNotifications.settled() },
    children,
    hooks,
    commands && commandsComponent({ commands, onCommand: hooks.onCommand, onOver: () => engine.endCommands() }),
    loopGuard(session),
    { name: 'run', afterRun: () => running?.over.resolve() },
  ].filter((component) => component !== undefined);
  /** Whether the model has answered is looked at after child agents are done, and before hooks are asked. */
  const componentsWith = (answer: StructuredOutput | undefined): readonly SessionComponent[] => {
    if (!answer) return components;
    const at = components.indexOf(children) + 1;
    return components.toSpliced(at, 0, structuredOutput(answer, session));
  };
  let running: { stop: AbortController; over: PromiseWithResolvers<void> } | undefined;
  let ended: Promise<void> | undefined;
  /** One thing at a time, since all of it is one history. */
  const begin = (signal: AbortSignal | undefined): AbortSignal => {
    if (ended)
      throw new Error('This agent has ended, so it takes nothing more. Create another one, or resume its session.');
    if (running)
      throw new Error('This agent is already running a prompt. Wait for its result, or create another agent.');
    const stop = new AbortController();
    running = { stop, over: Promise.withResolvers() };
    return signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  };
  const finish = async (): Promise<void> => {
    if (!ended) await writer?.flushed();
    running?.over.resolve();
    running = undefined;
  };
  const interrupt = (): void => running?.stop.abort(new Error('Interrupted.'));

  const end = async (): Promise<void> => {
    // The run goes on to its end in good order. Who reads its events may be the one who waits here, so that is not waited for.
    interrupt();
    await running?.over.promise;
    await writer?.flushed();
    await agents.end();
    await engine.end().finally(() => writer?.end());
    engine.reportUnsavedData();
    release();
    if (writer) await removeOldSessions(session, options);
  };

  async function* events(
    prompt: Prompt,
    { signal, steering, answer }: RunOptions & { answer?: StructuredOutput } = {},
  ): AsyncGenerator<AgentEvent, void, void> {
    const content: readonly UserBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    if (isBlank(content)) throw new TypeError('The prompt is empty, so there is nothing to send. Give it some words.');
    const stopped = begin(signal);
    try {
      work = await beginWork(options.env ?? process.env, stopped);
      yield* runLoop({
        session,
        model,
        context,
        components: componentsWith(answer),
        environment: engine.environment,
        prompt: content,
        steering,
        maxTurns: options.maxTurns,
        maxTimeMs: options.maxTimeMs ?? minutes(options.settings?.current.maxRunMinutes?.value),
        signal: stopped,
      });
    } finally {
      if (work?.end()) {
        release();
        await session.rest(); // what it would keep ready for its next prompt is needed by others
      }
      work = undefined;
      await finish();
    }
  }
  function run(prompt: Prompt, options?: RunOptions & { output?: undefined }): Run;
  function run<Schema extends OutputSchema>(prompt: Prompt, options: OutputOptions<Schema>): Run<OutputOf<Schema>>;
  function run(prompt: Prompt, options: RunOptions | OutputOptions<OutputSchema> = {}): Run | Run<unknown> {
    const hasSchema = typeof options === 'object' && options !== null && 'output' in options && options.output;
    return hasSchema ? outputRun(events, prompt, options) : plainRun(events, prompt, options);
  }
  const compact: FullAgent['compact'] = async (instructions, { signal, onEvent = () => {} } = {}) => {
    const stopped = begin(signal);
    try {
      const emit = emitter(components, (event) => {
        if (event.type === 'compaction') used.add(model, event.usage);
        onEvent(event);
      });
      await engine.refresh(emit);
      return await context.compact({ hooks: engine.hooks, emit, signal: stopped }, instructions);
    } finally {
      await finish();
    }
  };
  const endOnce = (): Promise<void> => {
    ended ??= end();
    return ended;
  };

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
    commands: async () => (await engine.commands?.listed()) ?? [],
    agentTypes: () => agents.types(),
    contextUsage: () => context.usage(),
    interrupt,
    end: endOnce,
    [Symbol.asyncDispose]: endOnce,
  };
}

/** Once a day, and after the work. A failure is left for the next day: nobody is there any more to be told. */
async function removeOldSessions({ dataFolder }: Session, { settings }: FullAgentOptions): Promise<void> {
  const { cleanUpSessions } = await import('../agent/store/remove-session.js');
  const days = settings?.current.cleanupPeriodDays?.value;
  // Of agents that end at the same time, each would find it due.
  await sharedRound(`clean up ${days} ${dataFolder}`, () => cleanUpSessions(dataFolder, days)).catch(() => []);
}

function instructionsOf(
  engine: FullEngine,
  { home = homeFolder(), env = process.env }: FullAgentOptions,
): Instructions {
  const { session } = engine;
  return new Instructions({
    root: session.root,
    home,
    env,
    dataFolder: session.dataFolder,
    isTrusted: engine.isTrusted,
    mayRead: (real) => engine.contextFor('instructions', new AbortController().signal).mayRead(real),
    remind: (text) => session.remind(text),
    notify: engine.notify,
    onLoaded: (loaded) => engine.hookNotifications.note('InstructionsLoaded', loaded),
  });
}

interface Related {
  /** Notes a model whose connections are closed with the agent. */
  opened(model: Model): Model;
  /** Of the agent itself. */
  model: Model;
  /** What files of the person and the project say. */
  instructions(): Promise<string | undefined> | undefined;
}

function childrenOf(
  engine: FullEngine,
  options: FullAgentOptions,
  { model, opened, instructions }: Related,
): RootAgents {
  const { home = homeFolder(), env = process.env, settings } = options;
  const { session } = engine;
  return lazyAgents({
    engine,
    async model(name) {
      const meant = name === undefined ? undefined : (settings?.current.agentModels.get(name)?.value ?? name);
      if (options.childModel) return opened(await options.childModel(meant));
      return meant === undefined ? model : opened(await resilientModelNamed(meant, options));
    },
    limits() {
      const { maxTurns, maxTokens, maxCostUsd } = settings?.current.agents ?? {};
      return {
        ...(maxTurns && { turns: maxTurns.value }),
        ...(maxTokens && { tokens: maxTokens.value }),
        ...(maxCostUsd && { costUsd: maxCostUsd.value }),
      };
    },
    context: { ...contextFrom(env), ...options.context },
    askUser: options.askUser,
    editStyle: options.editStyle,
    isKept: options.resumed !== undefined || options.keepSession === true,
    onStoreProblem: options.onStoreProblem,
    instructions: async () => await instructions(),
    folders: () => [
      ...(engine.isTrusted() ? projectAgentFolders(session.root) : []),
      ...personalAgentFolders({ home, dataFolder: session.dataFolder, env }),
    ],
    untrustedFolders: () => (settings === undefined || engine.isTrusted() ? [] : projectAgentFolders(session.root)),
  });
}

/** Absent where nobody has named a model for small tasks: the one of the conversation is too dear for them. */
function sideModelOf(
  options: FullAgentOptions,
  { opened, used }: Pick<Related, 'opened'> & { used: UsageByModel },
): SideModel | undefined {
  const { env = process.env } = options;
  const name = options.settings?.current.smallModel?.value ?? env['HELVE_SMALL_MODEL']?.trim();
  if (!options.sideModel && !name) return undefined;
  const choose = async (): Promise<Model> =>
    opened(await (options.sideModel?.() ?? resilientModelNamed(name, options)));
  let made: SideModel | undefined;
  return {
    async answer(question, text, signal) {
      const { sideModel } = await import('../agent/side-model.js');
      made ??= sideModel({ choose, used: (model, usage) => used.add(model, usage) });
      return await made.answer(question, text, signal);
    },
  };
}

const minutes = (count: number | undefined): number | undefined => count && count * 60_000;

const isBlank = (content: readonly UserBlock[]): boolean =>
  content.every((block) => block.type === 'text' && block.text.trim() === '');
