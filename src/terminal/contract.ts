// What the parts of the terminal know of each other and of the conversation: types, and nothing else.
import type { StartedAgent } from '../contract/agents.js';
import type { ListedCommand } from '../contract/command.js';
import type { CompactionEvent, ModelUse } from '../contract/event.js';
import type { JsonSchema } from '../contract/model.js';
import type { PermissionMode } from '../contract/permission.js';
import type { Todo } from '../contract/todo.js';
import type { ToolDisplay } from '../contract/tool.js';
import type { Settings } from '../settings/settings.js';

/** One command that a person calls by a leading slash. */
export interface TerminalCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** A few words for the list. */
  readonly description: string;
  readonly argumentHint?: string;
  /** It changes the conversation, so it waits until no prompt is running. */
  readonly needsRest?: boolean;
  /** What could stand behind it, given what is typed of it so far. */
  complete?(typed: string, session: CommandSession): Promise<readonly Choice[]> | readonly Choice[];
  /** Rejects with an `Error` whose message is for the person. */
  run(args: string, session: CommandSession): Promise<CommandAnswer>;
}

/** What becomes of a command. Whoever runs it shows texts with control characters made visible. */
export type CommandAnswer =
  /** Lines to show, as they are. */
  | { type: 'text'; text: string }
  /** The same as Markdown. */
  | { type: 'markdown'; text: string }
  /** What fills the model's window. */
  | { type: 'context'; context: ShownContext }
  /** A picture, as tools give it. */
  | { type: 'display'; display: ToolDisplay }
  /** Something went wrong, or was not understood; a sentence. */
  | { type: 'problem'; text: string }
  /** A question with a list; what is chosen leads to the next answer. Leaving it changes nothing. */
  | {
      type: 'choose';
      title: string;
      /** What there is to know before one chooses. */
      text?: string;
      items: readonly Choice[];
      choose(value: string): Promise<CommandAnswer>;
    }
  /** A question for one line of text; `isSecret` is shown as dots. Leaving it changes nothing. */
  | { type: 'ask'; title: string; isSecret?: boolean; answer(text: string): Promise<CommandAnswer> }
  /** Goes to the model as if the person had typed it. `shown` stands for it on the screen. */
  | { type: 'prompt'; text: string; shown?: string }
  /** Comes into the editor, to be changed and sent. The text, where there is one, is shown. */
  | { type: 'edit'; draft: string; text?: string }
  | { type: 'quit' }
  /** Nothing to show. */
  | { type: 'done' };

export interface Choice {
  /** What is handed back, or put into the line. */
  value: string;
  /** Default: the value. */
  label?: string;
  description?: string;
  /** The one that holds now. */
  isCurrent?: boolean;
}

/** What commands may know of the conversation, and do to it. Whoever runs the conversation implements it. */
export interface CommandSession {
  readonly id: string;
  readonly root: string;
  readonly cwd: string;
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string | undefined;
  /** Folders beside the root that count as part of the project. */
  readonly additionalDirectories: readonly string[];
  readonly mode: PermissionMode;
  readonly todos: readonly Todo[] | undefined;
  /** The settings that hold now. */
  readonly settings: Settings;
  /** Takes over what has changed in the files of settings. */
  refresh(): Promise<void>;
  /** "provider/name"; undefined where no model is set up. */
  readonly model: string | undefined;
  /** The child agents that were started, the latest last. */
  readonly agents: readonly StartedAgent[];
  /** What runs in the background. */
  readonly tasks: readonly RunningTask[];
  readonly servers: readonly ShownServer[];
  /** Connects to them, where that has not begun, and waits for a moment. */
  connectServers(): Promise<void>;
  /** Begins anew with one. Settles when it has connected or failed. */
  reconnect(server: string): Promise<void>;
  readonly usage: SessionUsage;
  /** Undefined where nothing has been sent yet and nothing can be said. */
  readonly context: ShownContext | undefined;
  readonly themes: ThemePort;
  /** The keys, as the person has them: one line each, for help. */
  readonly keys: ReadonlyArray<{ keys: string; about: string }>;
  /** What can be called. */
  readonly tools: readonly ConsoleTool[];
  /** All commands of the terminal. */
  readonly builtIn: readonly TerminalCommand[];
  /** Those of the person, the project and MCP servers. */
  commands(): Promise<readonly ListedCommand[]>;
  /** The kinds of child agents that there are. */
  agentTypes(): Promise<ReadonlyArray<{ name: string; description: string; file?: string }>>;
  /** Gives a sentence where the mode can't be had. */
  setMode(mode: PermissionMode): string | undefined;
  /** The models that can be chosen here, those on this machine among them. */
  models(): Promise<readonly Choice[]>;
  /** Rejects with a sentence where it can't be had. Gives "provider/name". */
  chooseModel(name: string): Promise<string>;
  /** Begins a new conversation. */
  clear(): Promise<void>;
  compact(instructions: string): Promise<CompactionEvent | { type: 'refused'; why: string }>;
  /** Leaves this conversation and takes up that one. */
  resume(id: string): Promise<void>;
  /** What the person has said in this conversation, oldest first. */
  readonly prompts: readonly PastPrompt[];
  /** Forgets what was said from that prompt on. The files are another matter. */
  rewind(prompt: PastPrompt): Promise<void>;
  /** From now on it counts as part of the project. */
  addDirectory(path: string): Promise<void>;
  /** What Helve needs on this machine, and what it found. */
  checkSetup(): Promise<readonly SetupFinding[]>;
  /** Whether a call would be allowed, and why, in lines. */
  explain(tool: string, input: unknown): Promise<string>;
}

export interface PastPrompt {
  /** Where in the conversation it is; only who gave it knows what that means. */
  readonly index: number;
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

export interface RunningTask {
  readonly id: string;
  /** The command, or what an agent does. */
  readonly title: string;
  /** `running`, `ended, exit code 0`. */
  readonly state: string;
  /** Absent where it has ended. */
  stop?(): Promise<void> | void;
}

export interface ShownServer {
  readonly name: string;
  readonly status: string;
  readonly detail?: string | undefined;
  readonly tools: number;
  readonly setAside: ReadonlyArray<{ tool: string; why: string }>;
  readonly errorOutput: string;
}

export interface SessionUsage {
  readonly models: readonly ModelUse[];
  /** Null where the prices of a model that answered are not known. */
  readonly costUsd: number | null;
  readonly prompts: number;
  readonly modelMs: number;
  readonly totalMs: number;
}

/** Tokens. */
export interface ShownContext {
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
  readonly results: number;
  readonly total: number;
  readonly window: number;
  readonly free: number;
}

export interface ThemePort {
  readonly names: readonly string[];
  readonly current: string;
  use(name: string): void;
}

export interface SetupFinding {
  readonly what: string;
  readonly state: 'ok' | 'missing' | 'broken';
  readonly detail: string;
}

/** A tool as the console sees it. */
export interface ConsoleTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}
