import type { CallEnvironment } from '../calls/environment.js';
import { RefusedCalls } from '../calls/refused-calls.js';
import { runCall } from '../calls/run-call.js';
import type { ToolResultBlock, ToolUseBlock } from '../contract/message.js';
import { isObject } from '../platform/is-object.js';
import type { OpenCalls } from './store/restored-session.js';

/**
 * Runs the calls of an answer that had not begun when an earlier process ended. They take the path of every call, so a
 * question that was open is asked again. Returns a result for each call of the answer, in its order.
 */
export async function runOpenCalls(
  { calls, results }: OpenCalls,
  { environment, signal }: { environment: CallEnvironment; signal: AbortSignal },
): Promise<ToolResultBlock[]> {
  const own: CallEnvironment = { ...environment, refused: new RefusedCalls() };
  await Promise.all(
    calls.map(({ name }) =>
      own
        .findTool(name)
        ?.load()
        .catch(() => {}),
    ),
  ); // reported when the call runs
  return await Promise.all(calls.map((call) => results.get(call.id) ?? runAgain(call, own, signal)));
}

async function runAgain(
  { id, name, input: given }: ToolUseBlock,
  environment: CallEnvironment,
  signal: AbortSignal,
): Promise<ToolResultBlock> {
  const input = isObject(given) ? given : {};
  const display = environment.findTool(name)?.displayCall(input) ?? { title: name };
  environment.emit({ type: 'tool_call', callId: id, tool: name, input, display });
  return await runCall({ id, name, input }, environment, signal);
}
