// How a call that failed is told to the model: which of the six kinds it was, and a text that it can act on.
import { type FailureKind, ToolFailure } from '../contract/failure.js';
import { messageOf as messageOfError } from '../platform/message-of.js';
import { cutMiddle } from '../platform/text/truncate.js';

const MAX_FAILURE_CHARS = 10_000;

export interface FailureReport {
  kind: FailureKind;
  text: string;
}

/** `started` tells whether the tool's own work had begun, since only then may something have been done. */
export function describeFailure(tool: string, error: unknown, signal: AbortSignal, started: boolean): FailureReport {
  if (error instanceof ToolFailure) {
    const text = error.message.trim() === '' ? `${tool} failed and gave no reason.` : error.message;
    return { kind: error.kind, text: cutMiddle(text, MAX_FAILURE_CHARS) };
  }
  if (signal.aborted) return { kind: 'interrupted', text: interrupted(tool, signal.reason, started) };
  const message = messageOf(error) || 'no reason given';
  return { kind: 'exception', text: cutMiddle(`${tool} failed: ${message}`, MAX_FAILURE_CHARS) };
}

/** Anything can be thrown, also what can't be made a text; the call gets its result all the same. */
function messageOf(error: unknown): string {
  try {
    return messageOfError(error);
  } catch {
    return '';
  }
}

/** Why a call was cancelled, where the reason is not the person's interrupt. */
export class CallDropped extends Error {}

function interrupted(tool: string, reason: unknown, started: boolean): string {
  if (reason instanceof CallDropped) return reason.message;
  return started
    ? `The user interrupted ${tool} while it ran. What it had done by then stays done; check before you repeat it.`
    : `The user interrupted before ${tool} started, so nothing was done.`;
}
