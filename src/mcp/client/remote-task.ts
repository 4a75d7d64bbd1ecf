// A call that its server turned into a task (the extension io.modelcontextprotocol/tasks): the server works on after its
// answer, and is asked for the result from time to time.
import { setTimeout as delay } from 'node:timers/promises';
import { ProtocolError } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/failure.js';
import { monotonicMs } from '../../platform/clock.js';
import { isObject } from '../../platform/is-object.js';
import { plainLine, plainText } from '../plain-text.js';
import { type InputOptions, InputRounds } from './input-required.js';

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;
const MAX_ID_CHARS = 4_096;
const CANCEL_MS = 5_000;
const MAX_FAILURES = 5; // in a row, of a connection that comes back
const MAX_SENTENCE = 600;

export type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel';

type Result = Readonly<Record<string, unknown>>;

export interface TaskOptions extends InputOptions {
  send(method: TaskMethod, params: Record<string, unknown>, signal: AbortSignal): Promise<Result>;
  onProgress(text: string): void;
  /** For the whole task. */
  limitMs: number;
}

/** Waits for a task to end, and answers what it asks. If the call is cancelled or takes too long, so is the task. */
export async function finishedTask(created: Result, options: TaskOptions): Promise<Result> {
  const { taskId } = created;
  const name = `The MCP server ${plainLine(options.server, 40)}`;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID_CHARS) {
    throw new ToolFailure(`${name} made the call a task without a usable id, so its result can't be fetched.`, {
      advice: 'It may have done something; check before you repeat it.',
    });
  }
  try {
    return await waitFor(taskId, created, name, options);
  } catch (error) {
    void options.send('tasks/cancel', { taskId }, AbortSignal.timeout(CANCEL_MS)).catch(() => {}); // it may have ended
    throw error;
  }
}

async function waitFor(taskId: string, created: Result, name: string, options: TaskOptions): Promise<Result> {
  const { send, signal, onProgress, limitMs } = options;
  const rounds = new InputRounds(options);
  const until = monotonicMs() + limitMs;
  for (let task = created, failures = 0; ; ) {
    const { status, statusMessage, result, error, inputRequests } = task;
    const said = typeof statusMessage === 'string' ? plainText(statusMessage, MAX_SENTENCE) : undefined;
    if (status === 'completed') return isObject(result) ? result : {};
    if (status === 'cancelled') throw new ToolFailure(`${name} cancelled the call${because(said)}.`);
    if (status === 'failed') {
      const reason = isObject(error) && typeof error['message'] === 'string' ? error['message'] : said;
      throw new ToolFailure(`${name} could not complete the call${because(reason)}.`);
    }
    onProgress(said ?? (status === 'input_required' ? 'waits for input' : 'works on it'));
    if (status === 'input_required') {
      const inputResponses = await rounds.answer(inputRequests);
      signal.throwIfAborted();
      if (inputResponses) await send('tasks/update', { taskId, inputResponses }, signal);
    }
    if (monotonicMs() > until) {
      throw new ToolFailure(`${name} did not complete the call within ${limitMs / 1000} s, so it was cancelled.`);
    }
    await delay(pauseOf(task), undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
    try {
      task = await send('tasks/get', { taskId }, signal);
      failures = 0;
    } catch (error) {
      failures += 1;
      signal.throwIfAborted();
      if (isFinal(error) || failures > MAX_FAILURES) throw lost(name, error);
    }
  }
}

/** The server has answered, or there is no connection any more. */
const isFinal = (error: unknown): boolean =>
  !(error instanceof Error) || error.cause === undefined || error.cause instanceof ProtocolError;

function lost(name: string, error: unknown): ToolFailure {
  const why = error instanceof Error ? ` ${error.message}` : '';
  return new ToolFailure(`${name} made the call a task, whose result can't be fetched any more.${why}`, {
    advice: 'It may have done something; check before you repeat it.',
    cause: error,
  });
}

const because = (reason: string | undefined): string =>
  reason === undefined ? '' : `: ${plainText(reason, MAX_SENTENCE).replace(/\.$/, '')}`;

function pauseOf({ pollIntervalMs }: Result): number {
  const said = typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.min(Math.max(said, MIN_POLL_MS), MAX_POLL_MS);
}
