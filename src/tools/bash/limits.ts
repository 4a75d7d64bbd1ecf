// The limits of time and output of one command.
import type { ToolContext } from '../../contract/tool-context.js';
import { seconds } from './title.js';

export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
export const DEFAULT_LIFE_MS = 30 * 60_000; // of a command in the background
export const MAX_LIFE_MS = 2 * 60 * 60_000;
export const MAX_OUTPUT_CHARS = 30_000;
export const MOST_OUTPUT_CHARS = 150_000; // the most that a user can configure
export const MAX_FAILURE_CHARS = 9_000; // a failure is limited to 10,000 in all; its end says what went wrong, the middle rarely helps
export const TIMEOUT_LINES = 40; // of a command that did not finish
export const LONGEST_TIMER_MS = 2 ** 31 - 1; // setTimeout fires at once for longer delays

export function timeoutFor(asked: number | undefined, env: ToolContext['env']): number {
  const standard =
    positiveInteger(env['CLAUDE_BASH_TIMEOUT_MS']) ??
    positiveInteger(env['BASH_DEFAULT_TIMEOUT_MS']) ??
    DEFAULT_TIMEOUT_MS;
  // A default that is longer than the limit raises the limit.
  return Math.min(asked ?? standard, Math.max(standard, MAX_TIMEOUT_MS), LONGEST_TIMER_MS);
}

/** How long a background command may live. */
export const backgroundLife = (asked: number = DEFAULT_LIFE_MS): number => Math.min(asked, MAX_LIFE_MS);

export const timeoutNote = (asked: number | undefined, given: number): string | undefined =>
  asked === undefined || asked <= given ? undefined : `timeout was cut to ${seconds(given)}, the most that there is.`;

export function positiveInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}
