// Steps 7 and 8 of the path: the decision by effects, the tool's own check, and the question to the person where one is
// needed. Nothing of a denied file is looked at: the check runs only once reading is allowed.

import type { Effect } from '../contract/effect.js';
import { ToolFailure } from '../contract/failure.js';
import type { Confinement, DecisionRequest } from '../contract/permission.js';
import type { ToolCheck } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { abortable } from '../platform/abortable.js';
import { askPerson, type OpenDecision, type PendingCall } from './ask-person.js';
import type { CallHooks } from './call-hooks.js';
import type { CallEnvironment } from './environment.js';
import { denied } from './failure-text.js';
import type { ResolvedCall } from './resolve.js';

/** The call may run, unless `rewritten` is another input, which has to be judged first. */
export interface Authorized {
  /** A person or a hook was asked, so files may have changed meanwhile. */
  asked: boolean;
  rewritten?: Readonly<Record<string, unknown>>;
  /** The person made that input, and so has agreed to it. */
  isAgreed?: boolean;
  /** How its commands are to be confined. */
  confinement?: Confinement | undefined;
  /** Positions of the effects that only the sandbox allows. */
  notOpened?: readonly number[] | undefined;
}

/** Throws `ToolFailure` unless the call may run. */
export async function authorize(
  resolved: ResolvedCall,
  effects: readonly Effect[],
  hooks: CallHooks,
  context: ToolContext,
  environment: CallEnvironment,
  { isAgreed = false }: { isAgreed?: boolean | undefined } = {},
): Promise<Authorized> {
  const { callId, signal } = context;
  const call: PendingCall & { isAgreed: boolean } = { resolved, effects, hooks, environment, callId, signal, isAgreed };
  const display = () => resolved.bound.displayRefusal();
  const request = requestFor(call);
  const byEffects: OpenDecision = { request, decision: environment.decide(request), display };
  const { behavior } = byEffects.decision;
  const mayLook = environment.decide({ ...request, effects: effects.map(asRead) });
  const decidedBeforeCheck = behavior === 'deny' || (behavior === 'ask' && mayLook.behavior !== 'allow');
  const before = decidedBeforeCheck ? await settle(call, byEffects) : { asked: false };
  // Another input was approved, so this one need not be checked.
  if (before.rewritten) return before;

  const check = await runCheck(resolved, context);
  if (check?.ask === undefined) {
    if (decidedBeforeCheck) return before;
    return await settle(call, { ...byEffects, display: check?.display ?? display });
  }
  const checked: DecisionRequest = { ...request, checkAsks: check.ask };
  const decision = environment.decide(checked);
  return await settle(call, { request: checked, decision, display: check.display ?? display }, before);
}

function requestFor({ resolved: { tool, bound }, effects, hooks }: PendingCall): DecisionRequest {
  const unknowns = effects.filter((effect) => effect.kind === 'unknown');
  const readOnlyHint = unknowns.length > 0 && unknowns.every((effect) => effect.readOnlyHint === true);
  return {
    tool: tool.name,
    input: bound.input,
    effects,
    hooks: hooks.answers,
    ...(readOnlyHint && { readOnlyHint }),
  };
}

/** The effect of only reading the same file. */
const asRead = (effect: Effect): Effect => (effect.kind === 'file' ? { ...effect, access: 'read' } : effect);

/** Acts on a decision. `before` is the result of an earlier decision about the same call. */
async function settle(
  call: PendingCall & { isAgreed: boolean },
  open: OpenDecision,
  before: Authorized = { asked: false },
): Promise<Authorized> {
  const { resolved, effects, hooks, environment, callId, isAgreed } = call;
  const { request, decision } = open;
  const { name } = resolved.tool;
  const agreed: Authorized = { asked: true, confinement: 'approved' };
  environment.emit({ type: 'permission_decision', callId, tool: name, decision, effects });
  if (decision.behavior === 'deny') throw denied(name, decision.reason);
  if (decision.behavior === 'allow') {
    // An earlier approval by a person covers more than this decision does.
    const { confinement, notOpened } = decision;
    return before.confinement === undefined ? { ...before, confinement, notOpened } : before;
  }
  const answered = await hooks.answerQuestion(resolved, effects);
  if (answered?.behavior === 'deny' || answered?.stop) {
    throw denied(name, answered.answers.find(({ behavior }) => behavior === 'deny')?.reason ?? 'a hook refused it');
  }
  if (answered?.behavior === 'allow') {
    refuseIfDeniedNow(call, request);
    return { ...agreed, ...(answered.updatedInput && { rewritten: answered.updatedInput }) };
  }
  if (isAgreed && request.checkAsks === undefined) {
    refuseIfDeniedNow(call, request);
    return agreed;
  }
  const yes = await askPerson(call, open);
  if (yes === 'settled') return agreed;
  refuseIfDeniedNow(call, request);
  return yes.rewritten ? { ...agreed, rewritten: yes.rewritten, isAgreed: true } : agreed;
}

/** An approval does not override a rule, hook or mode that denies, even one that was added while the question was open. */
function refuseIfDeniedNow({ resolved: { tool }, environment, callId }: PendingCall, request: DecisionRequest): void {
  const decision = environment.decide(request);
  if (decision.behavior !== 'deny') return;
  environment.emit({ type: 'permission_decision', callId, tool: tool.name, decision });
  throw denied(tool.name, decision.reason);
}

async function runCheck({ bound }: ResolvedCall, context: ToolContext): Promise<undefined | ToolCheck> {
  try {
    return await abortable(() => bound.validate(context), context.signal);
  } catch (error) {
    if (error instanceof ToolFailure && error.kind === 'exception') {
      const { message, problem, display, cause } = error;
      throw new ToolFailure(message, { kind: 'check_refused', problem, cause, ...(display && { display }) });
    }
    throw error;
  }
}
