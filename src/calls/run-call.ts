// The life of one tool call, from the model's block to its result. Read this first: every call of every tool, built in or
// not, takes this path and no other.
import type { ToolResultEvent } from '../contract/event.js';
import { ToolFailure } from '../contract/failure.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { ToolDisplay } from '../contract/tool.js';
import { abortable } from '../platform/abortable.js';
import type { MalformedCall, ToolCall } from './assemble.js';
import { authorize } from './authorize.js';
import { sameEffects } from './conflict.js';
import type { CallEnvironment } from './environment.js';
import { execute } from './execute.js';
import { describeFailure } from './failure-text.js';
import type { Place } from './gate.js';
import { resolve } from './resolve.js';
import { settleFailure, settleSuccess } from './settle.js';

/** Runs a call and gives its one result; it never rejects. Calls stand at the gate in the order in which they start here. */
export async function runCall(
  call: ToolCall | MalformedCall,
  environment: CallEnvironment,
  signal: AbortSignal,
): Promise<ToolResultBlock> {
  const place = environment.gate.join();
  try {
    const result = await passThrough(call, place, environment, signal);
    environment.emit(result);
    return result.result;
  } finally {
    place.leave();
  }
}

async function passThrough(
  call: ToolCall | MalformedCall,
  place: Place,
  environment: CallEnvironment,
  signal: AbortSignal,
): Promise<ToolResultEvent> {
  let display = (): ToolDisplay => ({ title: call.name });
  let started = false;
  try {
    if ('problem' in call) throw new ToolFailure(call.problem, { kind: 'invalid_input' });
    const resolved = await resolve(call, environment);
    const { tool, bound } = resolved;
    display = () => bound.displayRefusal();
    const context = environment.contextFor(call.id, signal);

    for (;;) {
      const effects = await place.enter(() => bound.effects(context), signal);
      const { asked } = await authorize(resolved, effects, context, environment);
      // A person may take an hour to answer. If the call would touch something else by now, it is judged again.
      if (!asked || sameEffects(effects, await abortable(() => bound.effects(context), signal))) break;
    }

    const work = async () => {
      started = true;
      environment.emit({ type: 'tool_start', callId: call.id, tool: tool.name });
      return await execute(bound, context, (text) =>
        environment.emit({ type: 'tool_progress', callId: call.id, tool: tool.name, text }),
      );
    };
    // A call that touches nothing may run calls of its own, so it must not hold one of the slots that they need.
    const outcome = place.effects.length === 0 ? await work() : await environment.slots.run(work, signal);
    return await settleSuccess(call, outcome, tool.maxResultChars, context);
  } catch (error) {
    return settleFailure(call, describeFailure(call.name, error, signal, started), error, display());
  }
}
