// The conversation of a child agent: composes its session, and runs its loop.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentEvent } from '../../contract/event.js';
import type { HookOutcome } from '../../contract/hook.js';
import type { Message } from '../../contract/message.js';
import type { Model } from '../../contract/model.js';
import type { FileLedger, SeenFile } from '../../contract/tool-context.js';
import type { SessionWorktree, WorktreeEnd } from '../../contract/worktree.js';
import { messageOf } from '../../platform/message-of.js';
import { createFileLedger } from '../../tools/editing/file-ledger.js';
import { AGENT_TOOL } from '../../tools/roles.js';
import type { StoreSource } from '../components/session-writer.js';
import { runLoop } from '../loop.js';
import type { Session } from '../session.js';
import { agentFolder } from '../store/session-folder.js';
import { SessionStore } from '../store/session-store.js';
import { systemPrompt } from '../system-prompt.js';
import { ToolPool } from '../tool-pool.js';
import { WatchedLedger } from '../watched-ledger.js';
import { type AgentType, childRules, mayStart } from './agent-types.js';
import type { Child, ChildMemory } from './child.js';
import { resumeChild } from './child-store.js';
import {
  type ChildWorktree,
  childWorktree,
  type Outside,
  withinWorktree,
  worktreeNameOf,
  worktreeNote,
  worktreeRules,
} from './child-worktree.js';
import { announcement, type Family, type OwnAgents, type Parent } from './family.js';
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
  /** The state from which it continues, if that is not on disk. */
  memory: ChildMemory | undefined;
  /** It works in a git worktree of its own. */
  isolation?: 'worktree' | undefined;
  worktreeEnd?: WorktreeEnd | undefined;
  /** The agents that it may start itself. */
  agentsOf(parent: Parent): OwnAgents;
}

export async function* converse(given: Conversation): AsyncGenerator<AgentEvent, void, void> {
  const { worktrees } = given.family;
  const worktree = await worktreeFor(given);
  if (worktree) worktrees.add(worktree.place);
  try {
    yield* converseIn(given, worktree);
  } finally {
    if (worktree) {
      await finishWorktree(given.child, worktree);
      worktrees.delete(worktree.place);
    }
  }
}

/** An agent that had a worktree goes back to it when it is resumed. */
async function worktreeFor({
  family,
  parent,
  child,
  isolation,
  ...given
}: Conversation): Promise<ChildWorktree | undefined> {
  const hadOne = given.isResumed && (await hadWorktree(parent.session, child));
  if (isolation !== 'worktree' && !hadOne) return undefined;
  const { description, id: agentId, signal } = child;
  const { worktrees: source } = family.options;
  return await childWorktree({ parent: parent.session, agentId, description, source, end: given.worktreeEnd, signal });
}

async function hadWorktree({ dataFolder }: Session, { id }: Child): Promise<boolean> {
  const { hasWorktree } = await import('../../platform/worktrees/worktree-record.js');
  return hasWorktree(dataFolder, worktreeNameOf(id));
}

const outsideOf = ({ parent, family }: Conversation, { folder, top }: SessionWorktree): Outside => ({
  folders: [...parent.session.workspace, top, dirname(folder)],
  worktrees: [...family.worktrees],
});

/** A failure at the end loses nothing: the worktree stays as it is. */
async function finishWorktree(child: Child, { place, finish }: ChildWorktree): Promise<void> {
  const { branch, folder } = place;
  try {
    const outcome = await finish();
    child.worktree = { branch, folder, ...outcome };
    child.notes.push(worktreeNote(place, outcome));
  } catch (error) {
    child.notes.push(
      `Its worktree ${folder} could not be finished and stays as it is, with its branch ${branch}: ${messageOf(error)}`,
    );
  }
}

async function* converseIn(
  given: Conversation,
  worktree: ChildWorktree | undefined,
): AsyncGenerator<AgentEvent, void, void> {
  const { family, parent, child, type, limits } = given;
  const { options } = family;
  const seen = new Map<string, SeenFile>();
  const model = limitedModel(given.model, limits);
  const tools = await toolsFor(given);
  const appended = type.withoutInstructions ? undefined : await options.instructions?.();
  const kept = await keptBy(given); // a resumed one has its lock from here on
  const { session, environment, context, components, agents, writer } = options.composeChild({
    family,
    parent,
    id: child.id,
    type,
    description: child.description,
    callId: child.callId,
    tools,
    model,
    modelForChildren: given.model,
    ledger: new WatchedLedger(rememberingLedger(seen)),
    system: systemPrompt({
      root: worktree?.place.root ?? parent.session.root,
      platform: process.platform,
      date: new Date().toISOString().slice(0, 10),
      instructions: [
        type.prompt,
        childRules,
        ...(worktree ? [worktreeRules(worktree.place, worktree.notes)] : []),
      ].join('\n\n'),
      appended,
    }),
    worktree: worktree?.place,
    confine: worktree && ((decide) => withinWorktree(decide, worktree.place, () => outsideOf(given, worktree.place))),
    store: kept,
    agentsOf: given.agentsOf,
  });
  if (kept?.memory) await writer?.open();
  const before = kept?.memory ?? given.memory;
  if (given.isResumed && !before) throw new Error('its conversation is not there any more');
  if (before) restoreMemory(session, before, options.engine.session);
  try {
    const started = await startHooks(given, session);
    if (started?.stop) throw new Error(`a hook stopped it: ${started.stop.reason}`);
    for (const text of started?.additionalContext ?? []) session.remind(text);
    await announceTools(family, session, [...(parent.types ?? []), type]);
    const events = runLoop({
      session,
      model,
      context,
      components,
      environment,
      prompt: [{ type: 'text', text: given.prompt }],
      maxTurns: limits.turns,
      signal: child.signal,
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
 * The parent's current tools that it may have, and its own. The other tools are known but disabled, so that a call
 * fails with the rule that denies it, or with the reason that the agent was not given the tool.
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
    switchOf: () => true, // they are switched on in its parent
    hasSetting: () => true,
    root: parent.session.root,
    ...(family.options.editStyle && { editStyle: family.options.editStyle }),
    profile: family.options.profile,
  });
  pool.hideDenied((name) => denied.has(name));
  const fromServers = given.flatMap(({ tool, server }) =>
    server === undefined ? [] : [{ tool, server, denied: denied.has(tool.name) }],
  );
  pool.setServers({ tools: fromServers, states: servers });
  await pool.ready();
  return pool;
}

/** Announces agent types and deferred tools, which are not in the tool definitions. */
async function announceTools(family: Family, session: Session, above: readonly AgentType[]): Promise<void> {
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

interface Kept extends StoreSource {
  /** The file of its transcript for hooks. */
  transcript: string;
  /** The state from which it continues. */
  memory?: ChildMemory;
}

async function keptBy({ family, parent, child, type, model, isResumed }: Conversation): Promise<Kept | undefined> {
  const { isKept, onStoreProblem = () => {} } = family.options;
  if (!isKept) return undefined;
  const { dataFolder, id: sessionId, root } = parent.session;
  const folder = agentFolder(dataFolder, sessionId, child.id);
  const transcript = join(dirname(folder.file), 'transcript.jsonl');
  const stored = {
    dataFolder,
    id: child.id,
    root,
    model: model.name,
    prices: model.facts?.prices,
    onProblem: onStoreProblem,
  };
  const resumed = isResumed ? await resumeChild(folder, stored) : undefined;
  if (resumed) {
    const { messages, callIds, ledger, cwd } = resumed.restored;
    const memory = { messages, callIds, seen: ledger, cwd };
    return { open: async () => resumed.store, held: resumed.store, transcript, memory };
  }
  const facts = {
    type: type.name,
    description: child.description,
    ...(parent.agentId !== undefined && { parent: parent.agentId }),
  };
  return { open: async () => new SessionStore({ ...stored, agent: { folder, facts } }), transcript };
}

function restoreMemory(session: Session, { messages, callIds, seen, cwd }: ChildMemory, root: Session): void {
  for (const message of messages) session.transcript.append(message);
  for (const id of callIds) root.claimCallId(id);
  session.shownFiles.restore({ callIds, ledger: seen });
  if (cwd === undefined) return;
  if (existsSync(cwd)) session.changeDirectory(cwd);
  else session.remind(`The folder that you worked in, ${cwd}, is not there any more. You are in ${session.cwd} now.`);
}

/** The ledger of one child: its parent and other children have not seen these files. */
function rememberingLedger(seen: Map<string, SeenFile>): FileLedger {
  const ledger = createFileLedger();
  return {
    get: (real) => ledger.get(real),
    set(real, file) {
      const { bytes: _, ...facts } = file; // without the bytes, which may be large
      seen.set(real, facts);
      ledger.set(real, file);
    },
    forget(real) {
      seen.delete(real);
      ledger.forget(real);
    },
  };
}
