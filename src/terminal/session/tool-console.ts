import type { FullEngine } from '../../compose/create-engine.js';
import type { AgentHappening } from '../../contract/event.js';
import { randomId } from '../../platform/crypto.js';
import { completeCall } from '../console/complete-call.js';
import { consoleHelp } from '../console/console-help.js';
import { parseCall } from '../console/parse-call.js';
import type { CommandAnswer, ConsoleTool } from '../contract.js';
import type { LineChoices } from '../input/completion.js';

export interface ToolConsoleOptions {
  engine(): FullEngine;
  onEvent(event: AgentHappening): void;
  /** Marks a call as the user's own; the returned function ends that. */
  ownCall(callId: string): () => void;
}

/** Runs typed tool calls, for sessions without a model. */
export class ToolConsole {
  readonly #options: ToolConsoleOptions;

  constructor(options: ToolConsoleOptions) {
    this.#options = options;
  }

  /** Runs a typed call. Its progress is shown through events; the return value is anything else to show. */
  async run(line: string, signal: AbortSignal): Promise<CommandAnswer> {
    const [, isHelp, about = ''] = /^(help|\?)(?:\s+(\S+))?$/i.exec(line.trim()) ?? [];
    if (isHelp) return { type: 'text', text: consoleHelp(about, this.#tools()) };
    const parsed = parseCall(line, this.#tools());
    if ('problem' in parsed) return { type: 'problem', text: parsed.problem };
    const { onEvent, ownCall } = this.#options;
    const engine = this.#options.engine();
    const { tool: name, input } = parsed;
    const tool = engine.session.tools.find(name);
    await tool?.load();
    const callId = engine.session.claimCallId(randomId());
    const forget = ownCall(callId);
    try {
      onEvent({ type: 'tool_call', callId, tool: name, input, display: tool?.displayCall(input) ?? { title: name } });
      await engine.callTools([{ id: callId, name, input }], { signal, onEvent });
    } finally {
      forget();
    }
    return { type: 'done' };
  }

  async complete(line: string): Promise<LineChoices> {
    const { cwd, home } = this.#options.engine().session;
    return await completeCall(line, this.#tools(), { cwd, home });
  }

  #tools(): ConsoleTool[] {
    return consoleTools(this.#options.engine());
  }
}

/** The tools that can be called, in the form for parsing and completion. */
export function consoleTools({ session }: Pick<FullEngine, 'session'>): ConsoleTool[] {
  return session.tools.definitions().map(({ name, description, input_schema }) => {
    const about = session.tools.find(name)?.about;
    return { name, ...(about !== undefined && { about }), description, inputSchema: input_schema };
  });
}
