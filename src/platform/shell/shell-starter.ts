// Who starts the shells: this thread, or for many sessions a thread of its own: docs/decisions/0176.
import { lazy } from '../lazy.js';
import { ofProcess } from '../of-process.js';
import { type ShellProcess, type ShellStart, startShellProcess } from './shell-process.js';
import type { ShellThread } from './shell-thread.js';

const MANY = 4; // pools of shells; fewer hardly hold each other up, and a thread takes 20 ms and 5 MB

const loadThread = lazy(() => import('./shell-thread.js'));

/** Starts the shells of all sessions of the process. */
class ShellStarter {
  readonly #users = new Set<object>();
  #thread: ShellThread | undefined;

  async start(user: object, start: ShellStart): Promise<ShellProcess> {
    this.#users.add(user);
    if (this.#thread?.isReady) return await this.#thread.start(start);
    if (this.#users.size >= MANY) void this.#startThread().catch(() => {}); // the next start tries again
    return await startShellProcess(start);
  }

  /** The user starts no more shells, and those that it had started have ended. */
  leave(user: object): void {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    this.#thread?.end();
    this.#thread = undefined;
  }

  async #startThread(): Promise<void> {
    if (this.#thread) return;
    const { ShellThread } = await loadThread();
    if (this.#users.size >= MANY) this.#thread ??= new ShellThread();
  }
}

export const shellStarter = (): ShellStarter => ofProcess('shellStarter', () => new ShellStarter());
