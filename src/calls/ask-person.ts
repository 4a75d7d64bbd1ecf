// Step 8 of the path, where rules, hooks and the mode leave a call open: the question to the person, and their answer.

import { isDeepStrictEqual } from 'node:util';
import type { Effect } from '../contract/effect.js';
import type { ToolFailure } from '../contract/failure.js';
import {
  type AskPermission,
  type Decision,
  type DecisionRequest,
  irreversibleRisk,
  type PermissionAnswer,
  type PermissionQuestion,
} from '../contract/permission.js';
import type { ToolDisplay } from '../contract/tool.js';
import { abortable } from '../platform/abortable.js';
import { messageOf } from '../platform/message-of.js';
import type { CallHooks } from './call-hooks.js';
import type { CallEnvironment } from './environment.js';
import { denial, denied } from './failure-text.js';
import { LeftUnanswered, RefusedByPerson } from './refused-calls.js';
import type { ResolvedCall } from './resolve.js';

/** A call that is to be decided, with the parts of its session that this needs. */
export interface PendingCall {
  resolved: ResolvedCall;
  effects: readonly Effect[];
  hooks: CallHooks;
  environment: CallEnvironment;
  callId: string;
  signal: AbortSignal;
}

/** What was asked about. */
export interface OpenDecision {
  request: DecisionRequest;
  decision: Decision;
  display(): ToolDisplay;
}

/** `settled`: a rule that was saved meanwhile allows the call, so the question was withdrawn. */
export type PersonsYes = 'settled' | { rewritten?: Readonly<Record<string, unknown>> };

/** Asks the person. Throws `ToolFailure` unless the answer is a clear yes. */
export async function askPerson(call: PendingCall, open: OpenDecision): Promise<PersonsYes> {
  const { resolved, effects, hooks, environment } = call;
  const { tool, bound, sentAs } = resolved;
  const { decision } = open;
  const { askPermission } = environment;
  if (!askPermission) {
    throw denied(tool.name, `${await withKnownReason(decision, effects)}, and no one can be asked here`);
  }
  hooks.notify(`Helve needs your permission to use ${tool.name}`);
  const answer = await answerTo(askPermission, call, open);
  if (answer === 'settled') return answer;
  // The program that answers may be written without types: only an explicit allow counts as one.
  if (answer?.behavior === 'deny') {
    const { reason, isUnanswered } = answer;
    const asked = open.display(); // what the person saw, which the tool alone may not know after the call
    throw isUnanswered
      ? unanswered(tool.name, reason ?? 'no one has answered', asked)
      : refusedByPerson(tool.name, reason, asked);
  }
  if (answer?.behavior !== 'allow') {
    throw denied(tool.name, `${decision.reason}, and the question was answered with neither allow nor deny`);
  }
  if (answer.remember) await remember(answer.remember, environment);
  // An answer can set no other mode, whatever an untyped program sends.
  if (answer.mode === 'default' || answer.mode === 'acceptEdits') environment.chooseMode?.(answer.mode);
  const known = [bound.input, ...(sentAs ? [sentAs.input] : [])];
  const { updatedInput } = answer;
  const isChanged = updatedInput && !known.some((input) => isSameInput(updatedInput, input));
  return isChanged ? { rewritten: updatedInput } : {};
}

/** Asks, and withdraws the question if a rule that another answer saves meanwhile allows the call. */
async function answerTo(
  askPermission: AskPermission,
  { resolved, effects, environment, callId, signal }: PendingCall,
  { request, decision, display }: OpenDecision,
): Promise<PermissionAnswer | 'settled'> {
  const { tool, bound, sentAs } = resolved;
  const confinement = environment.describeConfinement?.(request);
  const risks = (await environment.assessRisks?.(request)) ?? [];
  const irreversible = irreversibleRisk(risks)?.text;
  const suggestions = await environment.suggestRules(request, decision, { risks });
  const whyNoRule = suggestions.length === 0 ? await environment.whyNoRule?.(request, decision, { risks }) : undefined;
  const commandReasons = await reasonsFor(effects);
  const question: PermissionQuestion = {
    callId,
    tool: tool.name,
    input: bound.input,
    ...(sentAs && { sentAs }),
    effects,
    ...(commandReasons && { commandReasons }),
    risks,
    ...(irreversible !== undefined && { irreversible }),
    decision,
    reason: await withKnownReason(decision, effects),
    display: display(),
    suggestions,
    ...(whyNoRule !== undefined && { whyNoRule }),
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
    if (environment.decide(request).behavior !== 'allow') continue;
    withdrawn.abort(new Error('The question was settled by another answer.'));
    return 'settled';
  }
}

/** Why commands are asked about, by the index of the effect. Made here: the tables are too large for a web page. */
async function reasonsFor(effects: readonly Effect[]): Promise<Record<number, string> | undefined> {
  if (!effects.some(({ kind }) => kind === 'command')) return undefined;
  const { commandReason } = await import('../permissions/command-reason.js');
  const said = effects.flatMap((effect, index) => {
    const why = effect.kind === 'command' ? commandReason(effect) : undefined;
    return why === undefined ? [] : [[index, why]];
  });
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** The reason of a decision; for a command, also why it is not harmless, if that says more. */
async function withKnownReason({ reason, trail = [] }: Decision, effects: readonly Effect[]): Promise<string> {
  const deciding = trail.find(({ decided, basis }) => decided && basis === 'default')?.effect;
  const effect = deciding === undefined ? undefined : effects[deciding];
  if (effect?.kind !== 'command' || effect.harmless || effect.why === undefined) return reason;
  const isSaid = /^it writes( a file)?$/.test(effect.why) && / (writes|removes) /.test(reason);
  const { commandReason } = await import('../permissions/command-reason.js');
  const why = commandReason(effect);
  return isSaid || why === undefined || reason.includes(why) ? reason : `${reason} (${why})`;
}

type RememberedRules = NonNullable<Extract<PermissionAnswer, { behavior: 'allow' }>['remember']>;

async function remember({ rules, scope }: RememberedRules, environment: CallEnvironment): Promise<void> {
  try {
    if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'string')) {
      throw new TypeError('"remember.rules" of the answer must be a list of rules.');
    }
    await environment.remember(rules, scope);
  } catch (error) {
    const text = `The rule could not be kept for later sessions: ${messageOf(error)}`;
    environment.emit({ type: 'notice', text });
  }
}

/** Many programs return the input with their answer, after a round trip through JSON. That is no change to judge again. */
export const isSameInput = (answered: unknown, input: unknown): boolean =>
  isDeepStrictEqual(answered, input) || isDeepStrictEqual(answered, JSON.parse(JSON.stringify(input ?? null)));

/** Calls that come after it and conflict with it are not run either, as after a refusal. */
const unanswered = (tool: string, reason: string, display: ToolDisplay): ToolFailure => {
  const { message, options } = denial(tool, reason);
  return new LeftUnanswered(message, { ...options, display: { ...options.display, ...display } });
};

const refusedByPerson = (tool: string, reason: string | undefined, display: ToolDisplay): ToolFailure =>
  new RefusedByPerson(
    reason
      ? `The user refused this ${tool} call and said: ${reason}`
      : `The user refused this ${tool} call, so nothing was done.`,
    {
      kind: 'permission_denied',
      ...(!reason && { advice: 'Stop and ask what they would like instead.' }),
      problem: reason ? `You refused it: ${reason}` : 'You refused it.',
      display,
    },
  );
