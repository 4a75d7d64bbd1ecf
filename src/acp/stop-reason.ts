// How a prompt ended, as the answer to session/prompt.

import type { RunResult } from '../contract/event.js';
import type { PromptEnd } from '../host/session-feed.js';
import { RpcError, rpcCodes } from './json-rpc.js';
import type { AcpStopReason } from './messages.js';

/** Throws `RpcError` if it failed. A cancelled prompt is never a failure. */
export function promptAnswer({ end, isCancelled }: { end: PromptEnd; isCancelled: boolean }): {
  stopReason: AcpStopReason;
} {
  if (isCancelled) return { stopReason: 'cancelled' };
  if ('error' in end) throw new RpcError(rpcCodes.internalError, end.error.message);
  const stopReason = stopReasonOf(end.result);
  if (stopReason !== undefined) return { stopReason };
  const { failure, text, outcome } = end.result;
  const code = failure?.kind === 'auth' ? rpcCodes.authRequired : rpcCodes.internalError;
  throw new RpcError(code, failure?.problem ?? text, { outcome });
}

function stopReasonOf({ outcome }: RunResult): AcpStopReason | undefined {
  switch (outcome) {
    case 'completed':
    case 'stopped':
    case 'goal_unmet':
      return 'end_turn';
    case 'interrupted':
      return 'cancelled';
    case 'refused':
      return 'refusal';
    case 'max_turns':
    case 'max_time':
    case 'budget':
      return 'max_turn_requests';
    case 'output_limit':
      return 'max_tokens';
    default:
      return undefined;
  }
}
