import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { processStat } from '../process-stat.js';
import { sharedRound } from '../shared-round.js';
import { groupIsAlive, signalGroup } from './process-group.js';

const TERM_GRACE_MS = 1_000; // time to clean up after SIGTERM, short enough for a person who waits
const KILL_WAIT_MS = 2_000; // SIGKILL can't be ignored, but the kernel needs a moment; after this we stop waiting
const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;

/**
 * An environment variable that every shell of ours gets. Its child processes inherit it, so that a daemon is found
 * even if it left its process group, session and parents. A Helve inside a command appends its own mark to the outer
 * one.
 */
export const MARK_VARIABLE = 'HELVE_PROCESS';

/** A shell and all its descendants. */
export interface ProcessTree {
  group: number;
  mark: string;
  /**
   * For a shell inside another program, such as a sandbox: the group for SIGTERM, which would end that program at
   * once.
   */
  politeGroup?(): number | undefined;
}

/** The mark in the environment of a new shell, appended to an existing one. */
export const withMark = (inherited: string | undefined, mark: string): string =>
  inherited ? `${inherited}:${mark}` : mark;

/** Ends all of it: SIGTERM first, SIGKILL after a grace period. False if some processes could not be ended. */
export async function endTree(tree: ProcessTree): Promise<boolean> {
  const strays = findAndRemember(tree.mark);
  let groupEnded = false; // from then on its id may be reused
  return await end(
    (signal) => {
      const found = strays(); // before their parents are gone
      const politely = signal === 'SIGTERM' ? tree.politeGroup?.() : undefined;
      if (politely !== undefined) {
        signalGroup(politely, signal);
        return;
      }
      if (!groupEnded) signalGroup(tree.group, signal); // a single kernel operation, so that nothing in it can fork away
      signalEach(found, signal);
    },
    () => {
      groupEnded ||= !groupIsAlive(tree.group);
      return !groupEnded || strays().length > 0;
    },
  );
}

/** Ends everything with this mark, or with one that begins with it and a dot. */
export async function endMarked(mark: string): Promise<boolean> {
  const all = await sharedRound('processes and their marks', readMarkedProcesses);
  if (!all.some(({ marks }) => includesMark(marks, mark))) return true;
  const strays = findAndRemember(mark);
  return await end(
    (signal) => signalEach(strays(), signal),
    () => strays().length > 0,
  );
}

/** Kills all of it. For many trees at the same time, one scan finds the processes of all. */
export async function killTreeSoon({ group, mark }: ProcessTree): Promise<void> {
  const all = await sharedRound('processes and their marks', readMarkedProcesses);
  const found = withDescendants(
    all.filter(({ marks }) => includesMark(marks, mark)),
    all,
  );
  signalGroup(group, 'SIGKILL');
  signalEach(found, 'SIGKILL');
}

/** Synchronously, for a program that is about to exit. */
export function killTree({ group, mark }: ProcessTree): void {
  const found = findMarked(mark);
  signalGroup(group, 'SIGKILL');
  signalEach(found, 'SIGKILL');
}

export function killMarked(mark: string): void {
  signalEach(findMarked(mark), 'SIGKILL');
}

/** A process and all its current descendants. */
export function descendantsOf(pid: number): number[] {
  const all = readProcesses();
  const own = all.filter((one) => one.pid === pid);
  return withDescendants(own, all).map((one) => one.pid);
}

async function end(signalAll: (signal: 'SIGTERM' | 'SIGKILL') => void, isAlive: () => boolean): Promise<boolean> {
  signalAll('SIGTERM');
  if (await isGone(isAlive, TERM_GRACE_MS)) return true;
  // Repeatedly, since processes that fork during the scan are not in the list.
  return await isGone(() => {
    signalAll('SIGKILL');
    return isAlive();
  }, KILL_WAIT_MS);
}

async function isGone(isAlive: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = monotonicMs() + withinMs;
  for (let pause = FIRST_POLL_MS; isAlive(); pause = Math.min(2 * pause, LAST_POLL_MS)) {
    if (monotonicMs() > deadline) return false;
    await delay(pause);
  }
  return true;
}

function signalEach(found: readonly Process[], signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const { pid, started } of found) {
    // Checked again: its PID may have been reused since the list was made.
    if (readProcess(pid)?.started !== started) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // ended meanwhile, or owned by another user
    }
  }
}

interface Process {
  pid: number;
  parent: number;
  /** In clock ticks since boot: together with the PID it identifies one process. */
  started: string;
}

/** Includes those found before: one without the mark is known only by its parent, which may have exited. */
function findAndRemember(mark: string): () => Process[] {
  let known: Process[] = [];
  return () => {
    const found = new Map(findMarked(mark).map((one) => [one.pid, one]));
    for (const one of known) if (readProcess(one.pid)?.started === one.started) found.set(one.pid, one);
    known = [...found.values()];
    return known;
  };
}

/** Those with the mark, and their descendants: a child may have been given an empty environment. */
function findMarked(mark: string): Process[] {
  const all = readProcesses();
  return withDescendants(
    all.filter(({ pid }) => includesMark(marksOf(pid), mark)),
    all,
  );
}

const readMarkedProcesses = (): Array<Process & { marks: readonly string[] }> =>
  readProcesses().map((one) => ({ ...one, marks: marksOf(one.pid) }));

function withDescendants(roots: readonly Process[], all: readonly Process[]): Process[] {
  const found = new Map(roots.map((one) => [one.pid, one]));
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  // The map grows while it is iterated; the loop reaches the new entries.
  for (const [pid] of found) for (const child of byParent.get(pid) ?? []) found.set(child.pid, child);
  found.delete(process.pid);
  return [...found.values()];
}

/** Empty if there is no /proc: there, a tree is its process group. */
function readProcesses(): Process[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => readProcess(Number(pid))).filter((one) => one !== undefined);
  } catch {
    return [];
  }
}

/** Undefined for a process that has ended, including a zombie. */
function readProcess(pid: number): Process | undefined {
  try {
    const [state = '', parent, , , , , , , , , , , , , , , , , , started = ''] = processStat(pid);
    return 'ZX'.includes(state) ? undefined : { pid, parent: Number(parent), started };
  } catch {
    return undefined; // ended meanwhile
  }
}

/** The marks in the environment of a process: of its shell, and of the enclosing ones. */
function marksOf(pid: number): string[] {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const start = environment.indexOf(`\0${MARK_VARIABLE}=`);
    if (start === -1) return [];
    const from = start + MARK_VARIABLE.length + 2;
    const end = environment.indexOf('\0', from);
    return environment.slice(from, end === -1 ? undefined : end).split(':');
  } catch {
    return []; // ended meanwhile, or owned by another user
  }
}

const includesMark = (marks: readonly string[], mark: string): boolean =>
  marks.some((one) => one === mark || one.startsWith(`${mark}.`));
