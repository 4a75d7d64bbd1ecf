// Logs the events of a session, for debugging. Each entry is a line that begins with the
// time; details, such as an error with its stack, are indented below. docs/debugging.md describes it.
import type { AgentEvent } from '../../contract/event.js';
import { type Model, ModelFailure, type ModelRequest, type Usage } from '../../contract/model.js';
import { monotonicMs } from '../../platform/clock.js';
import { cutMiddle } from '../../platform/text/truncate.js';
import { visible } from '../../platform/text/visible.js';
import { redactSecrets } from '../store/redact-secrets.js';
import type { HookRun, Observer, RequestObserver } from './observe.js';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.js';

const MAX_LINE_CHARS = 2_000; // of one line; the session has the whole text
const MAX_MORE_CHARS = 20_000;
const MAX_SEARCHED_CHARS = 1_000_000; // for secrets; texts are cut in the middle, so that no secret is split
const MAX_CAUSES = 10; // an error may be its own cause

export interface DebugLogOptions extends RotatingFileOptions {
  /** Known secret values of any format, such as keys of the environment. */
  secrets?: readonly string[];
}

interface Entry {
  event: string;
  words: string;
  /** Details, which are indented below. */
  more?: string;
}

export function createDebugLog(options: DebugLogOptions): Observer {
  const file = new RotatingFile(options);
  const calls = new Map<string, number>();
  let requests = 0;
  const write = ({ event, words, more }: Entry, at = Date.now()): void => {
    const text = [clean(words, MAX_LINE_CHARS), ...(more === undefined ? [] : [clean(more, MAX_MORE_CHARS)])].join(
      '\n',
    );
    file.add(`${new Date(at).toISOString()} ${event} ${text.replaceAll('\n', '\n    ')}\n`);
  };
  const clean = (text: string, max: number): string =>
    visible(cutMiddle(redactSecrets(cutMiddle(text, MAX_SEARCHED_CHARS), options.secrets), max));

  const take = (event: AgentEvent, who = ''): void => {
    if (event.type === 'agent_event') {
      take(event.event, `agent ${event.agentId} `);
      return;
    }
    if (event.type === 'tool_call') calls.set(event.callId, event.at);
    const started = 'callId' in event ? calls.get(event.callId) : undefined;
    const entry = entryOf(event, started === undefined ? undefined : event.at - started);
    if (event.type === 'tool_result') calls.delete(event.callId);
    if (entry) write({ ...entry, words: `${who}${entry.words}` }, event.at);
  };

  return {
    take: (event) => take(event),
    request(model, request) {
      requests += 1;
      return watchRequest(requests, model, request, write);
    },
    hooks: (run) => write(hookEntry(run)),
    warning: (warning) => write({ event: 'warning', words: warning.name, more: describeError(warning) }),
    close: () => file.close(),
  };
}

function entryOf(event: AgentEvent, sinceCall: number | undefined): Entry | undefined {
  const after = sinceCall === undefined ? '' : ` after ${shownMs(sinceCall)}`;
  switch (event.type) {
    case 'session_start': {
      const { sessionId, cwd, model, mode, tools } = event;
      const machine = `node ${process.version} on ${process.platform}`;
      return {
        event: 'session_start',
        words: `${sessionId} in ${cwd}, model ${model}, mode ${mode}, tools ${tools.length}, ${machine}`,
      };
    }
    case 'notice':
      return { event: 'notice', words: event.text };
    case 'stop_request':
      return { event: 'stop_request', words: event.reason };
    case 'turn_start':
      return { event: 'turn_start', words: String(event.turn) };
    case 'model_retry': {
      const { attempt, maxRetries, waitMs, reason, status, provider, model } = event;
      const answer = status === undefined ? '' : ` (status ${status})`;
      const next = `${attempt} of ${maxRetries}, ${provider}/${model} in ${shownMs(waitMs)}`;
      return { event: 'model_retry', words: `${next}: ${reason}${answer}` };
    }
    case 'answer_restart':
      return { event: 'answer_restart', words: 'the answer so far is discarded' };
    case 'text_calls':
      return { event: 'text_calls', words: `${event.format}: ${event.tools.join(', ')}` };
    case 'tool_call':
      return { event: 'tool_call', words: `${event.callId} ${event.tool} ${shownValue(event.input)}` };
    case 'permission_decision': {
      const { behavior, reason, trail = [] } = event.decision;
      const judged = trail.map(
        ({ about, behavior: answer, basis, because, decided }) =>
          `${decided ? '*' : '-'} ${answer} ${about}: ${because} (${basis})`,
      );
      return {
        event: 'permission_decision',
        words: `${event.callId} ${event.tool} ${behavior}: ${reason}`,
        ...(judged.length > 0 && { more: judged.join('\n') }),
      };
    }
    case 'tool_start':
      return { event: 'tool_start', words: `${event.callId} ${event.tool}${after}` };
    case 'tool_progress':
      return { event: 'tool_progress', words: `${event.callId} ${event.tool} ${event.text}` };
    case 'tool_result': {
      const { callId, tool, result, failure, error } = event;
      const text = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
      if (result.is_error !== true) {
        return { event: 'tool_result', words: `${callId} ${tool} ok${after}, ${text.length} characters` };
      }
      return {
        event: 'tool_result',
        words: `${callId} ${tool} FAILED ${failure ?? 'exception'}${after}`,
        more: error === undefined ? text : describeError(error),
      };
    }
    case 'assistant_message': {
      const kinds = event.message.content.map(({ type }) => type).join(', ');
      return { event: 'assistant_message', words: `${event.id} of ${event.model}: ${kinds}` };
    }
    case 'compaction': {
      const { trigger, tokensBefore, tokensAfter, clearedResults, summarisedMessages, usage, listedBecause } = event;
      return {
        event: 'compaction',
        words: `${trigger}, ${tokensBefore} tokens became ${tokensAfter}, results cleared ${clearedResults}, messages summarised ${summarisedMessages}, ${shownUsage(usage)}`,
        ...(listedBecause !== undefined && { more: listedBecause }),
      };
    }
    case 'turn_end':
      return {
        event: 'turn_end',
        words: `${event.turn}, stop reason ${event.stopReason ?? 'none'}, ${shownUsage(event.usage)}`,
      };
    case 'result': {
      const { outcome, text, turns, usage, costUsd, modelMs, totalMs, denials } = event;
      const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(6)}`;
      const time = `${shownMs(totalMs)} (${shownMs(modelMs)} of it for the model)`;
      return {
        event: 'result',
        words: `${outcome} after ${turns} turns, ${time}, ${shownUsage(usage)}, ${cost}, ${denials.length} denied`,
        ...(outcome !== 'completed' && { more: text }),
      };
    }
    default:
      return undefined; // deltas of an answer, which is in the session as a whole
  }
}

function watchRequest(
  number: number,
  model: Model,
  { messages, tools }: ModelRequest,
  write: (entry: Entry) => void,
): RequestObserver {
  const name = `#${number} ${model.provider}/${model.name}`;
  const started = monotonicMs();
  let firstMs: number | undefined;
  let answer = '';
  let ending = '';
  write({ event: 'request_start', words: `${name}, messages ${messages.length}, tools ${tools.length}` });
  return {
    take(event) {
      firstMs ??= monotonicMs() - started;
      if (event.type === 'message_start') answer = `, ${event.id || 'no id'} of ${event.model}`;
      if (event.type === 'message_end') {
        ending = `, stop reason ${event.stopReason ?? 'none'}, ${shownUsage(event.usage)}`;
      }
    },
    end({ failure, stopped }) {
      const begun = firstMs === undefined ? '' : ` (first word after ${shownMs(firstMs)})`;
      const words = `${name} ${shownMs(monotonicMs() - started)}${begun}${answer}`;
      if (failure !== undefined) {
        const facts = failure instanceof ModelFailure ? ` ${failure.kind}${statusOf(failure)}` : '';
        write({ event: 'request_end', words: `${words} FAILED${facts}`, more: describeError(failure) });
      } else {
        write({ event: 'request_end', words: `${words}${stopped ? ', stopped' : `, ok${ending}`}` });
      }
    },
  };
}

function statusOf({ status, retryAfterMs }: ModelFailure): string {
  const wait = retryAfterMs === undefined ? '' : `, wait ${shownMs(retryAfterMs)}`;
  return `${status === undefined ? '' : `, status ${status}`}${wait}`;
}

function hookEntry({ event, tool, callId, milliseconds, outcome, failure }: HookRun): Entry {
  const about = [callId, tool].filter((word) => word !== undefined).join(' ');
  const words = `${event}${about && ` ${about}`} ${shownMs(milliseconds)}`;
  if (!outcome) return { event: 'hooks', words: `${words} FAILED`, more: describeError(failure) };
  const { behavior, answers, block, stop, updatedInput, updatedOutput, additionalContext, reports } = outcome;
  const said = [
    ...answers.map((answer) => `${answer.behavior} by ${answer.name ?? 'a hook'}: ${answer.reason ?? 'no reason'}`),
    ...(block ? [`objects: ${block.reason}`] : []),
    ...(stop ? [`stops: ${stop.reason}`] : []),
    ...(updatedInput ? [`new input: ${shownValue(updatedInput)}`] : []),
    ...(updatedOutput ? [`new output: ${shownValue(updatedOutput.value)}`] : []),
    ...additionalContext.map((text) => `adds: ${text}`),
    ...reports.map((text) => `problem: ${text}`),
  ];
  return {
    event: 'hooks',
    words: `${words}, ${behavior ?? 'no decision'}`,
    ...(said.length > 0 && { more: said.join('\n') }),
  };
}

/** The error with its stack and its causes. */
function describeError(error: unknown): string {
  const parts: string[] = [];
  let each = error;
  for (let count = 0; count < MAX_CAUSES && each !== undefined && each !== null; count += 1) {
    parts.push(parts.length === 0 ? oneError(each) : `caused by: ${oneError(each)}`);
    if (each instanceof AggregateError) {
      for (const inner of each.errors.slice(0, MAX_CAUSES)) parts.push(`among them: ${oneError(inner)}`);
    }
    each = each instanceof Error ? each.cause : undefined;
  }
  return parts.join('\n');
}

function oneError(error: unknown): string {
  if (!(error instanceof Error)) return shownValue(error);
  const code = 'code' in error && typeof error.code === 'string' ? ` [${error.code}]` : '';
  const { stack = '' } = error;
  const title = `${error.name}: ${error.message}`;
  // The stack begins with the name and message at creation, and a subclass may have set its name afterwards.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [`${title}${code}`, ...frames].join('\n');
}

function shownValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // a circular value
  }
}

const shownMs = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;

function shownUsage(usage: Usage): string {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  const cached = `cache ${cache_read_input_tokens} read ${cache_creation_input_tokens} written`;
  return `tokens ${input_tokens} in ${output_tokens} out ${cached}`;
}
