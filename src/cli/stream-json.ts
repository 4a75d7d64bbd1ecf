import type { AgentEvent, RunOutcome, RunResult } from '../contract/event.js';
import type { AssistantBlock, AssistantMessage } from '../contract/message.js';
import { randomId } from '../platform/crypto.js';

type Line = Readonly<Record<string, unknown>>;

/** Turns events into the lines that hosts of such agents read: init, retries, assistant, user, result. */
export class StreamJson {
  readonly #sessionId: string;
  readonly #version: string;

  constructor({ sessionId, version }: { sessionId: string; version: string }) {
    this.#sessionId = sessionId;
    this.#version = version;
  }

  lines(event: AgentEvent): Line[] {
    switch (event.type) {
      case 'session_start':
        return [this.#line({ type: 'system', subtype: 'init', ...this.#initFacts(event) })];
      case 'notice':
        return [this.#line({ type: 'system', subtype: 'notice', text: event.text })];
      case 'model_retry': {
        const { attempt, maxRetries, waitMs, status = null, reason, model } = event;
        const facts = { attempt, max_retries: maxRetries, retry_delay_ms: waitMs, error_status: status, error: reason };
        return [this.#line({ type: 'system', subtype: 'api_retry', ...facts, model })];
      }
      case 'assistant_message':
        return [this.#line({ type: 'assistant', message: assistantMessage(event), parent_tool_use_id: null })];
      case 'user_message':
        return [this.#line({ type: 'user', message: event.message, parent_tool_use_id: null })];
      case 'result':
        return [this.#line(resultFacts(event))];
      default:
        return [];
    }
  }

  #line(facts: Line): Line {
    return { ...facts, session_id: this.#sessionId, uuid: randomId() };
  }

  #initFacts({ cwd, tools, model, mode }: Extract<AgentEvent, { type: 'session_start' }>): Line {
    return {
      cwd,
      tools,
      mcp_servers: [],
      model,
      permissionMode: mode,
      slash_commands: [],
      skills: [],
      plugins: [],
      output_style: 'default',
      helve_version: this.#version,
    };
  }
}

function assistantMessage({ message, id, model }: { message: AssistantMessage; id: string; model: string }): Line {
  return { id, type: 'message', role: 'assistant', model, content: message.content.map(wireBlock), stop_reason: null };
}

const wireBlock = (block: AssistantBlock): unknown => (block.type === 'opaque' ? block.value : block);

const subtypes: Readonly<Partial<Record<RunOutcome, string>>> = { completed: 'success', max_turns: 'error_max_turns' };

function resultFacts(event: RunResult): Line {
  const isError = event.outcome !== 'completed';
  return {
    type: 'result',
    subtype: subtypes[event.outcome] ?? 'error_during_execution',
    is_error: isError,
    duration_ms: Math.round(event.totalMs),
    duration_api_ms: Math.round(event.modelMs),
    num_turns: event.turns,
    result: event.text,
    stop_reason: event.stopReason,
    terminal_reason: event.outcome,
    total_cost_usd: event.costUsd,
    usage: event.usage,
    permission_denials: event.denials.map(({ tool, callId, input }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: input,
    })),
    ...(isError && { errors: [event.text] }),
  };
}
