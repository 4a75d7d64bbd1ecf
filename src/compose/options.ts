// The options inside Helve: those of programs, and what the command line and the terminal set in addition.

import type { CommandBudget } from '../agent/budget/spent.js';
import type { AgentType } from '../agent/children/agent-types.js';
import type { PresenceComponent } from '../agent/components/presence.js';
import type { Observer } from '../agent/observe/observe.js';
import type { ResumedSession } from '../agent/store/resume-session.js';
import type { EditorBuffers } from '../contract/editor-buffers.js';
import type { AgentOptions, EngineOptions } from '../contract/options.js';
import type { HostServers } from '../mcp/client/host-transport.js';
import type { LoadedPlugin } from '../plugins/loaded-plugin.js';
import type { OptionalSource } from '../settings/locations.js';
import type { WatchedSettings } from '../settings/watch.js';

export interface FullEngineOptions extends Omit<EngineOptions, 'mcpServers'> {
  /** Entries of `.mcp.json`, with all fields. Invalid entries are reported when the servers are connected. */
  mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The names of the only MCP servers to connect to. Default: all that are configured. */
  onlyServers?: readonly string[];
  /** See `watchSettings`. Default: no settings. */
  settings?: WatchedSettings;
  /** The files of the person and the project that commands, skills and agents are read from. Default: all. */
  sources?: readonly OptionalSource[];
  /** The type of agent that the conversation itself is held with: its tools, its mode and its child agents limit it. */
  mainType?: AgentType;
  /** Whether the session is interactive. Default: whether questions about permission are answered. */
  interactive?: boolean;
  /** Saves a rule that the person wants to keep for all sessions. Default: the rule applies to this session only. */
  saveRule?: (rule: string) => Promise<void>;
  /** The MCP servers in the host program: entries of `mcpServers` with the type `sdk`. */
  hostServers?: HostServers;
  /** Default: a new id. */
  sessionId?: string;
  /** The first prompt waits for MCP servers of settings too, within limits. */
  awaitServers?: boolean;
  /** Tokens that fit into one request; limits the share that tool definitions may use. */
  contextTokens?: number;
  /** Called at the end with one sentence for the person, if not all of the session could be written to the data folder. */
  onKept?: ((sentence: string) => void) | undefined;
  /** Commands and skills of the person and the project, from their files and from MCP servers. Default: none. */
  commands?: boolean;
  /** The only skills of the session, by name. Default: all. */
  skills?: readonly string[];
  /** Switches to the model that a command names, until the returned function is called. Default: such a command fails. */
  useModel?: (name: string) => Promise<() => void>;
  /** Plugins whose content a person has approved. Default: none. */
  plugins?: readonly LoadedPlugin[];
  /** Why a plugin that was added is not in use, by its name. Default: each is. */
  unusedPlugins?: ReadonlyMap<string, string>;
  /** Notices for the person at the start of the session. */
  startNotices?: readonly string[];
  /** Observers, which don't affect the session. The list may grow until the first prompt. */
  observers?: readonly Observer[];
  /** The editor's unsaved texts. Default: files are as they are on disk. */
  buffers?: EditorBuffers;
  /** Resolves once all records so far are kept where another machine finds them. No call runs before its start is. */
  whenRecorded?: () => Promise<void>;
  /** Writes the conversation for hooks to read, in the file of their `transcript_path`. */
  keepTranscript?: boolean;
}

export interface FullAgentOptions extends Omit<AgentOptions, 'mcpServers'>, FullEngineOptions {
  /** Types of child agents, before those of files. */
  agentTypes?: readonly AgentType[];
  /** Leaves the project, the platform and the date out of the system prompt. */
  withoutFacts?: boolean;
  settings?: WatchedSettings;
  commands?: boolean;
  /** Tells other programs of the user what the session does, if it is kept. Default: they do not see it. */
  presence?: PresenceComponent;
  /** A session to resume, from `resumeSession`; it is kept. */
  resumed?: ResumedSession;
  /** What all prompts of this process may use together. */
  commandBudget?: CommandBudget | undefined;
  /** Hooks of the event Setup run with the first prompt. */
  setup?: 'init' | 'maintenance' | undefined;
}
