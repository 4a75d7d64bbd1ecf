// The conversation of a child: its session, its tools, its rights, and the loop that runs it.
import { dirname, join } from 'node:path';
import type { ChildAgents } from '../../contract/agents.js';
import type { AgentEvent, AgentHappening } from '../../contract/event.js';
import type { HookOutcome } from '../../contract/hook.js';
import type { Message, UserBlock } from '../../contract/message.js';
import type { Model } from '../../contract/model.js';
import type { FileLedger, SeenFile } from '../../contract/tool-context.js';
import { createFileLedger } from '../../tools/editing/file-ledger.js';
import { AGENT_TOOL } from '../../tools/roles.js';
import { conversationHooks } from '../components/conversation-hooks.js';
import { loopGuard } from '../components/loop-guard.js';
import { type SessionWriter, sessionWriter } from '../components/session-writer.js';
import { ConversationContext } from '../context/conversation-context.js';
import { HookTranscript } from '../hook-transcript.js';
import { runLoop } from '../loop.js';
import { Session } from '../session.js';
import type { RunMoment, SessionComponent } from '../session-component.js';
import { agentFolder } from '../store/session-folder.js';
import { SessionStore } from '../store/session-store.js';
import { systemPrompt } from '../system-prompt.js';
import { ToolPool } from '../tool-pool.js';
import { type AgentType, childRules, mayStart } from './agent-types.js';
import type { Child, ChildMemory } from './child.js';
import { childEnvironment } from './child-environment.js';
import { takeUpChild } from './child-store.js';
import { announcement, type Family, type Parent } from './family.js';
import { type AgentLimits, limitedModel } from './limited-model.js';

export interface Conversation {
  family: Family;
  parent: Parent;
  child: Child;
  type: AgentType;
  /** Names of the parent's tools that it gets. */
  tools: readonly string[];
  model: Model;
  limits: AgentLimits;
  prompt: string;
  isResumed: boolean;
  /** What it goes on from, where that is not on the disk. */
  memory: ChildMemory | undefined;
  /** The agents that it may start itself. */
  agentsOf(parent: Parent): OwnAgents;
}

export interface OwnAgents extends ChildAgents {
  listen(emit: (happening: AgentHappening) => void): void;
  beforeEnd(signal: AbortSignal): Promise<string | undefined>;
  end(): Promise<void>;
}

export async function* converse(given: Conversation): AsyncGenerator<AgentEvent, void, void> {
  const { family, parent, child, type, limits } = given;
  const { options } = family;
  const { signal } = child;
  const model = limitedModel(given.model, limits);
  const seen = new Map<string, SeenFile>();
  let writer: SessionWriter | undefined;
  const session = new Session({
    parent: parent.session,
    callPrefix: `${child.id}_`,
    root: parent.session.root,
    dataFolder: parent.session.dataFolder,
    mode: type.mode ?? 'bypassPermissions', // the loosest: that of the parent then
    env: parent.session.env,
    home: parent.session.home,
    ledger: rememberingLedger(seen, (real, file) => writer?.onSeen(real, file)),
    tools: await toolsFor(given),
    workspace: () => parent.session.workspace,
    sandbox: () => parent.session.sandbox,
    ...(options.askUser && { askUser: options.askUser }),
  });
  session.changeDirectory(parent.session.cwd);
  if (type.mode === 'plan') session.planning.enter(); // its prompt says so
  const kept = await keptBy(given, session);
  writer = kept?.writer;
  const before = kept?.memory ?? given.memory;
  if (given.isResumed && !before) throw new Error('its conversation is not there any more');
  if (before) takeUp(session, before, options.engine.session);

  const { hooks, askPermission } = options.engine.environment(() => {});
  const environment = childEnvironment({
    child: { id: child.id, type: type.name, transcript: kept && hookTranscript(kept.file, session) },
    session,
    parent: parent.environment,
    root: { hooks, askPermission },
    decide: type.mode && options.engine.decideIn(type.mode),
  });
  const agents = given.agentsOf({
    session,
    depth: parent.depth + 1,
    agentId: child.id,
    types: [...(parent.types ?? []), type],
    environment,
    model: given.model,
  });
  session.provide({ agents });
  const system = systemPrompt({
    root: session.root,
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
    instructions: `${type.prompt}\n\n${childRules}`,
    appended: type.withoutInstructions ? undefined : await options.instructions?.(),
  });
  try {
    const started = await startHooks(given, session);
    if (started?.stop) throw new Error(`a hook stopped it: ${started.stop.reason}`);
    for (const text of started?.additionalContext ?? []) session.remind(text);
    await tellOfTools(family, session, [...(parent.types ?? []), type]);
    const components: readonly SessionComponent[] = [
      ...options.engine.watchers,
      writer,
      // Notices about settings go to the root, which outlives the child.
      { name: 'settings', refresh: () => options.engine.refresh(family.tellRoot) },
      {
        name: 'child agents',
        prepare: async (_prompt: readonly UserBlock[], { emit }: RunMoment) => agents.listen(emit),
        beforeEnd: (_lastText: string, { signal: ending }: RunMoment) => agents.beforeEnd(ending),
      },
      conversationHooks({ hooks: environment(() => {}).hooks, session, model: model.name }),
      loopGuard(session),
    ].filter((component) => component !== undefined);
    const events = runLoop({
      session,
      model,
      context: new ConversationContext({ ...options.context, session, model, system, keeper: writer }),
      components,
      environment,
      prompt: [{ type: 'text', text: given.prompt }],
      maxTurns: limits.turns,
      signal,
    });
    for (const text of [...(started?.messages ?? []), ...(started?.reports ?? [])]) yield notice(text);
    yield* events;
  } finally {
    await agents.end();
    await session.end();
    await writer?.flushed();
    await writer?.end();
    const { messages } = session.transcript;
    child.memory = { messages, callIds: callIdsIn(messages), seen, cwd: session.cwd };
  }
}

const callIdsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));

const notice = (text: string): AgentEvent => ({ type: 'notice', text, at: Date.now() });

/**
 * The parent's tools that it may have, as they are now, and those of its own. The others are known to it, so that a call
 * of one is answered with the rule that denies it, or that the agent was not given it.
 */
async function toolsFor({ parent, type, tools, family }: Conversation): Promise<ToolPool> {
  const own = (await type.brings?.()) ?? [];
  const has = new Set([...tools, ...own.map(({ name }) => name)]);
  const { all, servers } = parent.session.tools;
  const given = all.filter(
    ({ tool, enabled, denied }) => (enabled || denied) && !own.some(({ name }) => name === tool.name),
  );
  const denied = new Set(given.flatMap((pooled) => (pooled.denied ? [pooled.tool.name] : [])));
  const pool = new ToolPool({
    builtIn: given.filter(({ source }) => source === 'builtin').map(({ tool }) => tool),
    added: [...own, ...given.filter(({ source }) => source === 'added').map(({ tool }) => tool)],
    mode: 'child',
    simpleNames: [],
    granted: [...has, ...denied],
    switchOf: () => true, // its parent has them
    hasSetting: () => true,
    root: parent.session.root,
    ...(family.options.editStyle && { editStyle: family.options.editStyle }),
  });
  pool.hideDenied((name) => denied.has(name));
  const fromServers = given.flatMap(({ tool, server }) =>
    server === undefined ? [] : [{ tool, server, denied: denied.has(tool.name) }],
  );
  pool.setServers({ tools: fromServers, states: servers });
  await pool.ready();
  return pool;
}

/** What is not in the definitions that it gets: types of agents, and tools that are known by name only. */
async function tellOfTools(family: Family, session: Session, above: readonly AgentType[]): Promise<void> {
  if (session.tools.names.includes(AGENT_TOOL)) {
    const { types } = await family.types();
    const text = announcement(types.filter((each) => above.every((one) => mayStart(one, each))));
    if (text !== undefined) session.remind(text);
  }
  const named = session.tools.all.filter(
    ({ tool, enabled, source }) => enabled && source === 'mcp' && tool.exposure === 'deferred',
  );
  if (named.length === 0) return;
  session.remind(`Tools of MCP servers that can be loaded by name: ${named.map(({ tool }) => tool.name).join(', ')}`);
}

async function startHooks({ family, child, type }: Conversation, session: Session): Promise<HookOutcome | undefined> {
  const { hooks } = family.options.engine.environment(() => {});
  if (!hooks.has('SubagentStart')) return undefined;
  const about = { cwd: session.cwd, permission_mode: session.mode };
  const payload = { agent_id: child.id, agent_type: type.name, ...about };
  return await hooks.run('SubagentStart', payload, { signal: child.signal });
}

const hookTranscript = (file: string, session: Session): HookTranscript =>
  new HookTranscript({
    file: join(dirname(file), 'transcript.jsonl'),
    sessionId: session.id,
    cwd: () => session.cwd,
    transcript: session.transcript,
    isSidechain: true,
  });

interface Kept {
  writer: SessionWriter;
  file: string;
  memory?: ChildMemory;
}

async function keptBy(
  { family, parent, child, type, model, isResumed }: Conversation,
  session: Session,
): Promise<Kept | undefined> {
  const { isKept, onStoreProblem = () => {} } = family.options;
  if (!isKept) return undefined;
  const { dataFolder, id: sessionId, root } = session;
  const folder = agentFolder(dataFolder, sessionId, child.id);
  const stored = {
    dataFolder,
    id: child.id,
    root,
    model: model.name,
    prices: model.facts?.prices,
    onProblem: onStoreProblem,
  };
  const taken = isResumed ? await takeUpChild(folder, stored) : undefined;
  if (taken) {
    const { messages, callIds, ledger, cwd } = taken.restored;
    const writer = sessionWriter(async () => taken.store, session, onStoreProblem);
    await writer.open();
    return { writer, file: folder.file, memory: { messages, callIds, seen: ledger, cwd } };
  }
  const facts = {
    type: type.name,
    description: child.description,
    ...(parent.agentId !== undefined && { parent: parent.agentId }),
  };
  const newStore = async () => new SessionStore({ ...stored, agent: { folder, facts } });
  return { writer: sessionWriter(newStore, session, onStoreProblem), file: folder.file };
}

function takeUp(session: Session, { messages, callIds, seen, cwd }: ChildMemory, root: Session): void {
  for (const message of messages) session.transcript.append(message);
  for (const id of callIds) root.claimCallId(id);
  session.shownFiles.restore({ callIds, ledger: seen });
  if (cwd !== undefined) session.changeDirectory(cwd);
}

/** What the child has seen is its own: neither its parent nor another child has. */
function rememberingLedger(seen: Map<string, SeenFile>, onSeen: (real: string, file: SeenFile) => void): FileLedger {
  const ledger = createFileLedger();
  return {
    get: (real) => ledger.get(real),
    set(real, file) {
      const { bytes: _, ...facts } = file; // which may be many
      seen.set(real, facts);
      ledger.set(real, file);
      onSeen(real, file);
    },
    forget(real) {
      seen.delete(real);
      ledger.forget(real);
    },
  };
}
