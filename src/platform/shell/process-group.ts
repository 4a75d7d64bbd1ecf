import { readdirSync } from 'node:fs';
import { codeOf } from '../error-code.js';
import { processStat } from '../process-stat.js';

const WATCH_MS = 1_000;

/** Whether the group still has a running process, including one that we may not signal. */
export function groupIsAlive(group: number): boolean {
  return signalGroup(group, 0) && hasLivingMember(group);
}

/**
 * Watches a group for as long as it has members. The kernel reuses a process group id once the group is empty, so a
 * group that has ended by itself must never be signalled again, or an unrelated process could be hit.
 */
export function watchGroup(group: number, onEnded: () => void): { readonly ended: boolean; stop(): void } {
  let ended = !groupIsAlive(group);
  const watch = setInterval(() => {
    if (groupIsAlive(group)) return;
    ended = true;
    onEnded();
    clearInterval(watch);
  }, WATCH_MS).unref();
  return {
    get ended() {
      return ended;
    },
    stop: () => clearInterval(watch),
  };
}

/** Resolves when the group has no members any more. */
export function groupEnds(group: number): Promise<void> {
  return new Promise((resolve) => {
    if (watchGroup(group, resolve).ended) resolve();
  });
}

/** Whether there was a process to signal. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    return codeOf(error) === 'EPERM'; // it exists, but belongs to another user
  }
}

/**
 * A zombie orphan stays in its group until process 1 reaps it, which in a container may be late or never. If /proc is
 * available, zombies don't count.
 */
function hasLivingMember(group: number): boolean {
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && livesIn(group, name));
  } catch {
    return true; // there is no /proc
  }
}

function livesIn(group: number, pid: string): boolean {
  try {
    const [state = '', , processGroup] = processStat(pid);
    return Number(processGroup) === group && !'ZX'.includes(state);
  } catch {
    return false; // ended meanwhile
  }
}
