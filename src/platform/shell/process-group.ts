import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const TERM_GRACE_MS = 1_000; // time to put things in order after SIGTERM, short enough for a person who waits
const KILL_WAIT_MS = 2_000; // SIGKILL needs no consent, but the kernel needs a moment; beyond it we give up waiting
const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;
const WATCH_MS = 1_000;

/** Ends every process of the group: asked first, forced after a grace. False when some could not be ended. */
export async function endGroup(group: number): Promise<boolean> {
  signalGroup(group, 'SIGTERM');
  if (await isGone(group, TERM_GRACE_MS)) return true;
  signalGroup(group, 'SIGKILL');
  return await isGone(group, KILL_WAIT_MS);
}

/** At once and without waiting, for a program that is about to exit. */
export function killGroup(group: number): void {
  signalGroup(group, 'SIGKILL');
}

/** Whether the group still has a process that runs, be it one that may not be signalled. */
export function groupIsAlive(group: number): boolean {
  return signalGroup(group, 0) && hasLivingMember(group);
}

/**
 * A way to end a group much later. The kernel gives a number out again once its group is empty, so the group is watched:
 * what has ended by itself is never signalled again, or a stranger could be hit.
 */
export function groupEnder(group: number, onEnded: () => void = () => {}): () => Promise<void> {
  let ended = false;
  const watch = setInterval(() => {
    if (groupIsAlive(group)) return;
    ended = true;
    onEnded();
    clearInterval(watch);
  }, WATCH_MS).unref();
  return async () => {
    clearInterval(watch);
    if (!ended) await endGroup(group);
    ended = true;
    onEnded();
  };
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // there, but another user's
  }
}

/**
 * An orphan that has ended stays in its group until process 1 takes note, which in a container may be late or never.
 * Where /proc can tell, such remains don't count.
 */
function hasLivingMember(group: number): boolean {
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && livesIn(group, name));
  } catch {
    return true; // no /proc here
  }
}

function livesIn(group: number, pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
    return Number(processGroup) === group && !'ZX'.includes(state);
  } catch {
    return false; // ended while we looked
  }
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (let pause = FIRST_POLL_MS; groupIsAlive(group); pause = Math.min(2 * pause, LAST_POLL_MS)) {
    if (performance.now() > deadline) return false;
    await delay(pause);
  }
  return true;
}
