import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex } from '../crypto.js';
import { isOutOfDescriptors } from '../descriptors.js';
import { limitFolders, removeLimitGroups } from './limits.js';
import { makePipeFolder } from './pipe-folder.js';
import { endMarked, killMarked } from './process-tree.js';
import type { ReadyShell } from './ready-shell.js';
import { type Registration, registerShells } from './reap.js';
import type { ShellProcess, ShellStart } from './shell-process.js';
import { shellStarter } from './shell-starter.js';
import { type BegunShell, beginShell, startCompleteShell, startShell } from './start-shell.js';
import type { WrapShell } from './wrap-shell.js';

const COMPLETE_READY = 2; // a model rarely sends more commands at once; the others wait for a new one
const IDLE_MS = 5_000; // between prompts no shell is needed, and each holds a process and some descriptors
const PIPES_AT_ONCE = 10; // as many calls as a message often has; more are created later

/** A pool of shells for one command each. One is prestarted, so that a command need not wait for its shell to start. */
export interface ShellPool {
  /** The mark of all its shells' processes. */
  readonly mark: string;
  /**
   * Prestarts a shell if none is ready. A wrapped one gets its policy when it is taken, unless its sandbox is
   * complete from the start. Ready shells are ended after an idle time.
   */
  fill(options?: { wrap?: WrapShell | undefined }): Promise<void>;
  /** The ready shell, or a new one if none fits. Each is used once, so that no state reaches the next command. */
  take(options?: { wrap?: WrapShell | undefined }): Promise<ReadyShell>;
  /** The folder of its pipes and tasks is full. If that is in memory, the next shells use another. */
  leaveFullFolder(): Promise<void>;
  /** Ends the ready shells at once, as between prompts. */
  rest(): Promise<void>;
  /** Ends the ready shell, and all processes that any of its shells has left running. */
  end(): Promise<void>;
  /** The same synchronously, for a program that is about to exit. */
  kill(): void;
}

export interface ShellPoolOptions {
  /** The record that these shells run, so that a later start can end processes that a killed Helve left. */
  dataFolder?: string;
  /** Whether ready shells are kept even if they are idle. */
  isBusy?(): boolean;
}

export function createShellPool(
  env: Readonly<Record<string, string | undefined>>,
  { dataFolder, isBusy = () => false }: ShellPoolOptions = {},
): ShellPool {
  const mark = randomHex(8);
  const starter = shellStarter();
  const starting = { env, start: (shell: ShellStart): Promise<ShellProcess> => starter.start(starting, shell) };
  let folder: string | undefined;
  const givenUp: string[] = []; // folders; shells that were started in them may still use them
  let memoryFailed = false; // the shared memory of the machine may be full
  let registered: Promise<Registration> | undefined;
  let spare: Promise<ReadyShell> | undefined;
  let begun: { as: string; shell: Promise<BegunShell> } | undefined;
  let complete: { as: string; shells: Promise<ReadyShell | undefined>[] } = { as: '', shells: [] };
  let idle: NodeJS.Timeout | undefined;
  const dropped = new Set<Promise<void>>();
  let started = 0;
  let wasUsed = false;
  let isOver = false;

  const nextShell = (): { name: string; nextNames: string[]; mark: string } => {
    if (folder === undefined) {
      folder = makePipeFolder(memoryFailed);
      registered = dataFolder === undefined ? undefined : register(dataFolder, folder);
      registered?.catch(() => {}); // an unwritable data folder must not prevent commands
    }
    started += 1;
    const [name = '', ...nextNames] = Array.from({ length: PIPES_AT_ONCE }, (_, ahead) => nameOf(started + ahead));
    return { name, nextNames, mark: `${mark}.${started}` };
  };
  const nameOf = (number: number): string => join(folder ?? '', `${number}`);
  const start = async (wrap?: WrapShell): Promise<ReadyShell> => {
    const { name, ...next } = nextShell();
    return await startShell(name, { ...starting, ...next, wrap });
  };
  const begin = (wrap: WrapShell): Promise<BegunShell> => {
    const { name, ...next } = nextShell();
    return beginShell(name, { ...starting, ...next, wrap, isAhead: true });
  };
  const register = async (data: string, temporary: string): Promise<Registration> => {
    await registered?.then((last) => last.remove()).catch(() => {}); // it names a folder that is gone
    return await registerShells(data, { mark, folder: temporary, limitFolders: limitFolders(env) });
  };
  const takeSpare = async (): Promise<ReadyShell | undefined> => {
    const taken = spare;
    spare = undefined;
    const shell = await taken?.catch(() => undefined); // the next start reports the problem
    if (shell === undefined || !hasEnded(shell)) return shell;
    drop(shell);
    return undefined;
  };
  /** Applies this policy to a shell that waits for one. */
  const takeBegun = async (wrap: WrapShell): Promise<ReadyShell | undefined> => {
    const taken = begun;
    begun = undefined;
    const shell = await taken?.shell.catch(() => undefined);
    if (shell === undefined) return undefined;
    if (taken?.as === wrap.aheadAs && !hasEnded(shell)) return await shell.open(wrap).catch(() => undefined);
    drop(shell);
    return undefined;
  };
  const startComplete = async (wrap: WrapShell): Promise<ReadyShell> => {
    const { name, ...next } = nextShell();
    return await startCompleteShell(name, { ...starting, ...next, wrap });
  };
  /** Ends an unused shell. The pool does not end before the shell has. */
  const drop = (shell: Pick<ReadyShell, 'discard'>): void => {
    const gone = shell.discard().finally(() => dropped.delete(gone));
    dropped.add(gone);
  };
  const dropComplete = async (): Promise<void> => {
    const { shells } = complete;
    complete = { as: '', shells: [] };
    for (const shell of await Promise.all(shells)) if (shell) drop(shell);
  };
  const dropAll = async (): Promise<void> => {
    const waiting = begun?.shell.catch(() => undefined);
    begun = undefined;
    const [first, second] = await Promise.all([waiting, takeSpare(), dropComplete()]);
    for (const shell of [first, second]) if (shell) drop(shell);
  };
  const onIdle = (): void => {
    if (isBusy()) idle?.refresh();
    else void dropAll();
  };
  const restartIdle = (): void => {
    if (idle) idle.refresh();
    else idle = setTimeout(onIdle, IDLE_MS).unref();
  };
  const fillComplete = async (wrap: WrapShell, as: string): Promise<void> => {
    if (complete.as !== as) void dropComplete();
    complete.as = as;
    const { shells } = complete;
    while (shells.length < COMPLETE_READY) shells.push(startComplete(wrap).catch(() => undefined)); // the next start reports the problem
    await Promise.all(shells);
  };
  const takeComplete = async (as: string): Promise<ReadyShell | undefined> => {
    if (complete.as !== as) return undefined;
    for (let next = complete.shells.shift(); next; next = complete.shells.shift()) {
      const shell = await next;
      if (shell && !hasEnded(shell) && shell.isCurrent?.() !== false) return shell;
      if (shell) drop(shell);
    }
    return undefined;
  };
  const leaveFolder = (): void => {
    if (folder !== undefined) givenUp.push(folder);
    folder = undefined;
    memoryFailed = true;
  };
  const startAgain = async (wrap?: WrapShell): Promise<ReadyShell> => {
    const startOne = (): Promise<ReadyShell> => (wrap?.completeAs === undefined ? start(wrap) : startComplete(wrap));
    try {
      return await startOne();
    } catch (error) {
      if (isOutOfDescriptors(error)) throw error; // another folder would not help
      leaveFolder(); // it may have been removed by a clean-up
      return await startOne();
    }
  };
  const takeWrapped = async (wrap: WrapShell): Promise<ReadyShell | undefined> =>
    wrap.completeAs === undefined ? await takeBegun(wrap) : await takeComplete(wrap.completeAs);

  return {
    mark,
    async fill({ wrap } = {}) {
      if (isOver) return; // requested by a call that ended with the session
      restartIdle();
      if (wrap?.completeAs !== undefined) return await fillComplete(wrap, wrap.completeAs);
      if (wrap) {
        if (wrap.aheadAs === undefined) return;
        begun ??= { as: wrap.aheadAs, shell: begin(wrap) };
        await begun.shell.catch(() => {
          begun = undefined;
        });
        return;
      }
      spare ??= start();
      await spare.catch(() => {
        spare = undefined;
      });
    },
    async take({ wrap } = {}) {
      wasUsed = true;
      const shell = (await (wrap ? takeWrapped(wrap) : takeSpare())) ?? (await startAgain(wrap));
      await registered?.catch(() => {});
      return shell;
    },
    async leaveFullFolder() {
      if (memoryFailed) return; // another command has noticed it, or there is no other folder
      leaveFolder();
      await dropAll();
    },
    async end() {
      isOver = true;
      clearTimeout(idle);
      await dropAll();
      await Promise.all(dropped);
      const allEnded = !wasUsed || (await endMarked(mark));
      starter.leave(starting);
      removeLimitGroups(mark, limitFolders(env)); // those in which a process was still running when its command ended
      // Repeated if pipes for the next shells are still being created in it.
      for (const one of folder === undefined ? givenUp : [...givenUp, folder]) {
        await rm(one, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      }
      folder = undefined;
      // The record is kept if a process could not be ended: the next start tries again.
      if (allEnded) await registered?.then((registration) => registration.remove()).catch(() => {});
    },
    rest: dropAll,
    kill: () => killMarked(mark),
  };
}

const hasEnded = ({ child }: Pick<ReadyShell, 'child'>): boolean =>
  child.exitCode !== null || child.signalCode !== null;
