// Formats the events of a run as stream-json lines.

import { noUsage } from '../../agent/usage.js';
import type { AgentEvent, ChildEvent, RunOutcome } from '../../contract/event.js';
import type { AssistantBlock, ToolUseBlock, UserBlock } from '../../contract/message.js';
import type { ModelEvent, Usage } from '../../contract/model.js';
import { randomId } from '../../platform/crypto.js';
import type { FinishedRun } from '../headless/finish-run.js';
import { ChildTasks } from './child-tasks.js';
import type { Line } from './control-channel.js';

export interface EventLinesOptions {
  sessionId: string;
  version: string;
  /** The variable that the model's key comes from, or `none`. */
  apiKeySource(): string;
  plugins?: ReadonlyArray<{ name: string; path: string }> | undefined;
  outputStyle?(): string;
}

export class EventLines {
  readonly #options: EventLinesOptions;
  readonly #answer = new AnswerSoFar();
  /** Of child agents, the host gets the calls and their results alone. */
  hidesChildText = false;
  readonly #tasks = new ChildTasks();
  /** What each call has returned, as data, until its message is sent. */
  readonly #data = new Map<string, unknown>();
  /** When each running call began, in milliseconds since the epoch. */
  readonly #begun = new Map<string, number>();

  constructor(options: EventLinesOptions) {
    this.#options = options;
  }

  /**
   * A response in progress: a call is emitted, with the blocks before it, when it starts, not when the response ends.
   */
  note(event: ModelEvent): void {
    this.#answer.note(event);
  }

  /** The lines for all events except the result. */
  lines(event: AgentEvent): Line[] {
    switch (event.type) {
      case 'session_start':
        return [this.system('init', this.#initFacts(event))];
      case 'notice':
        return [this.system('notice', { text: event.text })];
      case 'model_retry': {
        const { attempt, maxRetries, waitMs, status = null, reason, model } = event;
        const facts = { attempt, max_retries: maxRetries, retry_delay_ms: waitMs, error_status: status, error: reason };
        return [this.system('api_retry', { ...facts, model })];
      }
      case 'compaction': {
        const { trigger, tokensBefore, tokensAfter } = event;
        const facts = { trigger, pre_tokens: tokensBefore, post_tokens: tokensAfter };
        return [this.system('compact_boundary', { compact_metadata: facts })];
      }
      case 'turn_start':
        this.#answer.forget();
        return [];
      case 'tool_call': {
        const call: ToolUseBlock = { type: 'tool_use', id: event.callId, name: event.tool, input: event.input };
        return [this.#assistant(this.#answer.upTo(call), this.#answer)];
      }
      case 'assistant_message': {
        const rest = this.#answer.restOf(event.message.content);
        return rest.length > 0 ? [this.#assistant(rest, event)] : [];
      }
      case 'agent_event':
        return [
          ...this.#tasks.lines(event).map(({ subtype, ...facts }) => this.system(subtype, facts)),
          ...this.#ofChild(event),
        ];
      case 'tool_start':
        this.#begun.set(event.callId, event.at);
        return [];
      case 'tool_progress':
        return [this.line({ ...progressFacts(event, this.#begun.get(event.callId)), parent_tool_use_id: null })];
      case 'tool_result':
        this.#begun.delete(event.callId);
        if (event.data !== undefined) this.#data.set(event.callId, event.data);
        return event.failure === 'permission_denied' ? [this.#denied(event)] : [];
      case 'user_message':
        return [
          this.line({
            type: 'user',
            message: event.message,
            parent_tool_use_id: null,
            ...this.#result(event.message.content),
          }),
        ];
      default:
        return [];
    }
  }

  result(run: FinishedRun): Line {
    return this.line(resultFacts(run));
  }

  system(subtype: string, facts: Line): Line {
    return this.line({ type: 'system', subtype, ...facts });
  }

  /** A prompt as the host sent it. */
  replay(content: readonly UserBlock[], uuid: string | undefined): Line {
    const message = { role: 'user', content };
    const line = this.line({ type: 'user', message, parent_tool_use_id: null, isReplay: true });
    return uuid === undefined ? line : { ...line, uuid };
  }

  line(facts: Line): Line {
    return { ...facts, session_id: this.#options.sessionId, uuid: randomId() };
  }

  /** The messages of a child agent, with the call that started it. Responses in progress are omitted. */
  #ofChild({ event, parentCallId }: ChildEvent): Line[] {
    switch (event.type) {
      case 'agent_event':
        return this.#ofChild(event);
      case 'assistant_message':
        return this.#ofChildMessage(event, parentCallId);
      case 'user_message':
        return [this.line({ type: 'user', message: event.message, parent_tool_use_id: parentCallId })];
      case 'notice':
      case 'model_retry':
        return this.lines(event);
      default:
        return [];
    }
  }

  #ofChildMessage(event: Extract<AgentEvent, { type: 'assistant_message' }>, parentCallId: string): Line[] {
    const shown = event.message.content.filter(({ type }) => type === 'tool_use' || !this.hidesChildText);
    return shown.length === 0 ? [] : [this.#assistant(shown, { ...event, usage: noUsage }, parentCallId)];
  }

  /** The result of a single call as data, for hosts that show it in a form of their own. */
  #result(content: readonly UserBlock[]): Line {
    const ids = content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const [only] = ids;
    const data = only !== undefined && ids.length === 1 ? this.#data.get(only) : undefined;
    for (const id of ids) this.#data.delete(id);
    return data === undefined ? {} : { tool_use_result: data };
  }

  #denied({ tool, callId, problem }: Extract<AgentEvent, { type: 'tool_result' }>): Line {
    return this.system('permission_denied', { tool_name: tool, tool_use_id: callId, message: problem ?? '' });
  }

  #assistant(
    content: readonly AssistantBlock[],
    { id, model, usage = this.#answer.usage }: { id: string; model: string; usage?: Usage },
    parentCallId: string | null = null,
  ): Line {
    const blocks = content.map((block) => (block.type === 'opaque' ? block.value : block));
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: blocks,
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return this.line({ type: 'assistant', message, parent_tool_use_id: parentCallId });
  }

  #initFacts(event: Extract<AgentEvent, { type: 'session_start' }>): Line {
    const { cwd, tools, model, mode, mcpServers = [], commands = [], skills = [], agents = [] } = event;
    return {
      cwd,
      tools,
      mcp_servers: mcpServers,
      model,
      permissionMode: mode,
      slash_commands: commands,
      agents,
      skills,
      plugins: this.#options.plugins ?? [],
      output_style: this.#options.outputStyle?.() ?? 'default',
      apiKeySource: this.#options.apiKeySource(),
      helve_version: this.#options.version,
      claude_code_version: this.#options.version,
    };
  }
}

/** The complete blocks of one response, and which of them have been emitted. */
class AnswerSoFar {
  id = '';
  model = '';
  /** Known once the answer is complete. */
  usage: Usage = noUsage;
  /** In order; null is a placeholder for a call, which is emitted separately. */
  #unshown: Array<Exclude<AssistantBlock, ToolUseBlock> | null> = [];
  #shownBlocks = 0;
  readonly #shownCalls = new Set<string>();

  note(event: ModelEvent): void {
    if (event.type === 'message_start') {
      ({ id: this.id, model: this.model } = event);
      this.#unshown = [];
      this.usage = noUsage;
    }
    if (event.type === 'message_end') this.usage = event.usage;
    if (event.type === 'restart') this.#unshown = [];
    if (event.type === 'block') this.#unshown.push(event.block);
    if (event.type === 'call_end') this.#unshown.push(null);
  }

  forget(): void {
    this.#shownBlocks = 0;
    this.#shownCalls.clear();
  }

  upTo(call: ToolUseBlock): AssistantBlock[] {
    const place = this.#unshown.indexOf(null);
    const before = this.#unshown.splice(0, place < 0 ? this.#unshown.length : place + 1);
    const blocks = before.filter((block) => block !== null);
    this.#shownBlocks += blocks.length;
    this.#shownCalls.add(call.id);
    return [...blocks, call];
  }

  restOf(content: readonly AssistantBlock[]): AssistantBlock[] {
    let blocks = 0;
    return content.filter((block) => {
      if (block.type === 'tool_use') return !this.#shownCalls.has(block.id);
      blocks += 1;
      return blocks > this.#shownBlocks;
    });
  }
}

function progressFacts(
  { at, callId, tool }: Extract<AgentEvent, { type: 'tool_progress' }>,
  begun: number | undefined,
): Line {
  const seconds = begun === undefined ? 0 : Math.max(0, at - begun) / 1_000;
  return { type: 'tool_progress', tool_use_id: callId, tool_name: tool, elapsed_time_seconds: seconds };
}

const subtypes: Readonly<Partial<Record<RunOutcome, string>>> = { completed: 'success', max_turns: 'error_max_turns' };

function resultFacts(run: FinishedRun): Line {
  return {
    type: 'result',
    subtype: run.subtype ?? subtypes[run.outcome] ?? 'error_during_execution',
    is_error: run.failed,
    duration_ms: Math.round(run.totalMs),
    duration_api_ms: Math.round(run.modelMs),
    num_turns: run.turns,
    result: run.text,
    stop_reason: run.stopReason,
    terminal_reason: run.terminalReason ?? run.outcome,
    total_cost_usd: run.costUsd,
    usage: run.usage,
    modelUsage: modelUsage(run),
    permission_denials: run.denials.map(({ tool, callId, input }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: input,
    })),
    ...(run.structuredOutput && { structured_output: run.structuredOutput.value }),
    ...(run.failed && { errors: [run.text] }),
  };
}

/** By name, with the provider if two providers have a model of that name. */
export function modelUsage({ models = [] }: Pick<FinishedRun, 'models'>): Line {
  return Object.fromEntries(
    models.map(({ provider, name, usage, costUsd, contextTokens, maxOutputTokens }) => {
      const isOnly = models.every((other) => other.name !== name || other.provider === provider);
      const facts = {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheReadInputTokens: usage.cache_read_input_tokens,
        cacheCreationInputTokens: usage.cache_creation_input_tokens,
        webSearchRequests: 0,
        costUSD: costUsd,
        contextWindow: contextTokens ?? null,
        maxOutputTokens: maxOutputTokens ?? null,
      };
      return [isOnly ? name : `${provider}/${name}`, facts];
    }),
  );
}
