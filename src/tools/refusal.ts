import { ToolFailure, type ToolFailureOptions } from '../contract/failure.js';

/** A call that the tool's own check refuses: nothing was done. */
export function refusal(message: string, options: Omit<ToolFailureOptions, 'kind'> = {}): ToolFailure {
  return new ToolFailure(message, { ...options, kind: 'check_refused' });
}
