// The life of one tool call, from the model's block to its result. Read this first: every call of every tool, built in or
// not, takes this path and no other.
import type { Effect } from '../contract/effect.js';
import type { ToolResultEvent } from '../contract/event.js';
import { ToolFailure } from '../contract/failure.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { ToolDisplay, ToolOutcome } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { abortable } from '../platform/abortable.js';
import { loopShare } from '../platform/loop-share.js';
import { typedInput } from '../tools/aliases.js';
import type { CompleteCall, MalformedCall } from './assemble.js';
import { authorize } from './authorize.js';
import { type CallHooks, hooksOf } from './call-hooks.js';
import { CallWaits } from './call-waits.js';
import { sameEffects } from './conflict.js';
import type { CallEnvironment } from './environment.js';
import { execute } from './execute.js';
import { describeFailure } from './failure-text.js';
import type { QueueEntry } from './gate.js';
import { LeftUnanswered, RefusedByPerson } from './refused-calls.js';
import { CORRECT_INPUT, type ResolvedCall, resolve } from './resolve.js';
import { asText, settleFailure, settleSuccess } from './settle.js';

/** Runs a call and returns its one result; never rejects. Calls join the gate in the order in which they start here. */
export async function runCall(
  call: CompleteCall | MalformedCall,
  environment: CallEnvironment,
  signal: AbortSignal,
): Promise<ToolResultBlock> {
  const entry = environment.gate.join(call.id);
  const waits = new CallWaits(call, environment);
  try {
    const result = await passThrough(call, entry, waits.watched(environment), waits, signal);
    environment.emit({ ...result, ...waits.recorded() });
    return result.result;
  } finally {
    entry.leave();
  }
}

async function passThrough(
  call: CompleteCall | MalformedCall,
  entry: QueueEntry,
  environment: CallEnvironment,
  waits: CallWaits,
  signal: AbortSignal,
): Promise<ToolResultEvent> {
  let display = (): ToolDisplay => displayAsSent(call, environment);
  let hooks: CallHooks | undefined;
  let started = false;
  try {
    if ('problem' in call) throw new ToolFailure(call.problem, { kind: 'invalid_input', problem: call.shown });
    await environment.ready?.();
    await loopShare();
    const resolved = await resolve(call, environment);
    display = () => resolved.bound.displayRefusal();
    hooks = hooksOf(call.id, environment, signal);
    const { tool, bound, context } = await admit(call, resolved, entry, hooks, environment, waits, signal);
    display = () => bound.displayRefusal();

    const work = async (): Promise<ToolOutcome> => {
      environment.emit({ type: 'tool_start', callId: call.id, tool: tool.name });
      if (environment.recorded) await abortable(environment.recorded, signal);
      started = true;
      const { approved: effects = [] } = context;
      const announced = environment.announceWriter?.({ tool: tool.name, callId: call.id, effects });
      return await execute(bound, context, {
        onProgress: (text) => environment.emit({ type: 'tool_progress', callId: call.id, tool: tool.name, text }),
        onSettled: announced && (await announced),
      });
    };
    // A call that touches nothing may run calls of its own, so it must not hold one of the slots that they need.
    const outcome =
      entry.effects.length === 0
        ? await work()
        : await waits.until('slot', (begun) =>
            environment.slots.run(whenRoom(work, entry, environment, { begun, waits, signal }), signal),
          );
    const words = await hooks.afterSuccess({ tool, bound }, outcome);
    await environment.settled?.(call.id, words.instead && asText(words.instead.value));
    return await settleSuccess(call, outcome, {
      words,
      maxResultChars: outcome.maxChars ?? tool.maxResultChars,
      context,
    });
  } catch (error) {
    if (error instanceof RefusedByPerson) {
      const { order, effects } = entry;
      const isAnswered = !(error instanceof LeftUnanswered);
      environment.refused?.add({ order, effects, tool: call.name, title: display().title, isAnswered });
    }
    const failure = describeFailure(call.name, error, signal, started);
    await environment.settled?.(call.id, failure.text);
    const words = started ? await hooks?.afterFailure(failure.text) : undefined;
    if (failure.kind === 'permission_denied') await hooks?.afterDenial(failure.text);
    return settleFailure(call, failure, { error, display: display(), words: words ?? hooks?.words() });
  }
}

/** Commands share processes and descriptors with those of other sessions. */
function whenRoom<Value>(
  work: () => Promise<Value>,
  { effects }: QueueEntry,
  { whenCommandsMayRun }: CallEnvironment,
  { begun, waits, signal }: { begun: () => void; waits: CallWaits; signal: AbortSignal },
): () => Promise<Value> {
  const mayRun = effects.some(({ kind }) => kind === 'command') ? whenCommandsMayRun : undefined;
  return async () => {
    begun();
    if (!mayRun) return await work();
    return await waits.until('machine', (room) =>
      mayRun(async () => {
        room();
        return await work();
      }, signal),
    );
  };
}

/** A call that was not accepted, as far as its tool can show it. */
function displayAsSent(call: CompleteCall | MalformedCall, { findTool }: CallEnvironment): ToolDisplay {
  return ('input' in call && findTool(call.name)?.displayCall(call.input)) || { title: '' };
}

interface AdmittedCall extends ResolvedCall {
  /** Contains the approved effects. */
  context: ToolContext;
}

/** Takes the call past gate, hooks, decision and check. If its input or effects change, it queues at the gate again. */
async function admit(
  call: CompleteCall,
  asSent: ResolvedCall,
  entry: QueueEntry,
  hooks: CallHooks,
  environment: CallEnvironment,
  waits: CallWaits,
  signal: AbortSignal,
): Promise<AdmittedCall> {
  const context = environment.contextFor(call.id, signal);
  let resolved = asSent;
  let isAgreed: boolean | undefined;
  let inputBy: ToolContext['inputBy'];
  const sentInput = asSent.bound.input;
  for (;;) {
    const { bound } = resolved;
    const effects: readonly Effect[] = await entry.enter(
      () => bound.effects(context),
      signal,
      (callId, turn) => waits.during('earlier_call', turn, callId),
    );
    environment.refused?.check(entry);
    // Hooks see a call once, and refused ones too. An input that they change is checked and judged like any other.
    let rewritten = await waits.since('hook', (begun) => hooks.before(resolved, effects, begun));
    if (rewritten === undefined) {
      const authorized = await authorize(resolved, effects, hooks, context, environment, { isAgreed });
      ({ rewritten, isAgreed } = authorized);
      if (authorized.asked) environment.agreed?.(call.id);
      // A person may take an hour to answer. If the call would touch something else by now, it is judged again.
      const isSettled =
        !authorized.asked || sameEffects(effects, await abortable(() => bound.effects(context), signal));
      if (rewritten === undefined && isSettled) {
        const { confinement } = authorized;
        const notOpened = authorized.notOpened?.flatMap((position) => effects[position] ?? []);
        const approved = environment.contextFor(call.id, signal, { effects, confinement, notOpened });
        return { ...resolved, context: Object.assign(approved, inputBy && { inputBy, sentInput }) };
      }
    }
    if (rewritten === undefined) continue;
    inputBy = isAgreed ? 'user' : 'hook';
    Object.assign(context, { inputBy, sentInput });
    // A patch that was typed into a shell may come back as a command or as a patch.
    const retyped = resolved.sentAs && typedInput(rewritten);
    resolved = await resolveRewritten(
      { ...call, input: retyped ?? rewritten },
      environment,
      isAgreed
        ? { name: 'The user', shown: 'You', next: 'That input must be corrected, not the call.' }
        : {
            name: hooks.changedBy,
            shown: hooks.changedBy,
            next: 'The answer of the hook must be corrected, not the call.',
          },
    );
  }
}

/** `shown`: its name for the person. `next`: the advice if the input is invalid, since the model did not write it. */
async function resolveRewritten(
  call: CompleteCall,
  environment: CallEnvironment,
  by: { name: string; shown: string; next: string },
): Promise<ResolvedCall> {
  try {
    return await resolve(call, environment);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const problem = error.message.replace(CORRECT_INPUT, by.next);
    throw new ToolFailure(`${by.name} changed the input of this call to one that does not fit. ${problem}`, {
      kind: error.kind,
      problem: `${by.shown} changed the input to one that does not fit. ${error.problem}`,
      cause: error,
    });
  }
}
