import type { AgentHappening } from '../../contract/event.js';
import type { Engine } from '../../create-engine.js';
import { randomId } from '../../platform/crypto.js';
import { completeCall } from '../console/complete-call.js';
import { consoleHelp } from '../console/console-help.js';
import { parseCall } from '../console/parse-call.js';
import type { CommandAnswer, ConsoleTool } from '../contract.js';
import type { LineChoices } from '../input/completion.js';

export interface ToolConsoleOptions {
  engine(): Engine;
  onEvent(event: AgentHappening): void;
  /** The person makes this call; gives the way to say that it is over. */
  ownCall(callId: string): () => void;
}

/** The tools, driven by what is typed: what is there where no model is. */
export class ToolConsole {
  readonly #options: ToolConsoleOptions;

  constructor(options: ToolConsoleOptions) {
    this.#options = options;
  }

  /** Runs a typed call. What is shown of it comes by events; what is given is what else there is to say. */
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
      await engine.runCalls([{ id: callId, name, input }], { signal, onEvent });
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

/** What can be called, as it is typed and completed. */
export function consoleTools({ session }: Pick<Engine, 'session'>): ConsoleTool[] {
  return session.tools
    .definitions()
    .map(({ name, description, input_schema }) => ({ name, description, inputSchema: input_schema }));
}
