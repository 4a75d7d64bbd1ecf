// Steps 6 to 8 of the path: the decision by effects, the tool's own check, and the question to the person where one is
// needed. Nothing of a denied file is looked at: the check runs only once reading is allowed.

import { isDeepStrictEqual } from 'node:util';
import type { Effect } from '../contract/effect.js';
import { ToolFailure } from '../contract/failure.js';
import type {
  AskPermission,
  Confinement,
  Decision,
  DecisionRequest,
  PermissionAnswer,
  PermissionQuestion,
} from '../contract/permission.js';
import type { ToolCheck, ToolDisplay } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { abortable } from '../platform/abortable.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';
import type { CallHooks } from './call-hooks.js';
import type { CallEnvironment } from './environment.js';
import { withKnownReason } from './known-reason.js';
import type { ResolvedCall } from './resolve.js';

/** The call may run, unless `rewritten` is another input, which has to be judged first. */
export interface Authorized {
  /** Somebody was asked, so the world may have moved meanwhile. */
  asked: boolean;
  rewritten?: Readonly<Record<string, unknown>>;
  /** Whoever was asked made that input, and so has agreed to it. */
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
  const { tool, bound } = resolved;
  const unknowns = effects.filter((effect) => effect.kind === 'unknown');
  const readOnlyHint = unknowns.length > 0 && unknowns.every((effect) => effect.readOnlyHint === true);
  const request: DecisionRequest = {
    tool: tool.name,
    input: bound.input,
    effects,
    hooks: hooks.answers,
    ...(readOnlyHint && { readOnlyHint }),
  };
  const { callId, signal } = context;
  const agreed: Authorized = { asked: true, confinement: 'approved' };
  let authorized: Authorized = { asked: false };
  let display = (): ToolDisplay => bound.displayRefusal();

  const settleWith = async (judged: DecisionRequest, decision: Decision): Promise<void> => {
    environment.emit({ type: 'permission_decision', callId, tool: tool.name, decision });
    if (decision.behavior === 'deny') throw denied(tool.name, decision.reason);
    if (decision.behavior === 'allow') {
      // An earlier yes of a person covers more than this decision does.
      const { confinement, notOpened } = decision;
      if (authorized.confinement === undefined) authorized = { ...authorized, confinement, notOpened };
      return;
    }
    const answered = await hooks.answerQuestion(resolved, effects);
    if (answered?.behavior === 'deny' || answered?.stop) {
      throw denied(
        tool.name,
        answered.answers.find(({ behavior }) => behavior === 'deny')?.reason ?? 'a hook refused it',
      );
    }
    if (answered?.behavior === 'allow') {
      authorized = { ...agreed, ...(answered.updatedInput && { rewritten: answered.updatedInput }) };
      return refuseIfDeniedNow(judged);
    }
    if (isAgreed && judged.checkAsks === undefined) {
      authorized = agreed;
      return refuseIfDeniedNow(judged);
    }
    const { askPermission } = environment;
    if (!askPermission) {
      throw denied(tool.name, `${withKnownReason(decision, effects)}, and nobody is here to be asked`);
    }
    hooks.notify(`Helve needs your permission to use ${tool.name}`);
    const answer = await ask(askPermission, judged, decision);
    authorized = agreed;
    if (answer === 'settled') return;
    // Whoever answers may be written without types: nothing but a clear yes is a yes.
    if (answer?.behavior === 'deny') throw refusedByPerson(tool.name, answer.reason);
    if (answer?.behavior !== 'allow') {
      throw denied(tool.name, `${decision.reason}, and the question was answered with neither allow nor deny`);
    }
    if (answer.remember) await remember(answer.remember);
    // No other mode can be had by an answer, whatever a program without types sends.
    if (answer.mode === 'default' || answer.mode === 'acceptEdits') environment.chooseMode?.(answer.mode);
    const known = [bound.input, ...(resolved.sentAs ? [resolved.sentAs.input] : [])];
    if (answer.updatedInput && !known.some((input) => isSameInput(answer.updatedInput, input))) {
      authorized = { ...agreed, rewritten: answer.updatedInput, isAgreed: true };
    }
    refuseIfDeniedNow(judged);
  };

  /** A yes outdoes no rule, hook or mode that refuses, be it one that came while somebody thought about the question. */
  const refuseIfDeniedNow = (judged: DecisionRequest): void => {
    const decision = environment.decide(judged);
    if (decision.behavior !== 'deny') return;
    environment.emit({ type: 'permission_decision', callId, tool: tool.name, decision });
    throw denied(tool.name, decision.reason);
  };

  /** Puts the question, unless what somebody agrees to meanwhile settles it. */
  const ask = async (
    askPermission: AskPermission,
    judged: DecisionRequest,
    decision: Decision,
  ): Promise<PermissionAnswer | 'settled'> => {
    const confinement = environment.describeConfinement?.(judged);
    const question: PermissionQuestion = {
      callId,
      tool: tool.name,
      input: bound.input,
      ...(resolved.sentAs && { sentAs: resolved.sentAs }),
      effects,
      decision,
      reason: withKnownReason(decision, effects),
      display: display(),
      suggestions: environment.suggestRules(judged, decision),
      ...(confinement !== undefined && { confinement }),
    };
    const withdrawn = new AbortController();
    const asking = AbortSignal.any([signal, withdrawn.signal]);
    const answered = abortable(() => askPermission(question, asking), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw denied(tool.name, `${decision.reason}, and the question could not be put (${messageOf(error)})`);
    });
    answered.catch(() => {}); // a question that was withdrawn may fail unheard
    for (;;) {
      const elsewhere = Promise.withResolvers<{ settledElsewhere: true }>();
      const forget = environment.onRemembered(() => elsewhere.resolve({ settledElsewhere: true }));
      const first = await Promise.race([answered.then((answer) => ({ answer })), elsewhere.promise]).finally(forget);
      if ('answer' in first) return first.answer;
      if (environment.decide(judged).behavior !== 'allow') continue;
      withdrawn.abort(new Error('The question was settled by another answer.'));
      return 'settled';
    }
  };

  const remember = async ({ rules, scope }: RememberedRules): Promise<void> => {
    try {
      if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'string')) {
        throw new TypeError('"remember.rules" of the answer must be a list of rules.');
      }
      await environment.remember(rules, scope);
    } catch (error) {
      const text = `The rule could not be kept for later sessions: ${messageOf(error)}`;
      environment.emit({ type: 'notice', text });
    }
  };

  const byEffects = environment.decide(request);
  const mayLook = environment.decide({ ...request, effects: effects.map(asRead) });
  const decidedBeforeCheck =
    byEffects.behavior === 'deny' || (byEffects.behavior === 'ask' && mayLook.behavior !== 'allow');
  if (decidedBeforeCheck) await settleWith(request, byEffects);
  // What was agreed to is another input, so this one is not looked at any more.
  if (authorized.rewritten) return authorized;

  const check = await runCheck(resolved, context);
  display = check?.display ?? display;
  const checked: DecisionRequest = { ...request, ...(check?.ask !== undefined && { checkAsks: check.ask }) };
  if (check?.ask !== undefined) await settleWith(checked, environment.decide(checked));
  else if (!decidedBeforeCheck) await settleWith(request, byEffects);
  return authorized;
}

type RememberedRules = NonNullable<Extract<PermissionAnswer, { behavior: 'allow' }>['remember']>;

/** What merely looking at the same files would be. */
const asRead = (effect: Effect): Effect => (effect.kind === 'file' ? { ...effect, access: 'read' } : effect);

async function runCheck({ bound }: ResolvedCall, context: ToolContext): Promise<undefined | ToolCheck> {
  try {
    return await abortable(() => bound.validate(context), context.signal);
  } catch (error) {
    if (error instanceof ToolFailure && error.kind === 'exception') {
      throw new ToolFailure(error.message, { kind: 'check_refused', cause: error.cause });
    }
    throw error;
  }
}

/** Many programs send the input back with their yes, by way of JSON: to ask them about it again would have no end. */
export const isSameInput = (answered: unknown, input: unknown): boolean =>
  isDeepStrictEqual(answered, input) || isDeepStrictEqual(answered, JSON.parse(JSON.stringify(input ?? null)));

const denied = (tool: string, reason: string): ToolFailure =>
  new ToolFailure(
    `${tool} was not run: ${clause(reason)}. Do not look for another way to do the same; ask the user or go on without it.`,
    { kind: 'permission_denied' },
  );

const refusedByPerson = (tool: string, reason: string | undefined): ToolFailure =>
  new ToolFailure(
    reason
      ? `The user refused this ${tool} call and said: ${reason}`
      : `The user refused this ${tool} call, so nothing was done. Stop and ask what they would like instead.`,
    { kind: 'permission_denied' },
  );
