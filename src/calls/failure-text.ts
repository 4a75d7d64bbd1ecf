// Step 12 of the path, failures: each is one of six kinds, with a text that the model can act on.
import { type FailureKind, ToolFailure, type ToolFailureOptions } from '../contract/failure.js';
import { messageOf as messageOfError } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';
import { cutMiddle } from '../platform/text/truncate.js';

const MAX_FAILURE_CHARS = 10_000;

export interface FailureReport {
  kind: FailureKind;
  /** For the model. */
  text: string;
  /** For the person. */
  problem: string;
}

/** The problem of a call that was interrupted after it had started. */
export const INTERRUPTED_WHILE_RUNNING = 'Interrupted while it ran.';

/** `started`: the tool's own work had begun, so something may have been done. */
export function describeFailure(tool: string, error: unknown, signal: AbortSignal, started: boolean): FailureReport {
  if (error instanceof ToolFailure) {
    const text = error.message.trim() === '' ? `${tool} failed and gave no reason.` : error.message;
    const problem = error.problem.trim() === '' ? text : error.problem;
    return {
      kind: error.kind,
      text: cutMiddle(text, MAX_FAILURE_CHARS),
      problem: cutMiddle(problem, MAX_FAILURE_CHARS),
    };
  }
  if (signal.aborted) {
    const text = interrupted(tool, signal.reason, started);
    return { kind: 'interrupted', text, problem: started ? INTERRUPTED_WHILE_RUNNING : 'Interrupted before it ran.' };
  }
  const message = messageOf(error) || 'no reason given';
  const parts = [`${tool} failed: ${message}`, ...outputsOf(error, message)];
  const text = cutTogether(parts, MAX_FAILURE_CHARS).join('\n\n');
  return { kind: 'exception', text, problem: text };
}

/** The failure of a call that may not run. */
export function denied(tool: string, reason: string): ToolFailure {
  const { message, options } = denial(tool, reason);
  return new ToolFailure(message, options);
}

/** The words for a call that may not run. */
export const denial = (tool: string, reason: string): { message: string; options: ToolFailureOptions } => ({
  message: `${tool} was not run: ${clause(reason)}.`,
  options: {
    kind: 'permission_denied',
    advice: 'Do not look for another way to do the same; ask the user or go on without it.',
    problem: `Not run: ${clause(reason)}.`,
    display: { notRun: true },
  },
});

/** The output of a program that the tool ran, which errors of child processes contain. */
function outputsOf(error: unknown, message: string): string[] {
  if (typeof error !== 'object' || error === null) return [];
  return (['stderr', 'stdout'] as const).flatMap((name) => {
    const text = textOf(error, name).trim();
    return text === '' || message.includes(text) ? [] : [`${name}:\n${text}`];
  });
}

function textOf(error: object, name: 'stderr' | 'stdout'): string {
  try {
    const value: unknown = Reflect.get(error, name);
    if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

/** Each part keeps a share, so that a long one does not push out the others. */
function cutTogether(parts: readonly string[], max: number): string[] {
  const cut = [...parts];
  let [left, count] = [max, parts.length];
  for (const { part, index } of parts
    .map((part, index) => ({ part, index }))
    .toSorted((a, b) => a.part.length - b.part.length)) {
    const kept = cutMiddle(part, Math.floor(left / count));
    cut[index] = kept;
    left -= Math.min(part.length, Math.floor(left / count));
    count -= 1;
  }
  return cut;
}

/** Any value can be thrown, even one that can't be converted to a string; the call still gets its result. */
function messageOf(error: unknown): string {
  try {
    return messageOfError(error);
  } catch {
    return '';
  }
}

/** The reason of a cancelled call, if it is not the person's interrupt. */
export class CallDropped extends Error {}

function interrupted(tool: string, reason: unknown, started: boolean): string {
  if (reason instanceof CallDropped) return reason.message;
  return started
    ? `The user interrupted ${tool} while it ran. What it had done by then stays done; check before you repeat it.`
    : `The user interrupted before ${tool} started, so nothing was done.`;
}
