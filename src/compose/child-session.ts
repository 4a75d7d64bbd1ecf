import { childEnvironment } from '../agent/children/child-environment.js';
import type { ChildOptions, ChildSession } from '../agent/children/family.js';
import { sessionWriter } from '../agent/components/session-writer.js';
import { HookTranscript } from '../agent/hook-transcript.js';
import { Session } from '../agent/session.js';
import type { RunMoment, SessionComponent } from '../agent/session-component.js';
import { composeConversation } from './conversation.js';

/** The session of a child agent: a child of its parent's session, with no more rights than the parent has. */
export function composeChild(options: ChildOptions): ChildSession {
  const { family, parent, id, type, description, callId, model, ledger, store, system, worktree } = options;
  const { engine, askUser, onStoreProblem = () => {} } = family.options;
  const session = new Session({
    parent: parent.session,
    callPrefix: `${id}_`,
    root: worktree?.root ?? parent.session.root,
    worktree: worktree ?? parent.session.worktree,
    dataFolder: parent.session.dataFolder,
    mode: type.mode ?? 'bypassPermissions', // the most permissive mode, so that the parent's mode decides
    env: parent.session.env,
    home: parent.session.home,
    ledger,
    tools: options.tools,
  });
  session.connect({
    workspace: () => (worktree ? [worktree.root] : parent.session.workspace),
    sandbox: () => parent.session.sandbox,
    ...(askUser && { askUser }),
  });
  session.changeDirectory(worktree?.root ?? parent.session.cwd);
  if (type.mode === 'plan') session.planning.enter(); // its prompt says so
  const writer = store && sessionWriter(store, session, onStoreProblem);
  if (writer) ledger.listen(writer.onSeen);
  const { hooks, askPermission } = engine.environment(() => {});
  const environment = childEnvironment({
    child: { id, type: type.name, description, transcript: store && hookTranscript(store.transcript, session) },
    session,
    parent: parent.environment,
    root: { hooks, askPermission },
    decide: type.mode && engine.decideIn(type.mode),
    confine: options.confine,
  });
  const agents = options.agentsOf({
    session,
    depth: parent.depth + 1,
    agentId: id,
    types: [...(parent.types ?? []), type],
    environment,
    model: options.modelForChildren,
  });
  session.provide({ agents });
  const childAgents: SessionComponent = {
    name: 'child agents',
    prepare: async (_prompt, { emit }: RunMoment) => agents.listen(emit),
    beforeEnd: (_lastText, { signal }: RunMoment) => agents.beforeEnd(signal),
  };
  const conversation = composeConversation({
    session,
    model,
    system,
    limits: family.options.context,
    hooks: environment(() => {}).hooks,
    watchers: engine.watchers.map((watcher) => watcher.ofChild?.({ type: type.name, parentCallId: callId }) ?? watcher),
    writer,
    refresh: () => engine.refresh(family.tellRoot), // notices about settings go to the root, which outlives the child
    childAgents,
    budget: family.options.budget,
  });
  return { session, environment, agents, writer, ...conversation };
}

const hookTranscript = (file: string, session: Session): HookTranscript =>
  new HookTranscript({
    file,
    sessionId: session.id,
    cwd: () => session.cwd,
    transcript: session.transcript,
    isSidechain: true,
  });
