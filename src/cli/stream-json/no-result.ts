import { noUsage } from '../../agent/usage.js';
import type { RunResult } from '../../contract/event.js';
import { messageOf } from '../../platform/message-of.js';

/** The result of a run that ended without one. */
export const noResult = (error: unknown, { interrupted }: { interrupted: boolean }): RunResult => ({
  type: 'result',
  outcome: interrupted ? 'interrupted' : 'model_error',
  text: interrupted ? 'Interrupted.' : messageOf(error),
  turns: 0,
  stopReason: null,
  usage: noUsage,
  costUsd: 0,
  models: [],
  modelMs: 0,
  totalMs: 0,
  denials: [],
});
