// The call environment of a child agent: the gate, the log and the rules of the root session, limited by the rights of its
// parent and by its own mode, and with hooks and questions that name the agent.
import type { CallEnvironment } from '../../calls/environment.js';
import type { AgentHappening } from '../../contract/event.js';
import type { HookEvent, HookPayloads, Hooks } from '../../contract/hook.js';
import type { AskPermission, Behavior, Confinement, Decide } from '../../contract/permission.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { settleShown } from '../context/settle-shown.js';
import type { HookTranscript } from '../hook-transcript.js';
import type { Session } from '../session.js';

export type MakeEnvironment = (emit: (happening: AgentHappening) => void) => CallEnvironment;

export interface ChildIdentity {
  id: string;
  type: string;
  /** The model's name for its task. */
  description: string;
  /** Its conversation for hooks to read, if it is kept. */
  transcript?: HookTranscript | undefined;
}

export interface ChildSurroundings {
  child: ChildIdentity;
  session: Session;
  /** The environment of its parent, which limits the child. */
  parent: MakeEnvironment;
  /** Parts of the root session. */
  root: { hooks: Hooks; askPermission: AskPermission | undefined };
  /** Decides by its own mode; absent if it has none. */
  decide?: Decide | undefined;
  /** Limits all decisions further; for a child in a worktree of its own. */
  confine?: ((decide: Decide) => Decide) | undefined;
}

export function childEnvironment({
  child,
  session,
  parent,
  root,
  decide,
  confine,
}: ChildSurroundings): MakeEnvironment {
  const hooks = childHooks(root.hooks, child, session);
  const askPermission = root.askPermission && askingFor(root.askPermission, child);
  const confined = (outer: Decide): Decide => (confine ? confine(outer) : outer);
  return (emit) => {
    const outer = parent(emit);
    return {
      ...outer,
      findTool: (name) => session.tools.find(name),
      toolNames: () => session.tools.names,
      whyAbsent: (name) => session.tools.whyAbsent(name),
      decide: confined(decide ? narrowed(outer.decide, decide) : outer.decide),
      hooks,
      askPermission,
      settled: (callId, instead) => settleShown(session, callId, instead),
      contextFor(callId, signal, approval): ToolContext {
        const { mayRead, mayFollow } = outer.contextFor(callId, signal);
        return session.contextFor(callId, signal, { mayRead, ...(mayFollow && { mayFollow }), approval });
      },
    };
  };
}

const strictness: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

const looseness: Readonly<Record<Confinement, number>> = { reads: 0, edits: 1, sandbox: 2, none: 3, approved: 4 };

/** The stricter of two decisions; of two that allow, the one that confines commands more. */
export const narrowed =
  (one: Decide, other: Decide): Decide =>
  (request) => {
    const [first, second] = [one(request), other(request)];
    if (first.behavior !== second.behavior) {
      return strictness[second.behavior] > strictness[first.behavior] ? second : first;
    }
    return looseness[second.confinement ?? 'approved'] < looseness[first.confinement ?? 'approved'] ? second : first;
  };

const askingFor =
  (ask: AskPermission, { id, type, description }: ChildIdentity): AskPermission =>
  (question, signal) =>
    ask(
      { ...question, agent: { id, type, description }, reason: `the agent ${id} (${type}) asks: ${question.reason}` },
      signal,
    );

/**
 * A child has no conversation with the person, so those events do not occur. Its end has a separate event, at
 * which hooks may send it back to work.
 */
function childHooks(hooks: Hooks, { id, type, transcript }: ChildIdentity, session: Session): Hooks {
  const own = (event: HookEvent): HookEvent | undefined => {
    if (event === 'Stop') return 'SubagentStop';
    return eventsOfTheRoot.includes(event) ? undefined : event;
  };
  return {
    ...hooks,
    has(event) {
      const meant = own(event);
      return meant !== undefined && hooks.has(meant);
    },
    async run(event, payload, options) {
      const about = { agent_id: id, agent_type: type, cwd: session.cwd, permission_mode: session.mode };
      if (event !== 'Stop') return await hooks.run(event, { ...payload, ...about }, options);
      transcript?.update();
      const stop: HookPayloads['SubagentStop'] = {
        stop_hook_active: false,
        ...payload,
        ...about,
        ...(transcript && { agent_transcript_path: transcript.file }),
      };
      return await hooks.run('SubagentStop', stop, options);
    },
  };
}

const eventsOfTheRoot: readonly HookEvent[] = ['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion', 'SessionEnd'];
