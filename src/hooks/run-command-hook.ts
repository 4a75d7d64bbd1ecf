import { closeSync, mkdtempSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { randomHex } from '../platform/crypto.js';
import { groupEnds, groupIsAlive } from '../platform/shell/process-group.js';
import { endTree, killTree, MARK_VARIABLE, withMark } from '../platform/shell/process-tree.js';
import { startProcess } from '../platform/shell/start-process.js';
import { decodeAnswer } from './decode-answer.js';
import { asyncMarker, type CommandEnd, firstLineOf } from './read-command-answer.js';

const MAX_OUTPUT_BYTES = 1024 * 1024; // of each stream; an answer has a few hundred
const QUIET_MS = 250; // for output that arrives after the hook has exited, as from `cmd > >(tee log)`
const MAX_DRAIN_MS = 1_000; // even if another process keeps writing to the pipe

export interface CommandRun {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The text on standard input. */
  input: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Registers a function that kills it, and returns a function that unregisters it. */
  whileRunning?: ((kill: () => void) => () => void) | undefined;
  /** Called once with the first line of output if that has `"async": true`: the hook continues in the background. */
  onAsync?: ((marker: object) => void) | undefined;
  /** Called at its end if processes that it started still run, with a promise that resolves when all of them have ended. */
  onLeftRunning?: ((allEnded: Promise<void>) => Promise<void>) | undefined;
}

/**
 * Runs a hook's program in a separate process session. Resolves when the program exits, even if another process keeps
 * its output open. After a timeout or an abort, everything that it started has ended when this settles. Rejects if the
 * program could not be started, and with the signal's reason.
 */
export async function runCommandHook(run: CommandRun): Promise<CommandEnd> {
  const { signal, timeoutMs } = run;
  signal.throwIfAborted();
  const { child, tree, exited, lifeline } = await start(run);
  let isInBackground = false;
  const stdout = collect(child.stdout, (line) => {
    const marker = asyncMarker(line);
    isInBackground = marker !== undefined;
    if (marker) run.onAsync?.(marker);
  });
  const stderr = collect(child.stderr);
  const forget = run.whileRunning?.(() => killTree(tree));

  let stoppedBy: 'timeout' | 'abort' | undefined;
  const stopped = Promise.withResolvers<boolean>();
  const stop = (why: 'timeout' | 'abort'): void => {
    if (stoppedBy) return;
    stoppedBy = why;
    stopped.resolve(endTree(tree));
  };
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  const onAbort = (): void => stop('abort');
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  await Promise.race([exited, stopped.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (stoppedBy) await stopped.promise; // the program may have exited, but not everything that it started
  await Promise.all([stdout.drain(), stderr.drain()]);
  forget?.();
  if (!lifeline.hasEnded() || groupIsAlive(tree.group)) {
    await run.onLeftRunning?.(Promise.all([lifeline.ended, groupEnds(tree.group)]).then(() => {}));
  }

  if (stoppedBy === 'abort') signal.throwIfAborted();
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    overflowed: stdout.overflowed(),
    timedOut: stoppedBy === 'timeout',
    isInBackground,
  };
}

async function start({ program, args, cwd, env, input }: CommandRun) {
  const mark = `hook.${randomHex(8)}`;
  const stdin = openInput(input);
  try {
    const child = startProcess(program, args, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: withMark(env[MARK_VARIABLE], mark) },
      stdio: [stdin, 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const lifeline = lifelineOf(child.stdio[3]);
    const exit = Promise.withResolvers<void>();
    child.once('exit', () => exit.resolve());
    child.once('error', (error) => exit.reject(error)); // it could not be started
    if (child.pid === undefined) await exit.promise;
    return { child, tree: { group: child.pid ?? 0, mark }, exited: exit.promise, lifeline };
  } finally {
    closeSync(stdin);
  }
}

/** A pipe that closes when neither the hook nor anything that it started, detached or not, holds it open. */
function lifelineOf(line: unknown): { hasEnded(): boolean; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!(line instanceof Socket)) return { hasEnded: () => true, ended: Promise.resolve() };
  line.on('error', () => {}).once('close', () => resolve());
  line.end();
  line.resume().unref();
  return { hasEnded: () => line.destroyed, ended: promise };
}

/**
 * A private unlinked file that holds the input. Unlike a pipe it never blocks, causes no error if the hook doesn't read
 * it, and can be opened again as /dev/stdin.
 */
function openInput(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'helve-hook-'));
  const file = join(folder, 'input');
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    const descriptor = openSync(file, 'r');
    unlinkSync(file);
    return descriptor;
  } finally {
    rmdirSync(folder);
  }
}

/** The beginning of a stream. The rest is read and dropped, so that the writer never blocks. */
function collect(stream: Readable | null, onFirstLine?: (line: string) => void) {
  let isInFirstLine = onFirstLine !== undefined;
  const chunks: Buffer[] = [];
  let room = MAX_OUTPUT_BYTES;
  let overflowed = false;
  let arrivals = 0;
  const closed = Promise.withResolvers<true>();
  stream?.on('data', (chunk: Buffer) => {
    arrivals += 1;
    overflowed ||= chunk.length > room;
    const kept = chunk.subarray(0, room);
    room -= kept.length;
    if (kept.length > 0) chunks.push(kept);
    if (!isInFirstLine || !chunk.includes('\n')) return;
    isInFirstLine = false;
    onFirstLine?.(firstLineOf(Buffer.concat(chunks).toString('utf8')));
  });
  stream?.on('error', () => stream.destroy()); // a pipe that can't be read has no more output
  stream?.on('close', () => closed.resolve(true));
  return {
    overflowed: () => overflowed,
    text: () => decodeAnswer(Buffer.concat(chunks)),
    /** Waits until the stream ends or falls silent. A process that keeps writing doesn't keep Helve running. */
    async drain(): Promise<void> {
      const waits = new AbortController();
      for (let waited = 0; waited < MAX_DRAIN_MS; waited += QUIET_MS) {
        const before = arrivals;
        const pause = delay(QUIET_MS, false as const, { signal: waits.signal }).catch(() => false as const);
        const hasEnded = await Promise.race([closed.promise, pause]);
        await turn(); // after a blocked event loop, timers fire before pending reads; one turn later those are done
        if (hasEnded || arrivals === before) break;
      }
      waits.abort();
      (stream as Socket | null)?.unref(); // the pipes of a child are sockets
    },
  };
}
