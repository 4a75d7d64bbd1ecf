import type { ChildAgents } from './agents.js';
import type { EndedCommand, LeftCommand } from './background.js';
import type { CommandPort } from './command.js';
import type { EditorBuffers } from './editor-buffers.js';
import type { Effect } from './effect.js';
import type { FileChanges } from './file-change.js';
import type { McpClientPort } from './mcp-serving.js';
import type { ContentBlock } from './message.js';
import type { Confinement, DecisionRequest, PermissionMode, SandboxMode, Walls } from './permission.js';
import type { PlanningPort, SwarmPort } from './planning.js';
import type { AskUser } from './question.js';
import type { ServerTasks } from './server-tasks.js';
import type { Todo } from './todo.js';
import type { SideModel, WebAccess } from './web.js';
import type { SessionWorktree } from './worktree.js';

/** What a tool can use from the layers above, for one call. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the call is cancelled. Everything that the call started must end with it. */
  readonly signal: AbortSignal;
  /** The base directory for relative paths; it changes when a command changes it. */
  readonly cwd: string;
  /** The project's root; it never changes. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: SessionPort;
  /**
   * Whether a file below a tree that the call reads may be shown, by its real path. A tree may be free to read while
   * a part of it is denied: a tool that reads trees leaves that part out, as if it did not exist.
   */
  mayRead(real: string): boolean;
  /**
   * Whether work that follows from the approved call, such as a redirect, may go there: false if it is denied, or a
   * rule requires a question. If absent, it may not.
   */
  mayFollow?(request: DecisionRequest): boolean;
  /** Absent if there is no one to ask. */
  readonly askUser?: AskUser;
  /**
   * The approved effects, once the call may run. The file system may have changed since: a tool touches nothing that
   * is not in this list, by real path.
   */
  readonly approved?: readonly Effect[];
  /** How the commands of the call are confined. Default: as approved. */
  readonly confinement?: Confinement;
  /** The approved effects that only the sandbox allows: it opens no path for them. */
  readonly notOpened?: readonly Effect[];
  /** Who changed the input that the model had sent; absent if it is unchanged. */
  readonly inputBy?: 'user' | 'hook';
  /** The input that the model had sent, if it was changed; the author of the change may have passed on parts unseen. */
  readonly sentInput?: unknown;
}

/** The decision about a call that may run. */
export interface Approval {
  effects: readonly Effect[];
  confinement?: Confinement | undefined;
  /** The effects that only the sandbox allows. */
  notOpened?: readonly Effect[] | undefined;
}

/** Ports that only some sessions have. compose/ provides each where it creates the owner of the port. */
export interface SessionPorts {
  /** Absent if no child agents can be started. */
  readonly swarm?: SwarmPort | undefined;
  /** Absent if no servers are configured. */
  readonly resources?: ServerResources | undefined;
  /** Absent if commands and skills are not enabled. */
  readonly commands?: CommandPort | undefined;
  /** Absent if there is no model for child agents. */
  readonly agents?: ChildAgents | undefined;
  /** Absent unless calls of MCP servers may continue as tasks in the background. */
  readonly serverTasks?: ServerTasks | undefined;
  /** Absent if the web is not configured. */
  readonly web?: WebAccess | undefined;
  /** Absent if no model for small tasks is configured. */
  readonly sideModel?: SideModel | undefined;
  /** Absent if no editor takes part in the session. */
  readonly buffers?: EditorBuffers | undefined;
  /** Absent unless the session serves an MCP client. */
  readonly mcpClient?: McpClientPort | undefined;
}

/** The part of a session that outlives the call. */
export interface SessionPort extends SessionPorts {
  readonly id: string;
  /** Whether a person is present who can see background activity. */
  readonly interactive: boolean;
  /** Helve's data folder. No tool shows or changes data there that belongs to others. */
  readonly dataFolder: string;
  /** The environment of processes. It is the same for the whole session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of `~`; absent if there is no home folder. */
  readonly home?: string;
  /** The project's root and the folders that were added to it, under all their names. */
  readonly workspace: readonly string[];
  /** Absent outside of worktrees. */
  readonly worktree?: SessionWorktree;
  /** The folder for this session's long results. */
  readonly resultsFolder: string;
  /** The configured limits for all commands together. */
  readonly commandBounds?: CommandBounds;
  /** Absent: commands run without a sandbox. */
  readonly sandbox?: SandboxConfig;
  /** Rules about reading files, for code that reads files outside our own process. */
  readonly fileRules?: FileRules;
  /** Whether the kernel can confine commands here, as far as that was tried. Decisions depend on it. */
  walls: Walls;
  /** Reports whether the configured sandbox works here, before a call is judged: decisions depend on it. */
  foundSandbox?(found: { works: boolean; why: string }): void;
  /**
   * One sentence: why commands can't be confined here, and how to change that. Absent if they can, or it was not
   * tried.
   */
  whyUnconfined?: string;
  /** The current permission mode. */
  readonly mode?: PermissionMode;
  /** Whether a prompt is being processed. */
  readonly isBusy?: boolean;
  changeDirectory(path: string): void;
  readonly ledger: FileLedger;
  readonly changes: FileChanges;
  readonly tools: ToolDirectory;
  /** The to-do list, as the model last wrote it; undefined if there is none. */
  readonly todos: readonly Todo[] | undefined;
  setTodos(todos: readonly Todo[]): void;
  /** Commands that run in the background, for a session that is resumed later. */
  setBackground?(running: readonly LeftCommand[]): void;
  /** Background commands that an earlier process of the session had left, and the outcome of each. */
  readonly leftCommands?: readonly EndedCommand[] | undefined;
  readonly planning: PlanningPort;
  /**
   * A new private file under the session's folder for a result that is too long to be sent; the folder is created on
   * first use.
   */
  resultFile(name: string): Promise<string>;
  /** The session's own instance, created on first use. It lives as long as the session; `atEnd` cleans up after it. */
  own<Thing>(make: (session: SessionPort) => Thing): Thing;
  /** Runs when the session ends, for resources that a call left behind on purpose. */
  atEnd(cleanUp: () => void | Promise<void>): void;
  /** Runs when nothing needs to be kept ready for the next call any more. The session may continue after it. */
  atRest(release: () => void | Promise<void>): void;
  /**
   * Registers a function that kills a running process at once, for a program that must exit without waiting. Returns
   * a function that unregisters it, once the process has ended. `what` names it to the person, if it may outlive its
   * call.
   */
  whileRunning(kill: () => void, what?: string): () => void;
  /**
   * Registers a function that moves a call's work to the background, for a person who does not want to wait for it:
   * true if it does now. Returns a function that unregisters it, once the work is done.
   */
  whileInForeground?(moveToBackground: () => boolean, callId: string): () => void;
  /** Queues a message about an event for the model, to be sent with the next request. */
  remind(text: string): void;
}

/** The sandbox for commands. No decision depends on it, unless `autoAllow` says so. Paths are absolute. */
export interface SandboxConfig {
  /** A list of hosts: only those can be reached, by programs that use a proxy. */
  network: 'off' | 'on' | AllowedHosts;
  allowWrite: readonly string[];
  denyWrite: readonly string[];
  denyRead: readonly string[];
  /** Files that rules deny reading; absent if there are none. */
  unreadable?: UnreadableFiles | undefined;
  /** Exceptions to hidden paths, except for files that rules deny reading. */
  allowRead?: readonly string[];
  /** Commands that run without the sandbox, by their first words: `docker`, `npm publish`. */
  excluded?: readonly string[];
  /** No command runs without the sandbox. */
  failIfUnavailable: boolean;
  /** A sandboxed command needs no approval, if the sandbox works. */
  autoAllow?: boolean;
  /** `effects`: a command whose effects are all known may write only the paths in them. Default: `workspace`. */
  mode?: SandboxMode;
  /** Whether a person may be asked to run a command without the sandbox. Default: true. */
  allowUnsandboxed?: boolean;
  /** The workspace is a disposable copy, so nothing in it is protected beyond this list. */
  disposable?: boolean;
}

/** Limits for all commands of a session together; each has a default. */
export interface CommandBounds {
  /** How many run in the background at once. */
  readonly background?: number | undefined;
  /** Bytes of output that are kept in files. */
  readonly outputBytes?: number | undefined;
}

/** `example.com`, `*.example.com`, `*`, an address; each of them with `:port` or for all ports. Denying wins. */
export interface AllowedHosts {
  allowed: readonly string[];
  denied: readonly string[];
}

/** Rules about reading files. */
export interface FileRules {
  /** Files that must not be read; absent if no rule denies any. */
  unreadable?: UnreadableFiles | undefined;
  /** Folders outside the project that are free to read, such as those of skills in use. */
  readable: readonly string[];
}

/** The files that rules deny reading, in a form that can be searched for on a disk. Paths are absolute. */
export interface UnreadableFiles {
  /** Changes when the rules do. */
  readonly key: string;
  /** All denied files lie at one of these paths or below. */
  readonly starts: readonly string[];
  /** For a folder: whether it, or everything that may be in it, is denied. */
  matches(path: string, about: { isFolder: boolean }): boolean;
  /** Whether something below the folder could be denied. */
  mayMatchBelow(folder: string): boolean;
}

/** What the model has seen of each file, by real path: keeps it from editing content that it has not read. */
export interface FileLedger {
  get(real: string): SeenFile | undefined;
  /** `call` names the call whose result shows it: it counts as seen once the model gets that result. */
  set(real: string, seen: SeenFile, call?: string): void;
  /** The file's content has left the conversation: the model must read it again before it changes it. */
  forget(real: string): void;
}

/** What the model has seen of one file. */
export interface SeenFile {
  /** SHA-256 of the bytes on disk when they were read or written. */
  hash: string;
  size: number;
  at: Date;
  /** The lines seen, 1-based and inclusive, or all of them. */
  lines: 'all' | ReadonlyArray<readonly [first: number, last: number]>;
  /**
   * The bytes themselves, to merge with other changes of the file. The ledger keeps them within a budget, so they may
   * be missing; provide them when setting an entry if they are available.
   */
  bytes?: Uint8Array;
  /**
   * It contains lines that another program wrote, and has not been read since. Its text is then no proof of having
   * been read: each line has to have been seen.
   */
  merged?: boolean;
  /** The last refused change of the file, and how many times in a row it was refused. Reading the file resets it. */
  refused?: { change: string; times: number };
}

/** The tools that are known by name only until the model asks for them. */
export interface ToolDirectory {
  deferred(): readonly DeferredTool[];
  /** From the next request on the model has these tools with their schemas. */
  activate(names: readonly string[]): void;
  /**
   * Why tools that the model might look for are missing: sentences on servers that are still connecting, or have
   * failed.
   */
  absent(): readonly string[];
}

/** A tool that the model knows by name only. */
export interface DeferredTool {
  name: string;
  description: string;
  /** The names of its parameters. */
  parameters: readonly string[];
}

/** What MCP servers offer beside tools. */
export interface ServerResources {
  /** Of one server, or of all. */
  list(server?: string): Promise<readonly ListedResource[]>;
  /** Throws `ToolFailure`. */
  read(server: string, uri: string, signal: AbortSignal): Promise<ReadResource>;
}

/** What a server returned for a resource. */
export interface ReadResource {
  /** As the model gets it. */
  blocks: ContentBlock[];
  /** As the server sent it; undefined if that is too large to be passed on. */
  contents?: readonly ResourceContent[];
}

/** One part of a resource, in the words of MCP. */
export interface ResourceContent {
  uri: string;
  mimeType?: string;
  text?: string;
  /** Base64. */
  blob?: string;
  _meta?: Readonly<Record<string, unknown>>;
}

/** A resource of an MCP server. */
export interface ListedResource {
  server: string;
  /** A URI, or for a template one with placeholders in braces. */
  uri: string;
  name: string;
  isTemplate?: boolean;
  mimeType?: string;
  description?: string;
}

/** The inputs of a tool's description. They are constant for a whole session, so that the prompt cache works. */
export interface DescribeContext {
  readonly root: string;
  readonly mode: ToolSetMode;
  readonly deferredTools: readonly string[];
  /** The edit format that the model of this session was trained on. */
  readonly editStyle: 'text' | 'patch';
}

/** Built-in tools that are offered from the start, in fewer words and with fewer parameters. The others are deferred. */
export interface ToolProfile {
  tools: ReadonlyMap<string, ShortTool>;
  /** The tool that loads deferred ones. Where it is not available, no tool is deferred because of the profile. */
  search: string;
}

/** What a model is told of a tool of a profile. */
export interface ShortTool {
  /** A function gets the names of the tools that are deferred. */
  description: string | ((deferred: readonly string[]) => string);
  /** The parameters that are shown. */
  parameters: readonly string[];
}

/**
 * `simple`: the minimal set. `repl`: a person at a terminal. `headless`: no one to ask. `child`: what an agent type
 * grants.
 */
export type ToolSetMode = 'simple' | 'repl' | 'headless' | 'child';
