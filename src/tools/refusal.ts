import { ToolFailure } from '../contract/failure.js';

/** A call that the tool's own check refuses: nothing was done. */
export function refusal(message: string, cause?: unknown): ToolFailure {
  return new ToolFailure(message, { kind: 'check_refused', cause });
}
