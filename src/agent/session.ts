import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Gate } from '../calls/gate.js';
import type { LeftCommand } from '../contract/background.js';
import type { FileChanges } from '../contract/file-change.js';
import type { TextBlock, UserBlock } from '../contract/message.js';
import { type PermissionMode, stricterMode, type Walls } from '../contract/permission.js';
import { checkedAskUser } from '../contract/question.js';
import type { LeftTask } from '../contract/server-tasks.js';
import type { Todo } from '../contract/todo.js';
import type {
  Approval,
  CommandBounds,
  FileLedger,
  FileRules,
  SandboxConfig,
  SessionPort,
  SessionPorts,
  ToolContext,
} from '../contract/tool-context.js';
import type { SessionWorktree } from '../contract/worktree.js';
import { randomId } from '../platform/crypto.js';
import { sessionFileChanges } from '../platform/journal/session-changes.js';
import { Slots } from '../platform/slots.js';
import { reminder } from '../platform/text/reminder.js';
import { uniqueCallId } from './call-id.js';
import { CleanUps } from './clean-ups.js';
import { ShownFiles } from './context/shown-files.js';
import type { StoredGoal } from './goals/goal-state.js';
import { SessionPlan } from './planning/session-plan.js';
import { newResultFile, SpareFolder } from './result-file.js';
import { RunningWork } from './running-work.js';
import type { SessionBeginning, SessionConnections } from './session-connections.js';
import type { SessionOptions } from './session-options.js';
import type { ToolPool } from './tool-pool.js';
import { Transcript } from './transcript.js';
import { UsageByModel } from './usage-by-model.js';

const MAX_PARALLEL_CALLS = 10;

export interface Session extends SessionPorts {}

/** Ports by what looks them up. */
type LatePorts = { readonly [Name in keyof SessionPorts]: () => SessionPorts[Name] };

/** All state of one conversation. There is no state outside it, so one process can have any number of sessions. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: all ports are optional, and `provide` adds them
export class Session implements SessionPort {
  readonly id: string;
  readonly interactive: boolean;
  readonly dataFolder: string;
  readonly home?: string;
  readonly root: string;
  readonly worktree?: SessionWorktree;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledger: FileLedger;
  readonly shownFiles: ShownFiles;
  readonly changes: FileChanges;
  readonly tools: ToolPool;
  readonly transcript = new Transcript();
  readonly gate: Gate;
  readonly slots: Slots;
  readonly resultsFolder: string;
  readonly planning: SessionPlan;
  /** The usage of each model since the session began, including child agents. */
  readonly used: UsageByModel;
  /** The last prompt of the person, as it is in the conversation. */
  latestPrompt: readonly UserBlock[] | undefined;
  /** The id that a client has given to the prompt that runs. */
  promptId: string | undefined;
  /** Commands that run in the background. */
  background: readonly LeftCommand[] | undefined;
  leftCommands: SessionPort['leftCommands'];
  /** Calls that continue as tasks of MCP servers, for a process that resumes the session. */
  tasks: readonly LeftTask[] | undefined;
  /** Called when they have changed, to store them at once. */
  onTasks: (() => void) | undefined;
  /** Set by the loop while it works on a prompt. */
  isBusy = false;
  #connections: SessionConnections = {};
  readonly #childPorts: PropertyDescriptorMap[] = [];
  readonly #parent: Session | undefined;
  /** The root session, in a child. */
  readonly #top: Session | undefined;
  readonly #callPrefix: string;
  readonly #callIds = new Set<string>();
  readonly #callNumbers = new Map<string, number>();
  readonly #owned = new Map<unknown, unknown>();
  readonly #running: RunningWork;
  #reminders: string[] = [];
  #walls: Walls | undefined;
  #sandboxWorks = false;
  #whyUnconfined: string | undefined;
  #hasStarted = false;
  #mode: PermissionMode;
  #todos: readonly Todo[] | undefined;
  #cwd: string;
  readonly #onDataProblem: SessionOptions['onDataProblem'];
  #hasDataProblem = false;
  readonly #cleanUps = new CleanUps();
  readonly #spareResults = new SpareFolder((remove) => this.atEnd(remove));

  constructor(options: SessionOptions) {
    const { parent } = options;
    this.#parent = parent;
    this.#top = parent && (parent.#top ?? parent);
    this.#running = new RunningWork(parent ? parent.#running : undefined);
    this.#callPrefix = options.callPrefix ?? '';
    this.id = parent?.id ?? options.id ?? randomId();
    this.interactive = options.interactive ?? false;
    this.dataFolder = options.dataFolder;
    this.#onDataProblem = options.onDataProblem;
    if (options.home !== undefined) this.home = options.home;
    this.root = options.root;
    if (options.worktree) this.worktree = options.worktree;
    this.#cwd = options.root;
    this.#mode = options.mode;
    // A child in a worktree of its own changes other files than its parent, so neither waits for the other.
    this.gate = (options.worktree === parent?.worktree && parent?.gate) || new Gate();
    this.slots = parent?.slots ?? new Slots(MAX_PARALLEL_CALLS);
    this.planning = new SessionPlan(this);
    this.used = parent?.used ?? new UsageByModel();
    this.env = options.env;
    this.shownFiles = new ShownFiles(options.ledger);
    this.ledger = this.shownFiles.ledger;
    this.tools = options.tools;
    for (const ports of parent ? parent.#childPorts : []) this.#define(ports, { forChildren: true });
    this.changes =
      parent?.changes ??
      sessionFileChanges({
        dataFolder: options.dataFolder,
        sessionId: this.id,
        onProblem: (one) => this.dataProblem(one),
      });
    this.resultsFolder = join(options.dataFolder, 'sessions', this.id, 'results');
  }

  get workspace(): readonly string[] {
    return this.#connections.workspace?.() ?? [this.root];
  }

  get commandBounds(): CommandBounds {
    return this.#connections.commandBounds?.() ?? this.#parent?.commandBounds ?? {};
  }

  get sandbox(): SandboxConfig | undefined {
    return this.#connections.sandbox?.();
  }

  get fileRules(): FileRules {
    return this.#connections.fileRules?.() ?? this.#parent?.fileRules ?? { readable: [] };
  }

  /** Connects the session with parts that were created after it. */
  connect(connections: SessionConnections): void {
    const { askUser } = connections;
    this.#connections = { ...this.#connections, ...connections, ...(askUser && { askUser: checkedAskUser(askUser) }) };
  }

  /** Adds ports of a component. `forChildren`: child agents that are started later have them too. */
  provide(ports: SessionPorts, options: { forChildren?: boolean } = {}): void {
    this.#define(Object.getOwnPropertyDescriptors(ports), options);
  }

  /** The same for ports that are looked up at each use. Functions, since objects with getters take V8 much longer to make. */
  provideLate(ports: LatePorts, options: { forChildren?: boolean } = {}): void {
    const descriptors: PropertyDescriptorMap = {};
    for (const [name, get] of Object.entries(ports)) {
      descriptors[name] = { get, configurable: true, enumerable: true };
    }
    this.#define(descriptors, options);
  }

  #define(ports: PropertyDescriptorMap, { forChildren = false }: { forChildren?: boolean }): void {
    Object.defineProperties(this, ports);
    if (forChildren) this.#childPorts.push(ports);
  }

  get walls(): Walls {
    return this.foundWalls ?? 'none';
  }

  /** Undefined before the first trial. */
  get foundWalls(): Walls | undefined {
    return (this.#top ?? this).#walls;
  }

  set walls(walls: Walls) {
    (this.#top ?? this).#walls = walls;
  }

  /** Whether the sandbox of the settings was found to work. */
  get sandboxWorks(): boolean {
    return (this.#top ?? this).#sandboxWorks;
  }

  foundSandbox(found: { works: boolean; why: string }): void {
    const top = this.#top ?? this;
    top.#sandboxWorks = found.works;
    if (!found.works) top.#connections.onSandboxMissing?.(found.why);
  }

  get whyUnconfined(): string | undefined {
    return (this.#top ?? this).#whyUnconfined;
  }

  set whyUnconfined(why: string | undefined) {
    (this.#top ?? this).#whyUnconfined = why;
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** The mode of a child is never more permissive than the current mode of its parent. */
  get mode(): PermissionMode {
    return this.#parent ? stricterMode(this.#parent.mode, this.#mode) : this.#mode;
  }

  set mode(mode: PermissionMode) {
    this.planning.changes(this.#mode, mode);
    this.#mode = mode;
  }

  get todos(): readonly Todo[] | undefined {
    return this.#todos;
  }

  setTodos(todos: readonly Todo[]): void {
    this.#todos = todos;
  }

  setBackground(running: readonly LeftCommand[]): void {
    this.background = running;
  }

  setTasks(tasks: readonly LeftTask[]): void {
    this.tasks = tasks;
    this.onTasks?.();
  }

  /** What the conversation works towards; null once there was a goal. */
  goal: StoredGoal | null | undefined;

  /** The plan that the person was shown last. */
  get plan(): string | undefined {
    return this.planning.plan;
  }

  /** An id for a call that no other call of the session has. */
  claimCallId(id: string): string {
    if (this.#top) return this.#top.claimCallId(`${this.#callPrefix}${id}`);
    const claimed = uniqueCallId(id, (taken) => this.#callIds.has(taken), this.#callNumbers);
    this.#callIds.add(claimed);
    return claimed;
  }

  /** Whether the tool only asks the person. */
  onlyAsks(tool: string): boolean {
    return this.tools.find(tool)?.needsPerson === true;
  }

  changeDirectory(path: string): void {
    this.#cwd = path;
  }

  /** To be called if the data folder can't be written and the work continues without it. Only the first call is reported. */
  dataProblem(sentence: string, tell = this.#onDataProblem): void {
    if (this.#hasDataProblem || !tell) return;
    this.#hasDataProblem = true;
    tell(sentence);
  }

  /** Whether the person knows that data is kept in the temporary folder. */
  get hasToldDataProblem(): boolean {
    return this.#hasDataProblem;
  }

  async resultFile(name: string): Promise<string> {
    return newResultFile(this.resultsFolder, name, () => (this.#top ?? this).#spareResults.path);
  }

  own<Thing>(make: (session: SessionPort) => Thing): Thing {
    if (!this.#owned.has(make)) this.#owned.set(make, make(this));
    return this.#owned.get(make) as Thing; // the value of each key was created by that function
  }

  /** How the session begins, for hooks. */
  beginning: SessionBeginning = { source: 'startup' };

  /** True the first time only. */
  startsNow(): boolean {
    const starts = !this.#hasStarted;
    this.#hasStarted = true;
    return starts;
  }

  atEnd(cleanUp: () => void | Promise<void>): void {
    this.#cleanUps.atEnd(cleanUp);
  }

  atRest(release: () => void | Promise<void>): void {
    this.#cleanUps.atRest(release);
  }

  /** Releases everything that is kept ready for the next call. */
  async rest(): Promise<void> {
    await Promise.allSettled([this.#cleanUps.rest(), this.changes.rest()]);
  }

  whileRunning(kill: () => void, what?: string): () => void {
    return this.#running.add(kill, what);
  }

  whileInForeground(moveToBackground: () => boolean, callId: string): () => void {
    return this.#running.addMovable(moveToBackground, callId);
  }

  /**
   * Moves calls, including those of child agents, to the background if possible; with an id, this call alone. Returns
   * how many were moved.
   */
  moveToBackground(callId?: string): number {
    return this.#running.moveToBackground(callId);
  }

  /** Whether a call runs that could move to the background. */
  get canMoveToBackground(): boolean {
    return this.#running.hasMovable;
  }

  /** The names of work that would end if the session ended now. */
  get stillRunning(): string[] {
    return this.#running.names;
  }

  remind(text: string): void {
    this.#reminders.push(text);
  }

  /** Whether there are reminders that were not sent to the model yet. */
  get hasReminders(): boolean {
    return this.#reminders.length > 0;
  }

  /** The reminders for the model's next message; each is returned once. */
  takeReminders(): TextBlock[] {
    const news = this.planning.news();
    const reminders = news === undefined ? this.#reminders : [news, ...this.#reminders];
    this.#reminders = [];
    return reminders.map((text) => ({ type: 'text', text: reminder(text) }));
  }

  /** Ends every process at once, without waiting: for the moment before the program exits. */
  killAll(): void {
    this.#running.killAll();
  }

  /** Ends processes that calls left running. The session must not be used afterwards. */
  async end(): Promise<void> {
    await this.#cleanUps.end();
    if (this.#parent) return; // it uses the parent's folders
    // Removes the folders if they are empty.
    for (const folder of [this.resultsFolder, dirname(this.resultsFolder)]) await rmdir(folder).catch(() => {});
    await this.changes.rest();
    await this.changes.settled();
  }

  /** Registers work that is done ahead. Only the end of the session waits for it. */
  prepare(work: Promise<unknown>): void {
    this.#cleanUps.prepare(work);
  }

  contextFor(
    callId: string,
    signal: AbortSignal,
    { mayRead, mayFollow, approval }: Pick<ToolContext, 'mayRead' | 'mayFollow'> & { approval?: Approval | undefined },
  ): ToolContext {
    const session = this;
    if (approval) this.shownFiles.note(callId, approval.effects);
    return {
      callId,
      signal,
      get cwd() {
        return session.cwd; // the directory when the call runs, not when it was made
      },
      root: this.root,
      env: this.env,
      session,
      mayRead,
      ...(mayFollow && { mayFollow }),
      ...(this.#connections.askUser && { askUser: this.#connections.askUser }),
      ...(approval && { approved: approval.effects }),
      ...(approval?.confinement && { confinement: approval.confinement }),
      ...(approval?.notOpened && { notOpened: approval.notOpened }),
    };
  }
}
