import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { ToolFailure } from '../../contract/failure.js';
import { monotonicMs } from '../clock.js';
import { isOutOfDescriptors, OUT_OF_DESCRIPTORS } from '../descriptors.js';
import { codeOf } from '../error-code.js';
import { messageOf } from '../message-of.js';
import { type LimitGroup, type LimitReport, type Limits, makeLimitGroup } from './limits.js';
import type { OutputPipe, SharedQuota } from './output-pipe.js';
import { groupIsAlive, watchGroup } from './process-group.js';
import { endMarked, endTree, killTree } from './process-tree.js';
import type { ReadyShell, ShellReport } from './ready-shell.js';
import type { ShellPool } from './shell-pool.js';
import type { WrapShell } from './wrap-shell.js';

export const MAX_OUTPUT_BYTES = 256 * 1024 * 1024; // a log that is still worth searching; anything larger is a runaway
const MAX_REASON_CHARS = 500;
const TURNS = 3; // of the event loop, in which the end of a closed control channel is read
const DRAIN_MS = 100; // for `cmd > >(tee log)`, whose last lines come after the shell has exited

export interface ProcessOptions {
  command: string;
  cwd: string;
  /**
   * The file for the output, both streams interleaved. Created as a new, private file. A function names it when it is
   * needed, which a short output does not.
   */
  outputFile: string | (() => Promise<string>);
  /** The pool that provides its bash, which already has its environment. */
  shells: ShellPool;
  timeoutMs: number;
  signal: AbortSignal;
  /** A script that is sourced first, if it exists. */
  sourceFile?: string;
  /** Variables for this command alone. */
  env?: Readonly<Record<string, string>>;
  /** Starts its bash through another program, such as a sandbox. */
  wrap?: WrapShell | undefined;
  limits?: Limits | undefined;
  /** More output than this stops the command. */
  maxOutputBytes?: number;
  /** The output quota that all commands of a session share. */
  sharedOutput?: SharedQuota | undefined;
  /**
   * Called at the timeout, instead of ending the command. True: the callee takes over the command, and neither the
   * timeout nor the signal ends it any more.
   */
  onTimeUp?(): boolean;
  /**
   * Called once it runs, with a function that kills all of it at once. The returned function is called when no process
   * is left.
   */
  onRunning?(kill: () => void): () => void;
  /** Called if a process that the command started is still running after it, with a function that ends it. */
  onLeftRunning(end: () => Promise<void>): void;
}

/** Why a command was stopped early. */
export type ProcessStopReason = 'timeout' | 'abort' | 'output' | 'request';

export interface ProcessResult {
  /** Null if the shell itself was killed by a signal. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stoppedBy: ProcessStopReason | null;
  durationMs: number;
  /** The shell's last working directory; absent if it could not report it (`exec`, SIGKILL, a removed directory). */
  finalCwd?: string;
  /** Where the output is, unless it is in `heldOutput`. */
  outputFile?: string;
  /** The whole of a short output. */
  heldOutput?: Buffer;
  /** Puts the output into its file, and returns that. */
  save(): Promise<string>;
  outputBytes: number;
  leftRunning: boolean;
  /** Resolves when no process that the command started is running any more; absent if that is already so. */
  allEnded?: Promise<void>;
  /** What the limits had to do; absent if none were set. */
  limits?: LimitReport;
}

export interface RunningProcess {
  /** Its process group, which is the PID of the first process. */
  readonly group: number;
  /** Resolves when it is over. After a stop all its processes have ended by then. */
  readonly finished: Promise<ProcessResult>;
  /** Ends all of it. Does nothing once it is over. */
  stop(why: ProcessStopReason): void;
  /** As if the timeout were reached: see `onTimeUp`. */
  timeUp(): void;
  /** Puts the output into its file, and returns that; undefined if it can't be written, which ends the command. */
  save(): Promise<string | undefined>;
}

/**
 * Starts one command in its own bash and session, with an empty standard input and no terminal. It is over when that
 * bash exits, even if other processes still hold its output open.
 */
export async function startCommand(options: ProcessOptions): Promise<RunningProcess> {
  const { signal, timeoutMs } = options;
  signal.throwIfAborted();
  const startedAt = monotonicMs();
  const full = Promise.withResolvers<'output'>();
  const started = await start(options, () => full.resolve('output'));

  let stoppedBy: ProcessStopReason | null = null;
  const stopped = Promise.withResolvers<boolean>();
  let over = false;
  const stop = (why: ProcessStopReason): void => {
    if (stoppedBy || over) return;
    stoppedBy = why;
    stopped.resolve(endTree(started.tree));
  };
  const onAbort = (): void => stop('abort');
  const onTimeUp = (): void => {
    if (options.onTimeUp?.()) signal.removeEventListener('abort', onAbort);
    else stop('timeout');
  };
  void full.promise.then(stop);
  const timer = setTimeout(onTimeUp, timeoutMs);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();

  const finish = async (): Promise<ProcessResult> => {
    const { child, pipe } = started;
    await Promise.race([started.exited, stopped.promise]);
    clearTimeout(timer);
    await Promise.race([pipe.drain(DRAIN_MS), stopped.promise]);
    signal.removeEventListener('abort', onAbort);
    if (stoppedBy) {
      const allEnded = await stopped.promise;
      if (allEnded) await started.exited; // it is about to exit
      await pipe.drain(DRAIN_MS);
    }
    over = true;
    const leftRunning = groupIsAlive(started.tree.group) || !pipe.ended;
    const limits = started.limitGroup?.report();
    const groupEnded = leftRunning ? leaveRunning(started, full.promise, options) : started.ended();
    const isDetached = !leftRunning && !(await endsNow(started.allEnded));
    const { begun, directory: finalCwd } = started.readReport();
    if (!begun && !stoppedBy) throw await explainEnd(options, pipe);
    if (leftRunning || stoppedBy) await pipe.save();
    if (pipe.writeError !== undefined) throw explainWrite(pipe.writeError, pipe.file);
    return {
      exitCode: child.exitCode,
      signal: child.signalCode,
      stoppedBy,
      durationMs: monotonicMs() - startedAt,
      ...(finalCwd !== undefined && { finalCwd }),
      ...(pipe.file !== undefined && { outputFile: pipe.file }),
      ...(pipe.held && { heldOutput: pipe.held }),
      async save() {
        const file = await pipe.save();
        if (file === undefined) throw explainWrite(pipe.writeError, file);
        return file;
      },
      outputBytes: pipe.bytes,
      leftRunning,
      ...((leftRunning || isDetached) && { allEnded: Promise.all([groupEnded, started.allEnded]).then(() => {}) }),
      ...(limits && { limits }),
    };
  };
  const timeUp = (): void => {
    clearTimeout(timer);
    if (!over) onTimeUp();
  };
  return { group: started.tree.group, finished: finish(), stop, timeUp, save: started.pipe.save };
}

interface Started extends Pick<ReadyShell, 'child' | 'tree' | 'exited' | 'pipe' | 'allEnded'> {
  limitGroup: LimitGroup | undefined;
  readReport(): ShellReport;
  /** Call it when no process of it is left. */
  ended(): void;
}

async function start(options: ProcessOptions, onFull: () => void, isAgain = false): Promise<Started> {
  const { command, cwd, outputFile, sourceFile = '', maxOutputBytes = MAX_OUTPUT_BYTES, onRunning } = options;
  if (command.includes('\0')) {
    throw new ToolFailure('The command contains a NUL character, which no shell can take, so it was not run.', {
      advice: "Send it without; printf '\\0' writes one.",
      kind: 'invalid_input',
    });
  }
  const shell = await options.shells.take({ wrap: options.wrap }).catch(async (error: unknown) => {
    throw await explainStart(error, cwd);
  });
  const { tree } = shell;
  let limitGroup: LimitGroup | undefined;
  try {
    options.signal.throwIfAborted();
    limitGroup = options.limits && makeLimitGroup(tree.mark, options.limits);
    limitGroup?.add(tree.group);
    shell.pipe.copyTo({ file: outputFile, maxBytes: maxOutputBytes, shared: options.sharedOutput, onFull });
    shell.run({ cwd, sourceFile, command, ...(options.env && { env: options.env }) });
  } catch (error) {
    void shell.discard();
    limitGroup?.remove();
    if (!isFull(error)) throw error;
    await options.shells.leaveFullFolder();
    if (isAgain) throw await explainStart(error, cwd);
    return await start(options, onFull, true); // nothing of the command has run
  }
  const takeBack = onRunning?.(() => killTree(tree));
  let isOver = false;
  const ended = (): void => {
    if (isOver) return;
    isOver = true;
    takeBack?.();
    limitGroup?.remove();
    void shell.ended();
  };
  return { ...shell, limitGroup, ended };
}

/** For a shell that ended before its command: the program around it, such as a sandbox, says why in its output. */
async function explainEnd({ wrap, cwd }: ProcessOptions, { file, held }: OutputPipe): Promise<ToolFailure> {
  const output = file === undefined ? held?.toString() : await readFile(file, 'utf8').catch(() => '');
  const said = wrap ? (output ?? '').trim().slice(0, MAX_REASON_CHARS) : '';
  if (said === '') return await explainStart(new Error('the directory could not be entered'), cwd);
  return new ToolFailure(
    `The command was not run because what confines it could not be set up: ${said.replaceAll('\n', ' ')}.`,
    { advice: 'Ask the user about it; helve doctor says more.' },
  );
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');

async function explainStart(error: unknown, cwd: string): Promise<ToolFailure> {
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory()) {
    return new ToolFailure(`The command was not run because its working directory ${cwd} does not exist.`, {
      cause: error,
    });
  }
  if (isOutOfDescriptors(error)) {
    return new ToolFailure(`The command was not run because ${OUT_OF_DESCRIPTORS}.`, { cause: error });
  }
  if (isFull(error)) {
    return new ToolFailure(`The command was not run because the temporary folder ${tmpdir()} is full.`, {
      advice: 'Ask the user to free space in it, or to set TMPDIR to another folder.',
      cause: error,
    });
  }
  return new ToolFailure(`The command was not run because bash could not be started in ${cwd}: ${messageOf(error)}.`, {
    advice: 'Check that bash is installed and on PATH, and that the directory may be entered.',
    cause: error,
  });
}

function explainWrite(error: unknown, file: string | undefined): ToolFailure {
  return new ToolFailure(
    `The command was stopped because its output could not be saved${file === undefined ? '' : ` to ${file}`}: ${messageOf(error)}. What it did before that stands.`,
    { advice: 'Free space on that disk, then see how far it came.', cause: error },
  );
}

/** Whether the promise is settled once pending events are handled. */
async function endsNow(promise: Promise<void>): Promise<boolean> {
  const waits = (async (): Promise<boolean> => {
    for (let turns = 0; turns < TURNS; turns += 1) await turn();
    return false;
  })();
  return await Promise.race([promise.then(() => true), waits]);
}

/** Resolves when no process of its group is running any more. */
function leaveRunning(
  { tree, pipe, ended }: Started,
  full: Promise<unknown>,
  { onLeftRunning }: ProcessOptions,
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  const watch = watchGroup(tree.group, () => {
    ended();
    gone.resolve();
  });
  if (watch.ended) gone.resolve();
  const end = async (): Promise<void> => {
    watch.stop();
    await (watch.ended ? endMarked(tree.mark) : endTree(tree));
    pipe.close();
    ended();
    gone.resolve();
  };
  pipe.unref();
  void full.then(end);
  onLeftRunning(end);
  return gone.promise;
}
