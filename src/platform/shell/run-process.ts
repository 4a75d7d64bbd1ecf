import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/failure.js';
import { grouped } from '../text/digits.js';
import { type OutputPipe, openOutputPipe } from './output-pipe.js';
import { endGroup, groupEnder, groupIsAlive, killGroup } from './process-group.js';
import { startProcess } from './start-process.js';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024; // a log that somebody might still search; beyond it is a runaway
const DRAIN_MS = 100; // for `cmd > >(tee log)`, whose last lines come after the shell has gone
const MAX_PIECE_CHARS = 30_000; // Linux takes at most 128 KiB in one argument, and a character has up to 4 bytes

export interface ProcessOptions {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Where the output goes, both streams as they come. It is made anew, private. */
  outputFile: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** A script that is sourced first, where it exists. */
  sourceFile?: string;
  /** More output than this stops the command. */
  maxOutputBytes?: number;
  /** Called once it runs, with the way to end all of it at once. What it returns is called when nothing is left. */
  onRunning?(kill: () => void): () => void;
  /** Called when something the command started still runs after it, with the way to end it. */
  onLeftRunning(end: () => Promise<void>): void;
}

export interface ProcessResult {
  /** Null when the shell itself was ended by a signal. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  capped: boolean;
  durationMs: number;
  /** Where the shell was when it ended; absent when it could not say (`exec`, SIGKILL, a directory that is gone). */
  finalCwd?: string;
  outputFile: string;
  outputBytes: number;
  leftRunning: boolean;
}

/**
 * Runs one command in a bash of its own, in a session of its own, with nothing to read and nobody to ask. The call is
 * over when that bash is, whoever still holds its output open. After a timeout, an abort or too much output everything
 * in its process group has ended when this returns.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const { signal, timeoutMs, outputFile } = options;
  signal.throwIfAborted();
  const startedAt = performance.now();
  const full = Promise.withResolvers<'cap'>();
  const started = await start(options, () => full.resolve('cap'));
  const { child, group, pipe, ended } = started;

  let stoppedBy: 'timeout' | 'abort' | 'cap' | undefined;
  const stopped = Promise.withResolvers<boolean>();
  let over = false;
  const stop = (why: 'timeout' | 'abort' | 'cap'): void => {
    if (stoppedBy || over) return;
    stoppedBy = why;
    stopped.resolve(endGroup(group));
  };
  void full.promise.then(stop);
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  const onAbort = (): void => stop('abort');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();

  await Promise.race([started.exited, stopped.promise]);
  clearTimeout(timer);
  await Promise.race([pipe.drain(DRAIN_MS), stopped.promise]);
  signal.removeEventListener('abort', onAbort);
  if (stoppedBy) {
    const allEnded = await stopped.promise;
    if (allEnded) await started.exited; // on its way
    await pipe.drain(DRAIN_MS);
  }

  over = true;
  const leftRunning = groupIsAlive(group) || !pipe.ended;
  if (leftRunning) leaveRunning(started, full.promise, options);
  else ended?.();
  const finalCwd = started.finalDirectory();
  if (pipe.writeError !== undefined) {
    throw new ToolFailure(
      `The command was stopped because its output could not be saved to ${outputFile}: ${messageOf(pipe.writeError)}. What it did before that stands. Free space on that disk, then see how far it came.`,
      { cause: pipe.writeError },
    );
  }
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    timedOut: stoppedBy === 'timeout',
    aborted: stoppedBy === 'abort',
    capped: stoppedBy === 'cap',
    durationMs: performance.now() - startedAt,
    ...(finalCwd !== undefined && { finalCwd }),
    outputFile,
    outputBytes: pipe.bytes,
    leftRunning,
  };
}

interface Started {
  child: ChildProcess;
  /** The group's number is that of the bash that leads it. */
  group: number;
  exited: Promise<unknown>;
  /** To be called when nothing of it is left. */
  ended: (() => void) | undefined;
  pipe: OutputPipe;
  /** The last directory that the shell has reported. Call it once, at the end. */
  finalDirectory(): string | undefined;
}

async function start(options: ProcessOptions, onFull: () => void): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-')); // private, and needed until the command has its ends only
  try {
    const maxBytes = options.maxOutputBytes ?? MAX_OUTPUT_BYTES;
    const pipe = await openOutputPipe({ folder, file: options.outputFile, maxBytes, onFull });
    const report = openSync(join(folder, 'directory'), 'wx+', 0o600);
    try {
      const child = await spawnShell(options, [pipe.writeEnd, report]);
      return { ...child, pipe, finalDirectory: () => readReport(report) };
    } catch (error) {
      pipe.close();
      closeSync(report);
      await rm(options.outputFile, { force: true });
      throw error;
    } finally {
      pipe.closeWriteEnd();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spawnShell(
  { command, cwd, env, sourceFile = '', onRunning }: ProcessOptions,
  [output, report]: [output: number, report: number],
): Promise<Pick<Started, 'child' | 'group' | 'exited' | 'ended'>> {
  if (command.includes('\0')) {
    throw new ToolFailure(
      "The command contains a NUL character, which no shell can take, so it was not run. Send it without; printf '\\0' writes one.",
      { kind: 'invalid_input' },
    );
  }
  const pieces = command.match(piecePattern) ?? [];
  try {
    const child = startProcess('bash', ['--noprofile', '--norc', '-c', wrapper, 'bash', sourceFile, ...pieces], {
      cwd,
      env: shellEnvironment(env),
      stdio: ['ignore', output, output, report],
      detached: true,
    });
    const { pid: group } = child;
    // At once, since we may have to exit before another turn of the loop.
    const ended = group === undefined ? undefined : onRunning?.(() => killGroup(group));
    const exited = once(child, 'exit');
    exited.catch(() => undefined); // a start that fails is reported by the wait for it, just below
    await once(child, 'spawn');
    if (group === undefined) throw new Error('bash was started without a process id');
    return { child, group, exited, ended };
  } catch (error) {
    throw await explainStart(error, command, cwd);
  }
}

const piecePattern = new RegExp(`[\\s\\S]{1,${MAX_PIECE_CHARS}}`, 'gu');

/**
 * What bash runs; the command comes as arguments and so reaches it byte for byte. All on one line, so that line numbers
 * in messages are the command's own. Descriptor 3 moves out of the way of commands that use it themselves. The directory
 * is reported by a trap for commands that `exit`, and once more at the end for those that set a trap of their own.
 */
const wrapper = [
  'exec 99>&3 3>&-',
  'helve_source=$1; shift; builtin printf -v helve_command %s "$@"; set --',
  'helve_report() { local status=$?; { builtin pwd -P && builtin printf "\\0"; } >&99; return $status; }',
  "trap '{ helve_report; } 2>/dev/null' EXIT",
  'if [ -f "$helve_source" ] && [ -r "$helve_source" ]; then . "$helve_source"; fi',
  'eval -- "$helve_command"',
  '{ helve_report; } 2>/dev/null',
].join('; ');

/** The environment without what would change how bash works or wait for a person. */
function shellEnvironment(env: ProcessOptions['env']): NodeJS.ProcessEnv {
  const {
    BASH_ENV: _startup,
    ENV: _posixStartup,
    PROMPT_COMMAND: _prompt,
    SHELLOPTS: _options,
    BASHOPTS: _bashOptions,
    CDPATH: _searched, // with it, `cd src` may lead anywhere
    OLDPWD: _previous, // of whoever started us; `cd -` has to fail rather than go there
    ...kept
  } = env;
  return {
    ...kept,
    TERM: 'dumb',
    PAGER: 'cat',
    MANPAGER: 'cat',
    GIT_PAGER: 'cat',
    // An editor that changes nothing: `git rebase --continue` keeps its message, `git commit` without one refuses.
    EDITOR: 'true',
    VISUAL: 'true',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
  };
}

async function explainStart(error: unknown, command: string, cwd: string): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'E2BIG') {
    const size = grouped(Buffer.byteLength(command));
    return new ToolFailure(
      `The command has ${size} bytes, which together with the environment is more than this system accepts, so it was not run. Write the long part to a file, then run a command that uses the file.`,
      { cause: error },
    );
  }
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory()) {
    return new ToolFailure(`The command was not run because its working directory ${cwd} does not exist.`, {
      cause: error,
    });
  }
  return new ToolFailure(
    `The command was not run because bash could not be started in ${cwd}: ${messageOf(error)}. Check that bash is installed and on PATH, and that the directory may be entered.`,
    { cause: error },
  );
}

function readReport(report: number): string | undefined {
  try {
    const bytes = Buffer.alloc(fstatSync(report).size);
    readSync(report, bytes, 0, bytes.length, 0);
    return bytes.toString().split('\n\0').at(-2); // every report ends so, and the last one counts
  } finally {
    closeSync(report);
  }
}

function leaveRunning(
  { group, pipe, ended }: Started,
  full: Promise<unknown>,
  { onLeftRunning }: ProcessOptions,
): void {
  const endRest = groupEnder(group, ended);
  const end = async (): Promise<void> => {
    await endRest();
    pipe.close();
  };
  pipe.unref();
  void full.then(end);
  onLeftRunning(end);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
