// The session of an agent: tools, a model, and the components of the conversation.

import type { LateBudget } from '../agent/budget/late-budget.js';
import { personalAgentFolders, projectAgentFolders } from '../agent/children/agent-places.js';
import type { ComposeChild } from '../agent/children/family.js';
import { lazyAgents, type RootAgents } from '../agent/children/lazy-agents.js';
import { addedTextsComponent } from '../agent/components/added-texts.js';
import { childAgents } from '../agent/components/child-agents.js';
import { instructionsComponent } from '../agent/components/instructions.js';
import { mcpServers } from '../agent/components/mcp-servers.js';
import { observerComponents } from '../agent/components/observers.js';
import type { PresenceComponent } from '../agent/components/presence.js';
import { serverTasks } from '../agent/components/server-tasks.js';
import { type SessionWriter, sessionWriter } from '../agent/components/session-writer.js';
import { contextFrom } from '../agent/context/context-limits.js';
import { Instructions } from '../agent/instructions/instructions.js';
import { resilientModel } from '../agent/resilient-model.js';
import type { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { ReportProblem } from '../agent/store/append-log.js';
import { applyResumedSession } from '../agent/store/apply-resumed-session.js';
import type { ResumedSession } from '../agent/store/resume-session.js';
import { systemPrompt } from '../agent/system-prompt.js';
import { questionsPaused } from '../agent/working-agents.js';
import type { Model } from '../contract/model.js';
import type { SwarmPort } from '../contract/planning.js';
import type { OptionalSource } from '../settings/locations.js';
import { AgentRuns } from './agent-runs.js';
import { answersOf } from './answers.js';
import { type ComposedConversation, composeConversation } from './conversation.js';
import { createBudget } from './create-budget.js';
import { CheckApprovals, createGoals, type Goals } from './create-goals.js';
import { profileOf } from './create-tool-pool.js';
import { OpenModels } from './open-models.js';
import type { FullAgentOptions, FullEngineOptions } from './options.js';
import { pluginAgents } from './plugin-parts.js';
import { resolveOptions } from './resolve-options.js';
import { composeTools, type ToolSession } from './tool-session.js';
import { worktreeSource } from './worktree-source.js';

export interface RootSession extends ComposedConversation {
  tools: ToolSession;
  runs: AgentRuns;
  model: Model;
  models: OpenModels;
  budget: LateBudget;
  goals: Goals;
  agents: RootAgents;
  childAgents: SessionComponent;
  /** Absent if the conversation is not kept. */
  writer: SessionWriter | undefined;
  /** Absent if no other program sees what the session does. */
  presence: PresenceComponent | undefined;
}

export function composeRoot(options: FullAgentOptions, { composeChild }: { composeChild: ComposeChild }): RootSession {
  if (!options.model) throw new TypeError('createAgent needs a model. Take one from helve/models.');
  const { resumed, env = process.env } = options;
  const runs = new AgentRuns(env);
  const approvals = new CheckApprovals();
  const seen = isKept(options) ? options.presence : undefined;
  const tools = composeTools(resolveOptions(toolOptions(options, { runs, approvals, seen })), { as: 'root' });
  const { session } = tools;
  seen?.begin(session, resumed?.restored);
  if (resumed) applyResumedSession(session, resumed);
  if (resumed && !resumed.isFork) tools.servers.client.restoreTasks(resumed.restored.tasks);
  session.beginning = { source: resumed ? sourceOf(resumed) : 'startup', setup: options.setup };
  const writer = isKept(options) ? createWriter(session, options) : undefined;
  session.onTasks = () => writer?.tasksChanged();
  const system = systemPrompt({
    root: session.root,
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
    instructions: options.systemPrompt,
    withoutFacts: options.withoutFacts,
    appended: options.appendSystemPrompt,
  });
  const instructions = options.instructions ? createInstructions(tools, options) : undefined;
  const budget = createBudget(session, options, { isKept: isKept(options) });
  const model = budget.of(resilientModel(options.model, options));
  const models = new OpenModels(model, options, (one) => budget.of(one));
  const limits = { ...contextFrom(env), ...options.context };
  const agents = createAgents(tools, options, { models, limits, instructions, composeChild, budget });
  session.provide({ agents, swarm: lazySwarm(agents, session) });
  session.provide({ sideModel: models.side(session.used) }, { forChildren: true });
  const children = childAgents(agents, session, tools.notices.say);
  const goals = createGoals({ session, caller: tools.caller, approvals, model, models, budget, writer }, options);
  const conversation = composeConversation({
    session,
    model,
    system,
    limits,
    hooks: tools.hooks,
    watchers: tools.watchers,
    writer,
    refresh: ({ emit }) => tools.refresh(emit),
    ofRoot: [
      ...(seen ? [seen] : []),
      ...(options.observers ? [observerComponents(options.observers)] : []),
      mcpServers(tools.servers.servers, session, { isResumed: resumed !== undefined }),
      serverTasks(tools.servers.client, session),
      ...addedTexts(tools, options, system),
      ...(instructions ? [instructionsComponent(instructions, system)] : []),
      { name: 'hook notifications', beforeMessage: () => tools.notifications.settled() },
      { name: 'runs', afterRun: () => runs.over() },
      // Every call needs it, and it would delay the first request.
      { name: 'tool input', onRequestSent: () => void import('../tools/input.js').catch(() => {}) },
    ],
    childAgents: children,
    goal: goals.component,
    budget,
    commands: tools.commands && { commands: tools.commands, onOver: tools.endCommands },
  });
  for (const { onSeen } of conversation.components) if (onSeen) tools.ledger.listen(onSeen);
  return {
    tools,
    runs,
    model,
    models,
    budget,
    goals,
    agents,
    childAgents: children,
    writer,
    presence: seen,
    ...conversation,
  };
}

/** A session that never had a prompt begins now. */
function sourceOf({ isFork, restored }: ResumedSession): 'fork' | 'resume' | 'startup' {
  if (isFork) return 'fork';
  return restored.messages.length === 0 ? 'startup' : 'resume';
}

const isKept = ({ resumed, keepSession }: FullAgentOptions): boolean => resumed !== undefined || keepSession === true;

/** The options of the tools. Other agents may work while a question waits for its answer. */
function toolOptions(
  options: FullAgentOptions,
  { runs, approvals, seen }: { runs: AgentRuns; approvals: CheckApprovals; seen: PresenceComponent | undefined },
): FullEngineOptions {
  const { resumed, model, canUseTool: _, ...others } = options;
  const { editStyle = model.facts?.editStyle } = options;
  const toolProfile = options.toolProfile ?? options.settings?.current.toolProfile?.value ?? model.facts?.toolProfile;
  const { contextTokens } = model.facts ?? {};
  return {
    onKept: options.onStoreProblem,
    ...(contextTokens !== undefined && { contextTokens }),
    keepTranscript: isKept(options),
    ...others,
    ...(editStyle && { editStyle }),
    ...(toolProfile && { toolProfile }),
    ...questionsPaused(
      approvals.around(seen ? seen.watching(answersOf(options)) : answersOf(options)),
      () => runs.slot,
    ),
    ...(resumed && { sessionId: resumed.id, root: resumed.root }),
  };
}

function createWriter(session: Session, { resumed, model, onStoreProblem }: FullAgentOptions): SessionWriter {
  const onProblem: ReportProblem = (sentence, kind) => {
    const tell = onStoreProblem ?? ((problem) => process.emitWarning(problem));
    if (kind === 'unwritable') session.dataProblem(sentence, tell);
    else tell(sentence);
  };
  const open = async () => {
    if (resumed) return resumed.store;
    const { SessionStore } = await import('../agent/store/session-store.js');
    const { dataFolder, id, root } = session;
    const { name, provider, facts } = model;
    return new SessionStore({ dataFolder, id, root, model: name, provider, prices: facts?.prices, onProblem });
  };
  return sessionWriter({ open, held: resumed?.store }, session, onStoreProblem ?? (() => {}));
}

/** The output style, and texts of plugins for the model. Nothing is loaded if there are none. */
function addedTexts(tools: ToolSession, options: FullAgentOptions, system: string[]): SessionComponent[] {
  const { resolved, session, notices, contextFor } = tools;
  const { plugins = [] } = options;
  const style = resolved.settings()?.outputStyle;
  const contextFiles = plugins.flatMap((plugin) => plugin.contextFiles);
  if (contextFiles.length === 0 && (style === undefined || style.value === 'default')) return [];
  return [
    addedTextsComponent({
      system,
      style: style?.value,
      isOwnPrompt: options.systemPrompt === undefined,
      contextFiles,
      places: { root: session.root, home: resolved.home, dataFolder: session.dataFolder, env: resolved.env },
      isTrusted: resolved.isTrusted,
      ofPlugins: plugins.flatMap(({ name, outputStyles }) => outputStyles.map(({ path }) => ({ plugin: name, path }))),
      mayRead: (real) => contextFor('instructions', new AbortController().signal).mayRead(real),
      notify: notices.say,
    }),
  ];
}

function createInstructions(
  { session, resolved, notices, notifications, contextFor }: ToolSession,
  { sources }: FullAgentOptions,
): Instructions {
  return new Instructions({
    ...(sources && { sources }),
    root: session.root,
    home: resolved.home,
    env: resolved.env,
    dataFolder: session.dataFolder,
    isTrusted: resolved.isTrusted,
    isFollowed: resolved.followsInstructions,
    mayRead: (real) => contextFor('instructions', new AbortController().signal).mayRead(real),
    remind: (text) => session.remind(text),
    notify: notices.say,
    onLoaded: (loaded) => notifications.note('InstructionsLoaded', loaded),
  });
}

interface AgentParts {
  models: OpenModels;
  limits: FullAgentOptions['context'];
  instructions: Instructions | undefined;
  composeChild: ComposeChild;
  budget: LateBudget;
}

function createAgents(tools: ToolSession, options: FullAgentOptions, parts: AgentParts): RootAgents {
  const { session, policy, resolved } = tools;
  const { home, env, isTrusted, settings } = resolved;
  const uses = (source: OptionalSource): boolean => options.sources?.includes(source) ?? true;
  return lazyAgents({
    engine: { ...tools, decideIn: policy.decideIn },
    composeChild: parts.composeChild,
    budget: parts.budget,
    model: (name) => parts.models.ofChild(name),
    limits() {
      const { maxTurns, maxTokens, maxCostUsd } = settings()?.agents ?? {};
      return {
        ...(maxTurns && { turns: maxTurns.value }),
        ...(maxTokens && { tokens: maxTokens.value }),
        ...(maxCostUsd && { costUsd: maxCostUsd.value }),
      };
    },
    context: parts.limits ?? {},
    askUser: answersOf(options).askUser,
    editStyle: resolved.options.editStyle,
    profile: profileOf(resolved.options),
    worktrees: worktreeSource(tools),
    isKept: isKept(options),
    onStoreProblem: options.onStoreProblem,
    instructions: async () => await parts.instructions?.block(),
    given: options.agentTypes,
    mainType: options.mainType,
    folders: () => [
      ...(isTrusted() && uses('project') ? projectAgentFolders(session.root) : []),
      ...(uses('user') ? personalAgentFolders({ home, dataFolder: session.dataFolder, env }) : []),
    ],
    plugins: pluginAgents(options.plugins ?? []),
    untrustedFolders: () => (options.settings === undefined || isTrusted() ? [] : projectAgentFolders(session.root)),
  });
}

function lazySwarm(agents: RootAgents, session: Session): SwarmPort {
  const load = async () => {
    const { createSwarm } = await import('../agent/planning/swarm.js');
    return createSwarm({ agents, setTodos: (todos) => session.setTodos(todos) });
  };
  return {
    check: async (tool) => await (await load()).check(tool),
    run: async (plan, teammateCount, options) => await (await load()).run(plan, teammateCount, options),
  };
}
