// Steps 6 to 8 of the path: the decision by effects, the tool's own check, and the question to the person where one is
// needed. Nothing of a denied file is looked at: the check runs only once reading is allowed.
import type { Effect } from '../contract/effect.js';
import { ToolFailure } from '../contract/failure.js';
import type { Decision } from '../contract/permission.js';
import type { ToolContext } from '../contract/tool-context.js';
import { abortable } from '../platform/abortable.js';
import type { CallEnvironment } from './environment.js';
import type { ResolvedCall } from './resolve.js';

/** Throws `ToolFailure` unless the call may run. Tells whether a person was asked, since the world may have moved meanwhile. */
export async function authorize(
  { tool, bound }: ResolvedCall,
  effects: readonly Effect[],
  context: ToolContext,
  environment: CallEnvironment,
): Promise<{ asked: boolean }> {
  const request = { tool: tool.name, input: bound.input, effects };
  const { callId, signal } = context;
  let asked = false;

  const settleWith = async (decision: Decision): Promise<void> => {
    environment.emit({ type: 'permission_decision', callId, tool: tool.name, decision });
    if (decision.behavior === 'deny') throw denied(tool.name, decision.reason);
    if (decision.behavior === 'allow') return;
    const { askPermission } = environment;
    if (!askPermission) {
      throw denied(tool.name, `${decision.reason}, and nobody is here to be asked`);
    }
    const question = { callId, ...request, reason: decision.reason, display: bound.displayRefusal() };
    const answer = await abortable(() => askPermission(question, signal), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw denied(tool.name, `${decision.reason}, and the question could not be put (${messageOf(error)})`);
    });
    asked = true;
    // Whoever answers may be written without types: nothing but a clear yes is a yes.
    if (answer?.behavior === 'deny') throw refusedByPerson(tool.name, answer.reason);
    if (answer?.behavior !== 'allow') {
      throw denied(tool.name, `${decision.reason}, and the question was answered with neither allow nor deny`);
    }
  };

  const byEffects = environment.decide(request);
  const mayLook = environment.decide({ ...request, effects: effects.map(asRead) });
  const decidedBeforeCheck =
    byEffects.behavior === 'deny' || (byEffects.behavior === 'ask' && mayLook.behavior !== 'allow');
  if (decidedBeforeCheck) await settleWith(byEffects);

  const check = await runCheck({ tool, bound }, context);
  if (check) await settleWith(environment.decide({ ...request, checkAsks: check.ask }));
  else if (!decidedBeforeCheck) await settleWith(byEffects);
  return { asked };
}

/** What merely looking at the same files would be. */
const asRead = (effect: Effect): Effect => (effect.kind === 'file' ? { ...effect, access: 'read' } : effect);

async function runCheck({ bound }: ResolvedCall, context: ToolContext): Promise<undefined | { ask: string }> {
  try {
    return await abortable(() => bound.validate(context), context.signal);
  } catch (error) {
    if (error instanceof ToolFailure && error.kind === 'exception') {
      throw new ToolFailure(error.message, { kind: 'check_refused', cause: error.cause });
    }
    throw error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const denied = (tool: string, reason: string): ToolFailure =>
  new ToolFailure(
    `${tool} was not run: ${reason}. Do not look for another way to do the same; ask the user or go on without it.`,
    { kind: 'permission_denied' },
  );

const refusedByPerson = (tool: string, reason: string | undefined): ToolFailure =>
  new ToolFailure(
    reason
      ? `The user refused this ${tool} call and said: ${reason}`
      : `The user refused this ${tool} call, so nothing was done. Stop and ask what they would like instead.`,
    { kind: 'permission_denied' },
  );
