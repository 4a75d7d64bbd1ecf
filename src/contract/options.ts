// What programs set when they create an engine or an agent. The options inside Helve extend these: compose/options.ts.
import type { BudgetOptions } from './budget.js';
import type { CanUseTool } from './can-use-tool.js';
import type { ContextOptions } from './context.js';
import type { Goal } from './goal.js';
import type { HookCallback, HookEvent } from './hook.js';
import type { Model, ToolProfileName } from './model.js';
import type { AskPermission, PermissionMode } from './permission.js';
import type { AskUser } from './question.js';
import type { RetryOptions } from './retry-options.js';
import type { Tool } from './tool.js';
import type { SandboxConfig } from './tool-context.js';
import type { WebAccess } from './web.js';
import type { SessionWorktree } from './worktree.js';

/** What the tools may do, where, and who answers questions. Each engine or agent has its own. */
export interface EngineOptions {
  /** The project: relative paths start here, and its files may be read. Default: the process's working directory. */
  root?: string;
  /** A git worktree from `openWorktree`, which the session works in instead of the project. */
  worktree?: SessionWorktree;
  /** Folders that may be read like the project. */
  additionalDirectories?: readonly string[];
  /** Where Helve keeps its own files; it writes nothing elsewhere. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** What is decided if no rule matches. Default: `default`, which asks before anything is changed. */
  permissionMode?: PermissionMode;
  /** Rules such as `Bash(git log:*)` or `Read(./secrets/**)`, in addition to those of settings. */
  permissions?: PermissionRules;
  /** Answers when a call needs permission, and the model's own questions. Without it and without the two below, such a call is denied. */
  canUseTool?: CanUseTool;
  /** The same in Helve's own terms, with what the call would touch. Not together with `canUseTool`. */
  askPermission?: AskPermission;
  /** Answers questions that have choices: those of the model, and those of tools, such as what to do about a conflict. */
  askUser?: AskUser;
  /** Functions that are called at certain moments and may object, as hooks of settings do. */
  hooks?: HookCallbacks;
  /** Tools of your own, in addition to the built-in ones. */
  tools?: readonly Tool[];
  /** Built-in tools to turn on or off, by name. What settings turn off stays off. */
  toolSwitches?: Readonly<Record<string, boolean>>;
  /** `simple`: only the built-in tools that are needed to work on files. Default: all of them. */
  toolSet?: 'simple' | 'all';
  /** How the model was trained to change files: `patch` adds apply_patch. Default: as is known of the model, else `text`. */
  editStyle?: 'text' | 'patch';
  /**
   * `small`: a handful of built-in tools in few words, and the others when the model asks for them. Default: as settings
   * say, else as is known of the model, else `full`.
   */
  toolProfile?: ToolProfileName;
  /** MCP servers by name, each as in `.mcp.json`. The first prompt waits for them. */
  mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** Use only those MCP servers, whatever settings say. */
  strictMcp?: boolean;
  /** What settings files say, from `loadSettings`. Without it, no file is read. */
  settings?: LoadedSettings;
  /** Walls around commands. Default: as settings say, else none. */
  sandbox?: SandboxConfig;
  /** Which hosts may be reached, and where is searched. Default: as settings say. */
  web?: WebAccess;
  /** The environment, instead of the process's own. Tools get it without the keys of model providers. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that tools and commands do not get, in addition to those keys. */
  hiddenVariables?: readonly string[];
  /** What `~` stands for. Default: the home folder of the user. */
  home?: string;
  /** Whether calls and decisions are kept in the session's audit log. Default: true. */
  audit?: boolean;
}

/** The model of an agent, and what its tools may do. */
export interface AgentOptions extends EngineOptions {
  /** From `helve/models`: `chooseModel`, one of the adapters, or a script. */
  model: Model;
  /** At most three models, each used while the one before is overloaded or unavailable. */
  fallbackModels?: readonly Model[];
  /** How failed requests are retried, before what the environment says; false for not at all. */
  retries?: Omit<RetryOptions, 'fallbacks'> | false;
  /** How many requests one prompt may make. Default: any number. */
  maxTurns?: number;
  /** How long one prompt may take, in milliseconds. Default: what the setting `maxRunMinutes` says, else any time. */
  maxTimeMs?: number;
  /** What the model may use before the work ends: money, tokens, requests and time. Default: as settings say, else no limits. */
  budget?: BudgetOptions;
  /** What the prompts work towards until it is met. */
  goal?: Goal;
  /** Returns the model of a child agent, by its name or the one of this agent. Default: by what the environment says. */
  childModel?: (name: string | undefined) => Promise<Model>;
  /** A cheap model for small tasks, such as reading a web page. Default: as settings or HELVE_SMALL_MODEL say, else none. */
  sideModel?: () => Promise<Model>;
  /** How the context window is used, before what the environment says. */
  context?: ContextOptions;
  /** Writes the conversation to the data folder, so that `resumeAgent` can resume it. Default: false. */
  keepSession?: boolean;
  /** Called with one sentence for the person when the session can't be saved. */
  onStoreProblem?: (sentence: string) => void;
  /** Instructions instead of Helve's own; an empty text for none. */
  systemPrompt?: string;
  /** Instructions after Helve's own. */
  appendSystemPrompt?: string;
  /** Gives the model the text of HELVE.md, AGENTS.md and CLAUDE.md of the person and the project. Default: false. */
  instructions?: boolean;
  /** Commands and skills of the person and the project can be called by a leading slash. Default: false. */
  commands?: boolean;
}

/** Rules by what they do. Their order has no meaning: what denies wins over what asks, and that over what allows. */
export interface PermissionRules {
  /** Calls that need no question. */
  allow?: readonly string[];
  /** Calls that are always asked about. */
  ask?: readonly string[];
  /** Calls that are never run. */
  deny?: readonly string[];
}

/** An MCP server, as `.mcp.json` describes it: a command to start, or an address. */
export type McpServerEntry = Readonly<
  | {
      type?: 'stdio';
      command: string;
      args?: readonly string[];
      env?: Readonly<Record<string, string>>;
      timeout?: number;
      alwaysLoad?: boolean;
    }
  | {
      type: 'http' | 'sse';
      url: string;
      headers?: Readonly<Record<string, string>>;
      /** A command that prints headers as a JSON object. */
      headersHelper?: string;
      oauth?: McpOauthEntry;
      timeout?: number;
      alwaysLoad?: boolean;
    }
>;

/** How to sign in to an MCP server, if the server's own answers are not enough. */
export interface McpOauthEntry {
  readonly grant?: 'authorization_code' | 'client_credentials';
  readonly clientId?: string;
  /** `${VARIABLE}`, not the secret itself. */
  readonly clientSecret?: string;
  /** Default: as the authorization server says. */
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post';
  /** `${VARIABLE}` with a PEM key (PKCS #8). */
  readonly privateKey?: string;
  readonly privateKeyAlgorithm?: string;
  /** Separated by spaces. */
  readonly scopes?: string;
  readonly callbackPort?: number;
  readonly clientMetadataUrl?: string;
  readonly authServerMetadataUrl?: string;
  readonly issuer?: string;
}

/** Hooks by the moment at which they are called. */
export type HookCallbacks = { readonly [Event in HookEvent]?: ReadonlyArray<HookGroup<Event>> };

/** Hooks that are called for the same calls. */
export interface HookGroup<Event extends HookEvent = HookEvent> {
  /** Which calls: names of tools with `|` between them, or a regular expression. Default: all. */
  matcher?: string;
  /** Called all at once; the strictest answer counts. */
  hooks: ReadonlyArray<HookCallback<Event>>;
  /** Seconds that each may take. Default 60. */
  timeout?: number;
  /** What happens to the call when one of them throws. Default: it runs. */
  onFailure?: 'continue' | 'block';
}

/** What settings files say, for the option `settings` of one agent or engine. Changes of the files are applied between turns. */
export interface LoadedSettings {
  /** What is wrong with the files, in sentences. What could refuse a call and is not understood throws instead. */
  readonly problems: readonly string[];
}
