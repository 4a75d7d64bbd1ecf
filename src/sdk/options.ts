import type { HookCallback, HookEvent } from '../contract/hook.js';
import type { AskPermission, PermissionMode } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import type { Tool } from '../contract/tool.js';
import type { SandboxConfig } from '../contract/tool-context.js';
import type { WebAccess } from '../contract/web.js';
import type { CanUseTool } from './can-use-tool.js';
import type { LoadedSettings } from './settings.js';

/** What the tools may do, where, and who answers questions. All of it holds for one engine or agent alone. */
export interface EngineOptions {
  /** The project: relative paths start here, and its files may be read. Default: the process's working directory. */
  root?: string;
  /** Folders that count as part of the project when it comes to reading. */
  additionalDirectories?: readonly string[];
  /** Where Helve keeps its own files; it writes nothing elsewhere. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** What is decided where no rule speaks. Default: `default`, which asks before anything is changed. */
  permissionMode?: PermissionMode;
  /** Rules such as `Bash(git log:*)` or `Read(./secrets/**)`, beside those of settings. */
  permissions?: PermissionRules;
  /** Answers when a call needs permission, and the model's own questions. Without it and without the two below, such a call is denied. */
  canUseTool?: CanUseTool;
  /** The same in Helve's own terms, with what the call would touch. Not together with `canUseTool`. */
  askPermission?: AskPermission;
  /** Answers questions that have choices: those of the model, and those of tools, such as what to do about a conflict. */
  askUser?: AskUser;
  /** Functions that are called at certain moments and may object, as hooks of settings do. */
  hooks?: HookCallbacks;
  /** Tools of your own, beside the built-in ones. */
  tools?: readonly Tool[];
  /** Built-in tools to have or not to have, by name. */
  toolSwitches?: Readonly<Record<string, boolean>>;
  /** `simple`: no more built-in tools than it takes to work on files. Default: all of them. */
  toolSet?: 'simple' | 'all';
  /** How the model was trained to change files: `patch` adds apply_patch. Default: as is known of the model, else `text`. */
  editStyle?: 'text' | 'patch';
  /** MCP servers by name, each as in `.mcp.json`. The first prompt waits for them. */
  mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** No MCP servers but those, whatever settings say. */
  strictMcp?: boolean;
  /** What settings files say, from `loadSettings`. Left out, no file is read. */
  settings?: LoadedSettings;
  /** Walls around commands. Default: as settings say, else none. */
  sandbox?: SandboxConfig;
  /** What may be reached on the web, and where is searched. Default: as settings say. */
  web?: WebAccess;
  /** The environment, in the place of the process's own. Tools get it without the keys of model providers. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that tools and commands do not get, beside those keys. */
  hiddenVariables?: readonly string[];
  /** What `~` stands for. Default: the home folder of the user. */
  home?: string;
  /** Whether calls and decisions are kept in the session's audit log. Default: true. */
  audit?: boolean;
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
    }
  | { type: 'http' | 'sse'; url: string; headers?: Readonly<Record<string, string>>; timeout?: number }
>;

/** Hooks by the moment at which they are called. */
export type HookCallbacks = { readonly [Event in HookEvent]?: ReadonlyArray<HookGroup<Event>> };

/** Hooks that are called for the same calls. */
export interface HookGroup<Event extends HookEvent = HookEvent> {
  /** Which calls: names of tools with `|` between them, or a regular expression. Left out: all. */
  matcher?: string;
  /** Called all at once; the strictest answer counts. */
  hooks: ReadonlyArray<HookCallback<Event>>;
  /** Seconds that each may take. Default 60. */
  timeout?: number;
  /** What becomes of the call when one of them throws. Default: it goes on. */
  onFailure?: 'continue' | 'block';
}
