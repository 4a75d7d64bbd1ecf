import type { Observer } from '../agent/observe/observe.js';
import type { AskPermission, PermissionMode } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import type { Tool } from '../contract/tool.js';
import type { SandboxConfig, SeenFile, ToolSetMode } from '../contract/tool-context.js';
import type { WebAccess } from '../contract/web.js';
import type { HookCallbacks } from '../hooks/run-hooks.js';
import type { RuleLists } from '../permissions/rule.js';
import type { WatchedSettings } from '../settings/watch.js';

export interface EngineOptions {
  /** The project. Default: the process's working directory. */
  root?: string;
  /** Folders that count as part of the project when it comes to reading. */
  additionalDirectories?: readonly string[];
  permissionMode?: PermissionMode;
  /** Who answers when a call needs permission. Left out: such a call is denied. */
  askPermission?: AskPermission;
  /** Who answers a tool's own questions, such as what to do about a conflict. Left out: nobody. */
  askUser?: AskUser;
  /** Rules beside those of settings. */
  permissions?: RuleLists;
  /** What settings files say, watched; see `loadSettings`. Left out: nothing. */
  settings?: WatchedSettings;
  /** Keeps a rule that a person wants to hold always. Left out: it holds for the session. */
  saveRule?: (rule: string) => Promise<void>;
  /** Takes up a session under its own id. */
  sessionId?: string;
  /** Is told what the model gets to see of files. */
  onSeen?: (real: string, seen: SeenFile) => void;
  /** Walls around commands. Default: as settings say, else none. */
  sandbox?: SandboxConfig;
  /** What may be reached on the web, and where is searched. Default: as settings say. */
  web?: WebAccess;
  /** Hooks inside the program, beside those of settings. */
  hooks?: HookCallbacks;
  /** Tools beside the built-in ones. */
  tools?: readonly Tool[];
  /** MCP servers beside those of settings, by name, as `.mcp.json` describes them. The first prompt waits for them. */
  mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** No MCP servers but those. */
  strictMcp?: boolean;
  /** The first prompt waits for those of settings too, within bounds. */
  awaitServers?: boolean;
  /** Tokens that fit into one request, to judge how much of it tools may take. */
  contextTokens?: number;
  toolSet?: ToolSetMode;
  /** Built-in tools to have or not to have, by name, beside what settings say; what settings switch off stays off. */
  toolSwitches?: Readonly<Record<string, boolean>>;
  /** How the model was trained to change files. Default: by replacing text. */
  editStyle?: 'text' | 'patch';
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of variables that tools and commands do not get, beside the keys of the built-in providers. */
  hiddenVariables?: readonly string[];
  /** What `~` stands for in commands. Default: the home folder of the user. */
  home?: string;
  /** Where Helve keeps its own files. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
  /** One sentence for the person, at the end, where the data folder could not take all of the session. */
  onKept?: ((sentence: string) => void) | undefined;
  /** Whether calls and decisions are kept in the session's audit log. Default: true. */
  audit?: boolean;
  /** Commands and skills of the person and the project, from their files and from MCP servers. Default: none. */
  commands?: boolean;
  /** For a command that names its model: that one answers until what is returned is called. Left out: no other can. */
  useModel?: (name: string) => Promise<() => void>;
  /** Those who watch what happens and change nothing of it. The list may grow until the first prompt. */
  observers?: readonly Observer[];
  /** Writes the conversation for hooks to read, in the file of their `transcript_path`. */
  keepTranscript?: boolean;
}
