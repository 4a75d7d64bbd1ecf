import type { ChildAgents } from './agents.js';
import type { EndedCommand, LeftCommand } from './background.js';
import type { CommandPort } from './command.js';
import type { Effect } from './effect.js';
import type { FileChanges } from './file-change.js';
import type { ContentBlock } from './message.js';
import type { Confinement, DecisionRequest, PermissionMode, SandboxMode, Walls } from './permission.js';
import type { PlanningPort, SwarmPort } from './planning.js';
import type { AskUser } from './question.js';
import type { Todo } from './todo.js';
import type { SideModel, WebAccess } from './web.js';

/** What a tool may use of the world above it, for one call. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the call is cancelled. Whatever the call started must end with it. */
  readonly signal: AbortSignal;
  /** The directory that relative paths start from; it moves when a command changes it. */
  readonly cwd: string;
  /** The project's root; it never moves. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly session: SessionPort;
  /**
   * Whether a file below a tree that the call reads may be shown, by its real path. A tree may be free to read while a
   * part of it is denied: a tool that reads trees leaves that part out, as if it were not there.
   */
  mayRead(real: string): boolean;
  /**
   * Whether work that leads on from what was approved, as a redirect does, may go there: false where it is denied, or a
   * rule wants it to be asked about. Absent where nobody knows: then it may not.
   */
  mayFollow?(request: DecisionRequest): boolean;
  /** Absent where nobody can answer. */
  readonly askUser?: AskUser;
  /**
   * What was approved, once the call may run. The world may have moved since: a tool touches nothing that is not in
   * this list, by real path.
   */
  readonly approved?: readonly Effect[];
  /** How the commands of the call are to be confined. Absent: as if they had been approved. */
  readonly confinement?: Confinement;
  /** Of what was approved, the effects that only the sandbox allows: it opens no path for them. */
  readonly notOpened?: readonly Effect[];
  /** Who made this input of what the model had sent; absent where it is as the model sent it. */
  readonly inputBy?: 'user' | 'hook';
  /** What the model had sent, where somebody made another input of it, who may have passed on parts unseen. */
  readonly sentInput?: unknown;
}

/** What was decided about a call that may run. */
export interface Approval {
  effects: readonly Effect[];
  confinement?: Confinement | undefined;
  /** Those that only the sandbox allows. */
  notOpened?: readonly Effect[] | undefined;
}

/** What some sessions have and others do not. Each port comes from the part of a conversation that owns it. */
export interface SessionPorts {
  /** Absent where no child agents can be started. */
  readonly swarm?: SwarmPort | undefined;
  /** Absent where no servers are configured. */
  readonly resources?: ServerResources | undefined;
  /** Absent where nobody asked for commands and skills. */
  readonly commands?: CommandPort | undefined;
  /** Absent where there is no model that a child could ask. */
  readonly agents?: ChildAgents | undefined;
  /** Absent where nobody has said anything about the web. */
  readonly web?: WebAccess | undefined;
  /** Absent where no model for small tasks is configured. */
  readonly sideModel?: SideModel | undefined;
}

/** The part of a session that outlives the call. */
export interface SessionPort extends SessionPorts {
  readonly id: string;
  /** Whether a person sits at it, who can be shown that something goes on in the background. */
  readonly interactive: boolean;
  /** Where Helve keeps its own files. No tool shows or changes what others have put there. */
  readonly dataFolder: string;
  /** What processes get. It is the same for the whole session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `~` stands for; absent where there is no home folder. */
  readonly home?: string;
  /** The project's root and the folders that were added to it, by all their names. */
  readonly workspace: readonly string[];
  /** Where this session keeps long results. */
  readonly resultsFolder: string;
  /** What settings say that all commands together may take. */
  readonly commandBounds?: CommandBounds;
  /** Absent: commands run without walls. */
  readonly sandbox?: SandboxConfig;
  /** What rules say about reading files, for what looks at files outside of our own process. */
  readonly fileRules?: FileRules;
  /** Whether the kernel can confine commands here, as far as that was tried. Decisions rest on it. */
  walls: Walls;
  /** Reports whether the sandbox of the settings works here, before a call is judged: decisions rest on it. */
  foundSandbox?(found: { works: boolean; why: string }): void;
  /** One sentence: why commands can't be confined here, and how to change that. Absent where they can, or it was not tried. */
  whyUnconfined?: string;
  /** The permission mode as it is now. */
  readonly mode?: PermissionMode;
  /** Whether a prompt is being worked on. */
  readonly isBusy?: boolean;
  changeDirectory(path: string): void;
  readonly ledger: FileLedger;
  readonly changes: FileChanges;
  readonly tools: ToolDirectory;
  /** What is to be done, as the model wrote it down last; undefined where it has not. */
  readonly todos: readonly Todo[] | undefined;
  setTodos(todos: readonly Todo[]): void;
  /** Commands that run in the background, for a session that is resumed later. */
  setBackground?(running: readonly LeftCommand[]): void;
  /** Commands of the background that an earlier process of the session had left, and what became of each. */
  readonly leftCommands?: readonly EndedCommand[] | undefined;
  readonly planning: PlanningPort;
  /** A new private file under the session's folder for a result that is too long to be sent; the folder is made on first use. */
  resultFile(name: string): Promise<string>;
  /** The session's own one of these, made on first use. It lives as long as the session; `atEnd` cleans up after it. */
  own<Thing>(make: (session: SessionPort) => Thing): Thing;
  /** Runs when the session ends, for what a call left behind on purpose. */
  atEnd(cleanUp: () => void | Promise<void>): void;
  /** Runs when nothing is to be kept ready for the next call any more. The session may go on after it. */
  atRest(release: () => void | Promise<void>): void;
  /**
   * Registers the way to end a running process at once, for a program that must exit without waiting. Returns the way
   * to take it back, once the process has ended. `what` names it to the person, where it may outlive its call.
   */
  whileRunning(kill: () => void, what?: string): () => void;
  /**
   * Registers the way to let a call's work run on in the background, for a person who does not want to wait for it: true
   * where it does now. Returns the way to take it back, once the work is done.
   */
  whileInForeground?(moveToBackground: () => boolean): () => void;
  /** Tells the model something that happened meanwhile, together with whatever is sent to it next. */
  remind(text: string): void;
}

/** Walls around commands. No decision depends on them, unless `autoAllow` says so. Paths are absolute. */
export interface SandboxConfig {
  /** A list of hosts: those can be reached, by programs that use a proxy, and nothing else. */
  network: 'off' | 'on' | AllowedHosts;
  allowWrite: readonly string[];
  denyWrite: readonly string[];
  denyRead: readonly string[];
  /** What rules keep from being read; absent where none does. */
  unreadable?: UnreadableFiles | undefined;
  /** What is shown all the same of what would be hidden, but for what rules keep from being read. */
  allowRead?: readonly string[];
  /** Commands that run without walls, by their first words: `docker`, `npm publish`. */
  excluded?: readonly string[];
  /** No command runs without walls. */
  failIfUnavailable: boolean;
  /** A command that runs inside needs no approval, where the sandbox works. */
  autoAllow?: boolean;
  /** `effects`: a command whose effects are all known may write only what they name. Default: `workspace`. */
  mode?: SandboxMode;
  /** Whether a person may be asked to run a command without the sandbox. Default: true. */
  allowUnsandboxed?: boolean;
  /** The workspace is a copy that is thrown away, so nothing in it is protected beyond this list. */
  disposable?: boolean;
}

/** What all commands of a session may take together; what is left out has a default. */
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

/** What rules say about reading files. */
export interface FileRules {
  /** What must not be read; absent where no rule says so. */
  unreadable?: UnreadableFiles | undefined;
  /** Folders outside of the project that are free to read, such as those of skills in use. */
  readable: readonly string[];
}

/** The files that rules keep from being read, as something that can be looked for on a disk. Paths are absolute. */
export interface UnreadableFiles {
  /** Changes when the rules do. */
  readonly key: string;
  /** All that is denied lies at one of these or below. */
  readonly starts: readonly string[];
  /** Of a folder: whether it, or all that may be in it, is denied. */
  matches(path: string, about: { isFolder: boolean }): boolean;
  /** Whether something below the folder could be denied. */
  mayMatchBelow(folder: string): boolean;
}

/** What the model has seen of each file, by real path: the lock that keeps it from editing what it has not read. */
export interface FileLedger {
  get(real: string): SeenFile | undefined;
  /** `call` names the call that showed it, where its effects do not name the file. */
  set(real: string, seen: SeenFile, call?: string): void;
  /** What was shown of the file has left the conversation: the model must read it again before it changes it. */
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
   * The bytes themselves, to merge with what somebody else makes of the file. The ledger keeps them within a budget, so
   * they may be missing; whoever sets an entry gives them where they are at hand.
   */
  bytes?: Uint8Array;
  /**
   * Lines that another program wrote are in it, and it has not been read since. Its text is then no proof of having
   * been read: each line has to have been seen.
   */
  merged?: boolean;
  /** The last change of the file that was refused, and how many times in a row. Reading the file forgets it. */
  refused?: { change: string; times: number };
}

/** The tools that are known by name only until the model asks for them. */
export interface ToolDirectory {
  deferred(): readonly DeferredTool[];
  /** From the next request on the model has these tools, schema and all. */
  activate(names: readonly string[]): void;
  /** Why tools that one might look for are not there: sentences on servers that still connect, or have failed. */
  absent(): readonly string[];
}

/** A tool that the model knows by name only. */
export interface DeferredTool {
  name: string;
  description: string;
  /** The names of its parameters. */
  parameters: readonly string[];
}

/** What MCP servers have beside tools. */
export interface ServerResources {
  /** Of one server, or of all. */
  list(server?: string): Promise<readonly ListedResource[]>;
  /** Throws `ToolFailure`. */
  read(server: string, uri: string, signal: AbortSignal): Promise<ContentBlock[]>;
}

/** A resource of an MCP server. */
export interface ListedResource {
  server: string;
  /** An address, or for a template one with names in braces to be filled in. */
  uri: string;
  name: string;
  isTemplate?: boolean;
  mimeType?: string;
  description?: string;
}

/** What a tool's description may depend on. It holds for a whole session, so that the prompt cache does too. */
export interface DescribeContext {
  readonly root: string;
  readonly mode: ToolSetMode;
  readonly deferredTools: readonly string[];
  /** How the model of this session was trained to change files. */
  readonly editStyle: 'text' | 'patch';
}

/** `simple`: the least set. `repl`: a person at a terminal. `headless`: nobody to ask. `child`: what an agent type grants. */
export type ToolSetMode = 'simple' | 'repl' | 'headless' | 'child';
