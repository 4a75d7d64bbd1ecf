import { randomUUID } from 'node:crypto';
import type { AgentEvent, RunOutcome, RunResult } from '../contract/event.js';
import type { AssistantBlock, AssistantMessage } from '../contract/message.js';

type Line = Readonly<Record<string, unknown>>;

/** Turns events into the lines that hosts of such agents read: init, assistant, user, result. */
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
    return { ...facts, session_id: this.#sessionId, uuid: randomUUID() };
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
    usage: event.usage,
    permission_denials: event.denials.map(({ tool, callId, input }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: input,
    })),
    ...(isError && { errors: [event.text] }),
  };
}
