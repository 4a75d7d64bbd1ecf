// Types that the parts of the terminal share; no code.

import type { StoredGoal } from '../agent/goals/goal-state.js';
import type { StartedAgent } from '../contract/agents.js';
import type { BudgetUse } from '../contract/budget.js';
import type { ListedCommand } from '../contract/command.js';
import type { CompactionEvent, ModelUse } from '../contract/event.js';
import type { Goal, GoalCheck } from '../contract/goal.js';
import type { Effort, JsonSchema } from '../contract/model.js';
import type { PermissionMode } from '../contract/permission.js';
import type { Todo } from '../contract/todo.js';
import type { ToolDisplay } from '../contract/tool.js';
import type { ToolChange } from '../mcp/client/pins.js';
import type { LoginProvider } from '../models/sign-in/login-names.js';
import type { Settings } from '../settings/settings.js';

/** A slash command. */
export interface TerminalCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** A short description for the list. */
  readonly description: string;
  readonly argumentHint?: string;
  /** It changes the conversation, so it waits until no prompt is running. */
  readonly needsRest?: boolean;
  /**
   * When its line is shown in the transcript: with its answer or soon, by default; `before`: before it runs, since events
   * show what it does; `answered`: only with an answer, so that a picker that was cancelled leaves nothing; `never`: what
   * it does is shown anyway.
   */
  readonly echo?: 'before' | 'answered' | 'never';
  /** A command of the user's own with the same name runs instead. */
  readonly yields?: boolean;
  /** The heading under which help lists it. */
  readonly group?: CommandGroup;
  /** Completions of its arguments, given what is typed so far. */
  complete?(typed: string, session: CommandSession): Promise<readonly Choice[]> | readonly Choice[];
  /** Rejects with an `Error` whose message is for the user. */
  run(args: string, session: CommandSession): Promise<CommandAnswer>;
}

/** A heading of help. */
export type CommandGroup = 'Conversation' | 'Changes' | 'Model' | 'Session' | 'Settings';

/** The outcome of a command. The code that shows it makes control characters visible. */
export type CommandAnswer =
  /** Lines, shown as is. */
  | { type: 'text'; text: string }
  /** Lines under headings, which are drawn in bold. */
  | {
      type: 'sections';
      sections: readonly AnswerSection[] /** Headings beside their lines, to save rows. */;
      isDense?: boolean;
    }
  /** Changes of files. */
  | { type: 'diffs'; title: string; files: readonly ShownDiff[]; notes: readonly string[] }
  /** Lines that may change for a while; the view is redrawn until `settled` resolves. */
  | { type: 'live'; lines(): readonly string[]; settled: Promise<unknown> }
  /** Text to render as Markdown. */
  | { type: 'markdown'; text: string }
  /** The use of the model's context window. */
  | { type: 'context'; context: ShownContext }
  /** A display, as tools return it. */
  | { type: 'display'; display: ToolDisplay }
  /** An error message. */
  | { type: 'explained'; text: string }
  | { type: 'problem'; text: string }
  /** A choice from a list, which leads to the next answer. Cancelling changes nothing. */
  | {
      type: 'choose';
      title: string;
      /** Text above the choices. */
      text?: string;
      /** Changes of files above the choices. */
      changes?: readonly ShownChange[];
      /** Text below the changes. */
      note?: string;
      items: readonly Choice[];
      /** The items as they are now, for a list that changes while it is open. It closes once there are none. */
      latest?(): readonly Choice[];
      /** The item that is selected at first. Default: the current one, or the first. */
      focus?: number;
      /** What Escape does. Default: cancel. */
      cancel?: string;
      /** What Enter does. Default: choose. */
      verb?: string;
      /** Another key for the selected item. Where choices are read aloud, it is not offered. */
      extra?: { key: string; about: string; run(value: string): Promise<CommandAnswer> };
      choose(value: string): Promise<CommandAnswer>;
    }
  /** A question for one line of text; `isSecret` masks it. Cancelling changes nothing. */
  | {
      type: 'ask';
      title: string;
      isSecret?: boolean /** What Enter does: `save`. */;
      verb?: string;
      answer(text: string): Promise<CommandAnswer>;
    }
  /** Sent to the model as if the user had typed it. `shown` is displayed instead of it. */
  | { type: 'prompt'; text: string; shown?: string /** For the model alone, with the text. */; instructions?: string }
  /** Placed in the editor, to be edited and sent. The text, if any, is shown. */
  | { type: 'edit'; draft: string; text?: string }
  | { type: 'quit' }
  /** Nothing to show. */
  | { type: 'done' };

/** What happened to a file or a folder. */
export interface ShownDiff {
  path: string;
  /** As in "deleted"; undefined if the patch says all. */
  what?: string;
  /** A unified patch; empty if there is none to show. */
  patch: string;
  /** The files in a deleted folder. */
  files?: ReadonlyArray<{ path: string; patch: string }>;
}

/** The change of one file. */
export interface ShownChange {
  /** What happens to which file: `restore a.txt`. */
  title: string;
  /** Something is in its way. */
  isBlocked?: boolean;
  path: string;
  /** A unified patch; empty if there is none to show. */
  patch: string;
}

export interface AnswerSection {
  title: string;
  /** Beside the title. */
  note?: string;
  lines: readonly string[];
}

export interface Choice {
  /** The value that is returned, or inserted into the line. */
  value: string;
  /** Default: the value. */
  label?: string;
  description?: string;
  /** Whether it is the current value. */
  isCurrent?: boolean;
  /** A heading above it and the items that follow it with the same one. */
  group?: string;
  /** A letter that selects it at once, instead of its number. */
  key?: string;
}

/** What commands can read and change in the conversation. */
export interface CommandSession {
  readonly id: string;
  /** Of Helve. */
  readonly version: string;
  readonly root: string;
  readonly cwd: string;
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string | undefined;
  /** Folders outside the root that belong to the workspace. */
  readonly additionalDirectories: readonly string[];
  readonly mode: PermissionMode;
  readonly todos: readonly Todo[] | undefined;
  /** The settings in effect. */
  readonly settings: Settings;
  /** Reloads changed settings files. */
  refresh(): Promise<void>;
  /** "provider/name"; undefined if no model is set up. */
  readonly model: string | undefined;
  /** The child agents that were started, oldest first. */
  readonly agents: readonly StartedAgent[];
  /** Background tasks. */
  readonly tasks: readonly RunningTask[];
  readonly servers: readonly ShownServer[];
  /** The title of the conversation; empty until it has one. */
  title(): Promise<string>;
  /** False if the conversation is not saved. */
  rename(title: string): boolean;
  readonly effort: EffortPort;
  /** The model's last answer; undefined if there is none. */
  lastAnswer(): string | undefined;
  /** Puts the text into the clipboard, and says how. */
  copy(text: string): Promise<string>;
  /** Opens a file in the user's editor. Returns a problem, if any. */
  editFile(path: string): Promise<string | undefined>;
  /** vi keys in the prompt; undefined where there is no editor. */
  readonly vim?: { readonly isOn: boolean; set(isOn: boolean): void } | undefined;
  /** Tells the model something with the next prompt. */
  remind(text: string): void;
  /** Whether the sandbox of the settings is on, and whether the kernel confines commands that run without a question. */
  readonly confinement: { sandbox: boolean; walls: 'full' | 'none' | undefined };
  /** Starts connecting, if that has not begun, and waits briefly. */
  connectServers(): Promise<void>;
  /** Reconnects one. Resolves once it has connected or failed. */
  reconnect(server: string): Promise<void>;
  /**
   * Begins a sign-in to a server. The user is told the address, and the outcome when it is there; rejects if it can't
   * begin.
   */
  signIn(server: string): Promise<void>;
  /** Whether a sign-in to it waits for the browser. */
  isSigningIn(server: string): boolean;
  /** Passes on the address that the browser ended at, to a sign-in that waits. Throws if none does. */
  pasteAddress(server: string, text: string): void;
  /** Forgets a sign-in. Resolves with a sentence about it. */
  signOut(server: string): Promise<string>;
  /**
   * Begins a sign-in to a provider of models. The user is told the address, and the outcome when it is there. `isNew`
   * registers another account.
   */
  logIn(provider: LoginProvider, isNew: boolean): Promise<void>;
  /** Whether a sign-in to it waits for the browser. */
  isLoggingIn(provider: LoginProvider): boolean;
  /** Passes on the address that the browser ended at, to a sign-in that waits. Throws if none does. */
  pasteLogin(provider: LoginProvider, text: string): void;
  /** Forgets a sign-in to a provider. Resolves with a sentence about it. */
  logOut(provider: LoginProvider): Promise<string>;
  /** The tools of a server that are held back, with what has changed of each. */
  toolChanges(server: string): Promise<readonly ShownToolChange[]>;
  /** Approves exactly these changes. */
  approveTools(server: string, changes: readonly ToolChange[]): Promise<void>;
  /** Resolves once each server has connected or failed. */
  serversSettled(): Promise<void>;
  /** The tools of MCP servers, and the tokens that their definitions take. */
  serverTools(): ReadonlyArray<{ server: string; tokens: number }>;
  /** The largest results in the conversation, the largest first. */
  largestResults(): ReadonlyArray<{ title: string; tokens: number }>;
  readonly usage: SessionUsage;
  /** What the conversation works towards; undefined without a model. */
  readonly goals: GoalPort | undefined;
  /** The prompt that is repeated. */
  readonly loop: LoopPort;
  /** The limits of the budget, and what is used of each. */
  readonly budget: readonly BudgetUse[];
  /** Undefined until the first request. */
  readonly context: ShownContext | undefined;
  readonly themes: ThemePort;
  /** The key bindings in effect: one line each, for help. */
  readonly keys: ReadonlyArray<{ keys: string; about: string }>;
  /** The tools that can be called. */
  readonly tools: readonly ConsoleTool[];
  /** All commands of the terminal. */
  readonly builtIn: readonly TerminalCommand[];
  /** The commands of the user, the project and MCP servers. */
  commands(): Promise<readonly ListedCommand[]>;
  /** The available types of child agents. */
  agentTypes(): Promise<ReadonlyArray<{ name: string; about?: string; description: string; file?: string }>>;
  /** Returns an error message if the mode is not available. */
  setMode(mode: PermissionMode): string | undefined;
  /** The available models, including local ones. */
  models(): Promise<readonly Choice[]>;
  /** Returns "provider/name". Rejects with a message for the user. */
  chooseModel(name: string): Promise<string>;
  /** Starts a new conversation. */
  clear(): Promise<void>;
  compact(instructions: string): Promise<CompactionEvent | { type: 'refused'; why: string }>;
  /** Leaves this conversation and resumes that one. */
  resume(id: string): Promise<void>;
  /** The user's prompts in this conversation, oldest first. */
  readonly prompts: readonly PastPrompt[];
  /** The sessions that /rewind has left, latest first: their changes of files may still be there. */
  readonly rewoundFrom: ReadonlyArray<{ id: string; prompt: PastPrompt }>;
  /** Removes everything from that prompt on from the conversation. Files are not touched. */
  rewind(prompt: PastPrompt): Promise<void>;
  /** Adds the folder to the workspace. */
  addDirectory(path: string): Promise<void>;
  /** Checks what Helve needs on this machine. */
  checkSetup(): Promise<readonly SetupFinding[]>;
  /** Whether a call would be allowed, and why, as lines of text. */
  explain(tool: string, input: unknown): Promise<string>;
}

export interface GoalPort {
  readonly stored: StoredGoal | undefined;
  /** The last check. */
  readonly last: GoalCheck | undefined;
  set(goal: Goal | undefined): void;
  /** Goes on with a paused goal. */
  resume(): void;
}

export interface LoopPort {
  /** "every 10 min: PROMPT, next at 14:30"; undefined if none is repeated. */
  readonly described: string | undefined;
  /** Sends the prompt after each interval, from the first one on. */
  start(prompt: string, everyMs: number): void;
  /** False if none was repeated. */
  stop(): boolean;
}

export interface EffortPort {
  /** Undefined for the model's own default. */
  readonly current: Effort | undefined;
  /** The levels that the model accepts; undefined if that is not known. */
  readonly accepted: readonly Effort[] | undefined;
  /** For the running conversation, from its next request on. Rejects with a message for the user. */
  set(effort: Effort | undefined): Promise<void>;
}

export interface PastPrompt {
  /** Its position in the conversation; opaque to commands. */
  readonly index: number;
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

export interface RunningTask {
  readonly id: string;
  /** The description of the command or agent, or the command itself. */
  readonly title: string;
  /** `running`, `ended, exit code 0`. */
  readonly state: string;
  /** How long it has run; undefined if that is not known. */
  readonly milliseconds?: number | undefined;
  /** Shows what it has written or done, until the user closes it. */
  look(): Promise<void>;
  /** Undefined once it has ended. */
  stop?(): Promise<void> | void;
}

export interface ShownToolChange extends ToolChange {
  /** A unified patch of the definition. */
  readonly patch: string;
}

export interface ShownServer {
  readonly name: string;
  readonly status: string;
  readonly detail?: string | undefined;
  readonly tools: number;
  readonly setAside: ReadonlyArray<{ tool: string; why: string }>;
  /** Tools that are held back until the person approves how the server has changed them. */
  readonly changedTools: readonly string[];
  readonly errorOutput: string;
}

export interface SessionUsage {
  readonly models: readonly ModelUse[];
  /** Null if the price of a model in use is unknown. */
  readonly costUsd: number | null;
  readonly prompts: number;
  /** Of these, prompts that were cut off when Helve was killed: what they cost is not known. */
  readonly killed?: number;
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
  /** The largest parts of some categories, estimated. */
  readonly details?: readonly ContextDetail[];
}

export interface ContextDetail {
  title: string;
  items: ReadonlyArray<{ name: string; tokens: number }>;
}

export interface ThemePort {
  readonly names: readonly string[];
  readonly current: string;
  use(name: string): void;
}

export interface SetupFinding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'missing' | 'broken';
  readonly detail: string;
}

/** A tool, as the console needs it. */
export interface ConsoleTool {
  readonly name: string;
  /** One sentence for people. */
  readonly about?: string;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
}
