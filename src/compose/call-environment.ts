import { settleShown } from '../agent/context/settle-shown.js';
import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { CallEnvironment } from '../calls/environment.js';
import type { Effect } from '../contract/effect.js';
import type { AgentHappening } from '../contract/event.js';
import type { Hooks } from '../contract/hook.js';
import type { AskPermission, Decision, DecisionRequest } from '../contract/permission.js';
import type { Tool } from '../contract/tool.js';
import type { Approval, SessionPort, ToolContext } from '../contract/tool-context.js';
import { realPathSync } from '../platform/files/paths.js';
import { declaredWritesOf, mayChangeFiles } from '../platform/journal/effect-writes.js';
import { sessionWriters } from '../platform/journal/session-changes.js';
import { lazy } from '../platform/lazy.js';

// Not needed before the first command.
const commandSlots = lazy(() => import('../platform/shell/command-slots.js'));

export interface CallParts {
  session: Session;
  policy: SessionPolicy;
  hooks: Hooks;
  builtIn: readonly Tool[];
  askPermission: AskPermission | undefined;
  /** Resolves once calls may start. */
  ready(emit: (happening: AgentHappening) => void): Promise<void>;
  recorded: CallEnvironment['recorded'];
}

/** The parts of a session that calls use. */
export interface Calls {
  /** The call environment that sends its events to `emit`. */
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** The parts of the session that a tool can use in one call. */
  contextFor(callId: string, signal: AbortSignal, approval?: Approval): ToolContext;
}

export function createCallEnvironment(parts: CallParts): Calls {
  const { session, policy, hooks, builtIn, askPermission, ready, recorded } = parts;
  const { tools } = session;
  const builtInNames = new Set(builtIn.map(({ name }) => name));
  const describeConfinement = confinementDescriber(session, policy);
  const contextFor: Calls['contextFor'] = (callId, signal, approval) => {
    let reader: ((real: string) => boolean) | undefined;
    const mayRead = (real: string): boolean => {
      reader ??= policy.reader();
      return reader(real);
    };
    const mayFollow: ToolContext['mayFollow'] = (request) => !isRuledOut(policy.decide(request));
    return session.contextFor(callId, signal, { mayRead, mayFollow, approval });
  };
  return {
    contextFor,
    environment: (emit) => ({
      ready: () => ready(emit),
      findTool: (name) => tools.find(name),
      toolNames: () => tools.names,
      whyAbsent: (name) => tools.whyAbsent(name),
      gate: session.gate,
      slots: session.slots,
      whenCommandsMayRun: async (work, signal) =>
        await (await commandSlots()).withCommandSlot(work, {
          owner: session.slots, // that of the whole family
          env: session.env,
          signal,
          onWait: (text) => emit({ type: 'notice', text }),
        }),
      decide: policy.decide,
      hooks,
      suggestRules: policy.suggest,
      whyNoRule: policy.whyNoRule,
      assessRisks: policy.risks,
      describeConfinement,
      remember: policy.remember,
      onRemembered: policy.onRemembered,
      askPermission,
      chooseMode: (mode) => {
        session.mode = mode;
      },
      agreed: (callId) => session.planning.agreed(callId),
      contextFor,
      announceWriter: ({ tool, callId, effects }) =>
        builtInNames.has(tool) ? undefined : announceCall(session, { name: `${callId} (${tool})`, effects }),
      ...(recorded && { recorded }),
      settled: (callId, instead) => settleShown(session, callId, instead),
      emit,
    }),
  };
}

/** The first description also says why commands can't be confined on this machine, if they can't. */
function confinementDescriber(session: Session, policy: SessionPolicy): CallEnvironment['describeConfinement'] {
  let hasGivenReason = false;
  return (request: DecisionRequest) => {
    const words = policy.describeConfinement(request);
    const { whyUnconfined } = session;
    if (words === undefined || whyUnconfined === undefined || hasGivenReason) return words;
    hasGivenReason = true;
    return `${words} ${whyUnconfined}`;
  };
}

/** Denied, or asked about because of a rule; not if it is asked about because no rule matches. */
const isRuledOut = ({ behavior, trail = [] }: Decision): boolean =>
  behavior === 'deny' || trail.some(({ basis }) => basis === 'deny_rule' || basis === 'ask_rule');

/** Announces a call of a tool that keeps no journal, to sessions that work in the same project. Undefined if it writes nothing. */
function announceCall(
  session: SessionPort,
  { name, effects }: { name: string; effects: readonly Effect[] },
): Promise<() => void> | undefined {
  if (!mayChangeFiles(effects)) return undefined;
  const isKnown = effects.every(({ kind }) => kind !== 'unknown' && kind !== 'command');
  const { paths } = declaredWritesOf(effects, session.workspace.map(realPathSync));
  return session.own(sessionWriters).begin({ name, writes: { paths, isExact: isKnown } });
}
