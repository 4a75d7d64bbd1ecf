import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock.js';
import { sharedRound } from '../shared-round.js';
import { groupIsAlive, signalGroup } from './process-group.js';

const TERM_GRACE_MS = 1_000; // time to put things in order after SIGTERM, short enough for a person who waits
const KILL_WAIT_MS = 2_000; // SIGKILL needs no consent, but the kernel needs a moment; beyond it we give up waiting
const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;

/**
 * The variable that every shell of ours gets. Whatever the shell starts inherits it, so that a daemon is found that left
 * its group, its session and its parents. A Helve within a command adds its own mark to that of the outer one.
 */
export const MARK_VARIABLE = 'HELVE_PROCESS';

/** A shell and all that it started. */
export interface ProcessTree {
  group: number;
  mark: string;
  /** For a shell inside another program, such as a sandbox: where a polite signal goes, which would end that program at once. */
  politeGroup?(): number | undefined;
}

/** What the environment of a new shell says: whose it is, after whatever it said before. */
export const withMark = (inherited: string | undefined, mark: string): string =>
  inherited ? `${inherited}:${mark}` : mark;

/** Ends all of it: asked first, forced after a grace. False when some could not be ended. */
export async function endTree(tree: ProcessTree): Promise<boolean> {
  const strays = findAndRemember(tree.mark);
  let groupEnded = false; // from then on its number may be somebody else's
  return await end(
    (signal) => {
      const found = strays(); // before their parents are gone
      const politely = signal === 'SIGTERM' ? tree.politeGroup?.() : undefined;
      if (politely !== undefined) {
        signalGroup(politely, signal);
        return;
      }
      if (!groupEnded) signalGroup(tree.group, signal); // one step of the kernel's, so that nothing in it can fork away
      signalEach(found, signal);
    },
    () => {
      groupEnded ||= !groupIsAlive(tree.group);
      return !groupEnded || strays().length > 0;
    },
  );
}

/** Ends everything that carries the mark, or one that begins with it and a dot. */
export async function endMarked(mark: string): Promise<boolean> {
  const all = await sharedRound('processes and their marks', readMarkedProcesses);
  if (!all.some(({ marks }) => includesMark(marks, mark))) return true;
  const strays = findAndRemember(mark);
  return await end(
    (signal) => signalEach(strays(), signal),
    () => strays().length > 0,
  );
}

/** Ends all of it by force. Of many at the same time, one look finds the processes of all. */
export async function killTreeSoon({ group, mark }: ProcessTree): Promise<void> {
  const all = await sharedRound('processes and their marks', readMarkedProcesses);
  const found = withDescendants(
    all.filter(({ marks }) => includesMark(marks, mark)),
    all,
  );
  signalGroup(group, 'SIGKILL');
  signalEach(found, 'SIGKILL');
}

/** At once and without waiting, for a program that is about to exit. */
export function killTree({ group, mark }: ProcessTree): void {
  const found = findMarked(mark);
  signalGroup(group, 'SIGKILL');
  signalEach(found, 'SIGKILL');
}

export function killMarked(mark: string): void {
  signalEach(findMarked(mark), 'SIGKILL');
}

/** A process and everything below it that runs now. */
export function descendantsOf(pid: number): number[] {
  const all = readProcesses();
  const own = all.filter((one) => one.pid === pid);
  return withDescendants(own, all).map((one) => one.pid);
}

async function end(signalAll: (signal: 'SIGTERM' | 'SIGKILL') => void, isAlive: () => boolean): Promise<boolean> {
  signalAll('SIGTERM');
  if (await isGone(isAlive, TERM_GRACE_MS)) return true;
  // Again and again, since what forks faster than we look is a step ahead of the list.
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
    // Looked at once more: its number may have become somebody else's since the list was made.
    if (readProcess(pid)?.started !== started) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // ended meanwhile, or of another user
    }
  }
}

interface Process {
  pid: number;
  parent: number;
  /** In ticks since the machine started: together with the number it means one process alone. */
  started: string;
}

/** Also those that were found before: one without the mark is known only by its parent, which may be gone by now. */
function findAndRemember(mark: string): () => Process[] {
  let known: Process[] = [];
  return () => {
    const found = new Map(findMarked(mark).map((one) => [one.pid, one]));
    for (const one of known) if (readProcess(one.pid)?.started === one.started) found.set(one.pid, one);
    known = [...found.values()];
    return known;
  };
}

/** Those that carry the mark, and what is below them: a child may have been given an empty environment. */
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
  // A map that grows while it is walked is walked to its new end.
  for (const [pid] of found) for (const child of byParent.get(pid) ?? []) found.set(child.pid, child);
  found.delete(process.pid);
  return [...found.values()];
}

/** None where there is no /proc: there, a tree is its process group. */
function readProcesses(): Process[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => readProcess(Number(pid))).filter((one) => one !== undefined);
  } catch {
    return [];
  }
}

/** Undefined for one that has ended, be it that its parent has not yet taken note. */
function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
    const [state = '', parent, , , , , , , , , , , , , , , , , , started = ''] = fields;
    return 'ZX'.includes(state) ? undefined : { pid, parent: Number(parent), started };
  } catch {
    return undefined; // ended while we looked
  }
}

/** The marks in the environment of a process: of the shell that it comes from, and of those around it. */
function marksOf(pid: number): string[] {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const start = environment.indexOf(`\0${MARK_VARIABLE}=`);
    if (start === -1) return [];
    const from = start + MARK_VARIABLE.length + 2;
    const end = environment.indexOf('\0', from);
    return environment.slice(from, end === -1 ? undefined : end).split(':');
  } catch {
    return []; // ended while we looked, or of another user
  }
}

const includesMark = (marks: readonly string[], mark: string): boolean =>
  marks.some((one) => one === mark || one.startsWith(`${mark}.`));
