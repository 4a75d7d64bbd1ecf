import type { AgentHappening } from '../../contract/event.js';
import type { BuiltInTool, Tool, ToolDisplay } from '../../contract/tool.js';
import type { RuleFamily } from '../../contract/tool-traits.js';
import { isObject } from '../../platform/is-object.js';
import { counted } from '../../platform/text/counted.js';

const MAX_TITLE_CHARS = 80;
const MAX_COMMAND_CHARS = 40; // the call's own line has all of it

interface Step {
  kind: 'read' | 'search' | 'list' | 'edit' | 'run' | 'agent' | 'fetch' | 'other';
  title: string;
  /** The title is a description, not the command itself. */
  isDescribed?: boolean;
}

export interface CurrentStepOptions {
  /** What rules call the subject of this tool; undefined if it has none. */
  familyOf(tool: string): RuleFamily | undefined;
}

/** What the conversation is doing now, in words for the spinner, from its events. */
export class CurrentStep {
  readonly #options: CurrentStepOptions;
  readonly #known = new Map<string, Step>();
  #running: Step[] = [];
  #words: string | undefined;

  constructor(options: CurrentStepOptions) {
    this.#options = options;
  }

  /** Whether a command is among the calls that run. */
  get runsCommand(): boolean {
    return this.#running.some(({ kind }) => kind === 'run');
  }

  /** Undefined if there is nothing to say but that it works. */
  get words(): string | undefined {
    return runningWords(this.#running) ?? this.#words;
  }

  begin(): void {
    this.#known.clear();
    this.#running = [];
    this.#words = undefined;
  }

  take(event: AgentHappening): void {
    switch (event.type) {
      case 'turn_start':
        this.#words = undefined;
        return;
      case 'thinking_delta':
        this.#words = 'Thinking';
        return;
      case 'text_delta':
      case 'tool_input':
        this.#words = 'Writing';
        return;
      case 'tool_call':
        this.#known.set(event.callId, this.#stepOf(event));
        return;
      case 'tool_start': {
        const step = this.#known.get(event.callId);
        if (step) this.#running = [...this.#running, step];
        return;
      }
      case 'tool_result': {
        const step = this.#known.get(event.callId);
        this.#known.delete(event.callId);
        this.#running = this.#running.filter((one) => one !== step);
        return;
      }
      default:
        return;
    }
  }

  #stepOf({ tool, input, display }: Extract<AgentHappening, { type: 'tool_call' }>): Step {
    const family = this.#options.familyOf(tool);
    const [title = ''] = display.title.trim().split('\n', 1);
    const kind = looked(display.looks) ?? (family ? kinds[family] : 'other');
    const about = kind === 'run' ? descriptionOf(input) : '';
    if (about !== '') return { kind, title: shortened(about, MAX_TITLE_CHARS), isDescribed: true };
    const short = shortened(title, kind === 'run' ? MAX_COMMAND_CHARS : MAX_TITLE_CHARS);
    return { kind, title: short || tool };
  }
}

/** A search for files is a search. */
const looked = (looks: ToolDisplay['looks']): Step['kind'] | undefined => (looks === 'find' ? 'search' : looks);

/** The model's own words about a command. */
const descriptionOf = (input: unknown): string => {
  const words = isObject(input) ? input['description'] : undefined;
  return typeof words === 'string' ? (words.trim().split('\n', 1)[0] ?? '') : '';
};

const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;

const kinds = {
  read: 'read',
  edit: 'edit',
  command: 'run',
  domain: 'fetch',
  search: 'search',
  agent: 'agent',
  skill: 'other',
  slash: 'other',
} as const satisfies Record<RuleFamily, Step['kind']>;

function runningWords(running: readonly Step[]): string | undefined {
  const [first] = running;
  if (!first) return undefined;
  const { length } = running;
  const isOneKind = running.every(({ kind }) => kind === first.kind);
  if (!isOneKind) return `Running ${counted(length, 'call')}`;
  switch (first.kind) {
    case 'read':
      return length === 1 ? `Reading ${first.title}` : `Reading ${length} files`;
    case 'search':
      return length === 1 ? `Searching ${first.title}` : `Searching ${length} patterns`;
    case 'list':
      return length === 1 ? `Listing ${first.title}` : `Listing ${length} folders`;
    case 'edit':
      return length === 1 ? `Editing ${first.title}` : `Editing ${length} files`;
    case 'fetch':
      return length === 1 ? `Fetching ${first.title}` : `Fetching ${length} pages`;
    case 'agent':
      return `Waiting for ${counted(length, 'agent')}`;
    case 'run':
      return length === 1 ? `Running${first.isDescribed ? ':' : ''} ${first.title}` : `Running ${length} commands`;
    case 'other':
      return length === 1 ? first.title : `Running ${length} calls`;
  }
}

/** What rules call the subject of a tool. */
export function familyOf(tool: Tool | undefined): RuleFamily | undefined {
  const builtIn = tool as BuiltInTool | undefined; // others declare no traits
  return builtIn?.traits?.family;
}
