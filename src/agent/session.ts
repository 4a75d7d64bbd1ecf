import { closeSync, openSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Gate } from '../calls/gate.js';
import type { Effect } from '../contract/effect.js';
import type { FileChanges } from '../contract/file-change.js';
import type { TextBlock, UserBlock } from '../contract/message.js';
import type { PermissionMode } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import type { FileLedger, SandboxWish, ServerResources, SessionPort, ToolContext } from '../contract/tool-context.js';
import { randomId } from '../platform/crypto.js';
import { lazyFileChanges } from '../platform/files/lazy-changes.js';
import { makeFolder } from '../platform/files/make-folder.js';
import { Slots } from '../platform/slots.js';
import { uniqueCallId } from './call-id.js';
import { ShownFiles } from './context/shown-files.js';
import type { ToolPool } from './tool-pool.js';
import { Transcript } from './transcript.js';

const MAX_PARALLEL_CALLS = 10;

export interface SessionOptions {
  /** Of a session that is taken up again. */
  id?: string;
  root: string;
  /** Helve's data folder; the session's own is made below it when there is something to keep. */
  dataFolder: string;
  mode: PermissionMode;
  env: Readonly<Record<string, string | undefined>>;
  ledger: FileLedger;
  tools: ToolPool;
  /** Absent where nobody can answer. */
  askUser?: AskUser;
  /** Whether a person sits at it. */
  interactive?: boolean;
  home?: string | undefined;
  /** The project and what was added to it, by all names. It may grow with settings. */
  workspace?(): readonly string[];
  sandbox?(): SandboxWish | undefined;
  /** What MCP servers have beside tools; undefined where there are none. */
  resources?(): ServerResources | undefined;
}

/** Everything that one conversation remembers. There is no state outside of it, so any number can live in one process. */
export class Session implements SessionPort {
  readonly id: string;
  readonly interactive: boolean;
  readonly dataFolder: string;
  readonly home?: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledger: FileLedger;
  readonly shownFiles: ShownFiles;
  readonly changes: FileChanges;
  readonly tools: ToolPool;
  readonly transcript = new Transcript();
  readonly gate = new Gate();
  readonly slots = new Slots(MAX_PARALLEL_CALLS);
  readonly resultsFolder: string;
  mode: PermissionMode;
  /** What the person said last, as it went into the conversation. */
  latestPrompt: readonly UserBlock[] | undefined;
  readonly #askUser: AskUser | undefined;
  readonly #workspace: (() => readonly string[]) | undefined;
  readonly #sandbox: (() => SandboxWish | undefined) | undefined;
  readonly #resources: (() => ServerResources | undefined) | undefined;
  readonly #callIds = new Set<string>();
  readonly #callNumbers = new Map<string, number>();
  readonly #owned = new Map<unknown, unknown>();
  /** How to end what runs, with the name of what may outlive its call. */
  readonly #kills = new Map<() => void, string | undefined>();
  #reminders: string[] = [];
  #hasStarted = false;
  #cwd: string;
  #cleanUps: Array<() => void | Promise<void>> = [];

  constructor(options: SessionOptions) {
    this.id = options.id ?? randomId();
    this.interactive = options.interactive ?? false;
    this.dataFolder = options.dataFolder;
    if (options.home !== undefined) this.home = options.home;
    this.root = options.root;
    this.#cwd = options.root;
    this.mode = options.mode;
    this.env = options.env;
    this.ledger = options.ledger;
    this.shownFiles = new ShownFiles(options.ledger);
    this.tools = options.tools;
    this.#askUser = options.askUser;
    this.#workspace = options.workspace;
    this.#sandbox = options.sandbox;
    this.#resources = options.resources;
    this.changes = lazyFileChanges({ dataFolder: options.dataFolder, sessionId: this.id });
    this.resultsFolder = join(options.dataFolder, 'sessions', this.id, 'results');
  }

  get workspace(): readonly string[] {
    return this.#workspace?.() ?? [this.root];
  }

  get sandbox(): SandboxWish | undefined {
    return this.#sandbox?.();
  }

  get resources(): ServerResources | undefined {
    return this.#resources?.();
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** An id for a call that no other call of the session has. */
  claimCallId(id: string): string {
    const claimed = uniqueCallId(id, (taken) => this.#callIds.has(taken), this.#callNumbers);
    this.#callIds.add(claimed);
    return claimed;
  }

  changeDirectory(path: string): void {
    this.#cwd = path;
  }

  async resultFile(name: string): Promise<string> {
    makeFolder(this.resultsFolder);
    const safeName = name.replaceAll(/[^a-zA-Z0-9._-]/g, '_').slice(-100); // a provider's id may hold anything
    for (let number = 1; ; number += 1) {
      const path = join(this.resultsFolder, number === 1 ? safeName : `${number}-${safeName}`);
      try {
        closeSync(openSync(path, 'wx', 0o600));
        return path;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  }

  own<Thing>(make: (session: SessionPort) => Thing): Thing {
    if (!this.#owned.has(make)) this.#owned.set(make, make(this));
    return this.#owned.get(make) as Thing; // what is kept under a function is what that function made
  }

  /** True the first time only. */
  startsNow(): boolean {
    const starts = !this.#hasStarted;
    this.#hasStarted = true;
    return starts;
  }

  atEnd(cleanUp: () => void | Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  whileRunning(kill: () => void, what?: string): () => void {
    this.#kills.set(kill, what);
    return () => this.#kills.delete(kill);
  }

  /** What would end with the session if it ended now, by name. */
  get stillRunning(): string[] {
    return [...this.#kills.values()].filter((what) => what !== undefined);
  }

  remind(text: string): void {
    this.#reminders.push(text);
  }

  /** What the model has not been told yet, as it is sent; each only once. */
  takeReminders(): TextBlock[] {
    const reminders = this.#reminders;
    this.#reminders = [];
    return reminders.map((text) => ({ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }));
  }

  /** Ends every process at once, without asking it first and without waiting: for the moment before the program exits. */
  killAll(): void {
    for (const kill of this.#kills.keys()) kill();
  }

  /** Ends what calls left running. Nothing of the session may be used after it. */
  async end(): Promise<void> {
    const cleanUps = this.#cleanUps;
    this.#cleanUps = [];
    await Promise.allSettled(cleanUps.map(async (cleanUp) => await cleanUp()));
    // Folders that nothing was kept in are not worth keeping; one that holds something stays.
    for (const folder of [this.resultsFolder, dirname(this.resultsFolder)]) await rmdir(folder).catch(() => {});
  }

  contextFor(
    callId: string,
    signal: AbortSignal,
    { mayRead, approved }: Pick<ToolContext, 'mayRead'> & { approved?: readonly Effect[] | undefined },
  ): ToolContext {
    const session = this;
    if (approved) this.shownFiles.note(callId, approved);
    return {
      callId,
      signal,
      get cwd() {
        return session.cwd; // as it is when the call's turn comes, not when it was made
      },
      root: this.root,
      env: this.env,
      session,
      mayRead,
      ...(this.#askUser && { askUser: this.#askUser }),
      ...(approved && { approved }),
    };
  }
}
