// Steps 10 to 12 of the path: whatever became of the call, exactly one result comes out.
import type { ToolResultEvent } from '../contract/event.js';
import type { ToolDisplay, ToolOutcome } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import type { FailureReport } from './failure-text.js';
import { fitResult } from './result-budget.js';

interface Answered {
  id: string;
  name: string;
}

export async function settleSuccess(
  call: Answered,
  outcome: ToolOutcome,
  maxResultChars: number,
  context: ToolContext,
): Promise<ToolResultEvent> {
  const content = await fitResult(outcome.content, maxResultChars, context);
  return {
    type: 'tool_result',
    callId: call.id,
    tool: call.name,
    // Providers refuse empty content, and an empty answer would leave the model guessing.
    result: { type: 'tool_result', tool_use_id: call.id, content: content.length === 0 ? '(no output)' : content },
    data: outcome.data,
    display: outcome.display,
  };
}

export function settleFailure(
  call: Answered,
  failure: FailureReport,
  error: unknown,
  display: ToolDisplay,
): ToolResultEvent {
  return {
    type: 'tool_result',
    callId: call.id,
    tool: call.name,
    result: { type: 'tool_result', tool_use_id: call.id, content: failure.text, is_error: true },
    failure: failure.kind,
    error,
    display,
  };
}
