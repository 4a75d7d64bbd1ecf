// Formats the events of a run as stream-json lines.

import { noUsage } from '../../agent/usage.js';
import type { AgentEvent, ChildEvent, ToolResultEvent } from '../../contract/event.js';
import type { AssistantBlock, ToolUseBlock, UserBlock, UserMessage } from '../../contract/message.js';
import type { ModelEvent, Usage } from '../../contract/model.js';
import type { ServerTask } from '../../contract/server-tasks.js';
import { randomId } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import type { BackgroundCommand } from '../../platform/shell/background.js';
import type { FinishedRun } from '../headless/finish-run.js';
import type { Line } from './control-channel.js';
import { type FindAgent, LiveTasks } from './live-tasks.js';
import { apiUsage, resultFacts } from './result-facts.js';

export interface EventLinesOptions {
  sessionId: string;
  version: string;
  /** The variable that the model's key comes from, or `none`. */
  apiKeySource(): string;
  plugins?: ReadonlyArray<{ name: string; path: string }> | undefined;
  outputStyle?(): string;
  findAgent?: FindAgent;
}

export class EventLines {
  readonly #options: EventLinesOptions;
  readonly #answer = new AnswerSoFar();
  /** Of child agents, the host gets the calls and their results alone. */
  hidesChildText = false;
  readonly #tasks: LiveTasks;
  /** What each running call is about, in a few words. */
  readonly #subjects = new Map<string, string>();
  /** What each call has returned, as data, until its message is sent. */
  readonly #data = new Map<string, unknown>();
  /** When each running call began, in milliseconds since the epoch. */
  readonly #begun = new Map<string, number>();

  constructor(options: EventLinesOptions) {
    this.#options = options;
    this.#tasks = new LiveTasks(options.findAgent ?? (() => undefined));
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
      case 'text_calls':
        return [this.system('text_calls', { format: event.format, tools: event.tools })];
      case 'compaction': {
        const { trigger, tokensBefore, tokensAfter } = event;
        const facts = { trigger, pre_tokens: tokensBefore, post_tokens: tokensAfter };
        return [this.system('compact_boundary', { compact_metadata: facts })];
      }
      case 'turn_start':
        this.#answer.forget();
        return [];
      case 'tool_call': {
        this.#subjects.set(event.callId, subjectOf(event));
        const call: ToolUseBlock = { type: 'tool_use', id: event.callId, name: event.tool, input: event.input };
        return [this.#assistant(this.#answer.upTo(call), this.#answer)];
      }
      case 'assistant_message': {
        const rest = this.#answer.restOf(event.message.content);
        return rest.length > 0 ? [this.#assistant(rest, event)] : [];
      }
      case 'agent_event':
        return [...this.#ofTask(this.#tasks.ofAgent(event)), ...this.#ofChild(event)];
      case 'tool_start':
        this.#begun.set(event.callId, event.at);
        return [];
      case 'tool_progress':
        return [this.line({ ...progressFacts(event, this.#begun.get(event.callId)), parent_tool_use_id: null })];
      case 'tool_result':
        this.#begun.delete(event.callId);
        this.#noteData(event);
        return [...this.#ofCommand(event), ...(event.failure === 'permission_denied' ? [this.#denied(event)] : [])];
      case 'user_message':
        return this.#userLines(event.message, null);
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

  /** A command in the background has ended. */
  commandEnded(command: BackgroundCommand, summary: string): Line[] {
    return this.#ofTask(this.#tasks.commandEnded(command, summary, Date.now()));
  }

  /** A task of an MCP server has ended. */
  taskEnded(task: ServerTask): Line[] {
    return this.#ofTask(this.#tasks.serverTaskEnded(task, Date.now()));
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
      case 'tool_result':
        this.#noteData(event);
        return [];
      case 'user_message':
        return this.#userLines(event.message, parentCallId);
      case 'notice':
      case 'text_calls':
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

  #ofTask(lines: ReadonlyArray<{ subtype: string } & Line>): Line[] {
    return lines.map(({ subtype, ...facts }) => this.system(subtype, facts));
  }

  /** The call has left a command or a server's task in the background. */
  #ofCommand({ callId, tool, data }: ToolResultEvent): Line[] {
    const id = backgroundIdIn(data);
    const subject = this.#subjects.get(callId) ?? tool;
    const isServerTask = isObject(data) && data['isServerTask'] === true;
    this.#subjects.delete(callId);
    return id === undefined ? [] : this.#ofTask(this.#tasks.callLeft(id, callId, { subject, isServerTask }));
  }

  #noteData({ callId, data, problem }: ToolResultEvent): void {
    const id = backgroundIdIn(data);
    const shown = isObject(data) && id !== undefined ? { ...data, backgroundTaskId: id } : data;
    const result = shown ?? (problem === undefined ? undefined : `Error: ${problem}`);
    if (result !== undefined) this.#data.set(callId, result);
  }

  /** A line for each result, with its data, for hosts that show it in a form of their own. Notes come with the last. */
  #userLines(message: UserMessage, parentCallId: string | null): Line[] {
    const results = message.content.filter((block) => block.type === 'tool_result');
    const notes = message.content.filter((block) => block.type !== 'tool_result');
    const line = (content: readonly UserBlock[], facts: Line = {}): Line =>
      this.line({ type: 'user', message: { ...message, content }, parent_tool_use_id: parentCallId, ...facts });
    if (results.length === 0) return [line(notes)];
    return results.map((block, index) => {
      const data = this.#data.get(block.tool_use_id);
      this.#data.delete(block.tool_use_id);
      const isLast = index === results.length - 1;
      return line([block, ...(isLast ? notes : [])], data === undefined ? {} : { tool_use_result: data });
    });
  }

  #denied({ tool, callId, problem }: ToolResultEvent): Line {
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
      usage: apiUsage(usage),
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

/** What a call is about: the words of the model, else its title. */
function subjectOf({ input, display, tool }: Extract<AgentEvent, { type: 'tool_call' }>): string {
  const description = isObject(input) ? input['description'] : undefined;
  return typeof description === 'string' && description !== '' ? description : display.title || tool;
}

/** The command that the call has left in the background. */
export function backgroundIdIn(data: unknown): string | undefined {
  const id = isObject(data) ? data['backgroundId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
