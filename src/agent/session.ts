import { mkdir, open, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Gate } from '../calls/gate.js';
import type { PermissionMode } from '../contract/permission.js';
import type { FileLedger, SessionPort, ToolContext } from '../contract/tool-context.js';
import { randomId } from '../platform/crypto.js';
import { Slots } from '../platform/slots.js';
import { uniqueCallId } from './call-id.js';
import type { ToolPool } from './tool-pool.js';
import { Transcript } from './transcript.js';

const MAX_PARALLEL_CALLS = 10;

export interface SessionOptions {
  root: string;
  /** Helve's data folder; the session's own is made below it when there is something to keep. */
  dataFolder: string;
  mode: PermissionMode;
  env: Readonly<Record<string, string | undefined>>;
  ledger: FileLedger;
  tools: ToolPool;
}

/** Everything that one conversation remembers. There is no state outside of it, so any number can live in one process. */
export class Session implements SessionPort {
  readonly id = randomId();
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledger: FileLedger;
  readonly tools: ToolPool;
  readonly transcript = new Transcript();
  readonly gate = new Gate();
  readonly slots = new Slots(MAX_PARALLEL_CALLS);
  readonly resultsFolder: string;
  mode: PermissionMode;
  readonly #callIds = new Set<string>();
  readonly #callNumbers = new Map<string, number>();
  readonly #kills = new Set<() => void>();
  #cwd: string;
  #cleanUps: Array<() => void | Promise<void>> = [];

  constructor(options: SessionOptions) {
    this.root = options.root;
    this.#cwd = options.root;
    this.mode = options.mode;
    this.env = options.env;
    this.ledger = options.ledger;
    this.tools = options.tools;
    this.resultsFolder = join(options.dataFolder, 'sessions', this.id, 'results');
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
    await mkdir(this.resultsFolder, { recursive: true, mode: 0o700 });
    const safeName = name.replaceAll(/[^a-zA-Z0-9._-]/g, '_').slice(-100); // a provider's id may hold anything
    for (let number = 1; ; number += 1) {
      const path = join(this.resultsFolder, number === 1 ? safeName : `${number}-${safeName}`);
      try {
        await (await open(path, 'wx', 0o600)).close();
        return path;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  }

  atEnd(cleanUp: () => void | Promise<void>): void {
    this.#cleanUps.push(cleanUp);
  }

  whileRunning(kill: () => void): () => void {
    this.#kills.add(kill);
    return () => this.#kills.delete(kill);
  }

  /** Ends every process at once, without asking it first and without waiting: for the moment before the program exits. */
  killAll(): void {
    for (const kill of this.#kills) kill();
  }

  /** Ends what calls left running. Nothing of the session may be used after it. */
  async end(): Promise<void> {
    const cleanUps = this.#cleanUps;
    this.#cleanUps = [];
    await Promise.allSettled(cleanUps.map(async (cleanUp) => await cleanUp()));
    // Folders that nothing was kept in are not worth keeping; one that holds something stays.
    for (const folder of [this.resultsFolder, dirname(this.resultsFolder)]) await rmdir(folder).catch(() => {});
  }

  contextFor(callId: string, signal: AbortSignal, mayRead: ToolContext['mayRead']): ToolContext {
    const session = this;
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
    };
  }
}
