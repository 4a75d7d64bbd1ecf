import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** Polls for the effects of other processes, which send no events to wait for. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`still not so: ${condition}`);
    await delay(5);
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc/self/stat')) return true;
  try {
    // A killed process stays in the process table until its parent, which may be slow, has reaped it.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // it has just ended
  }
}

/** Whether a file exists and its last line is complete. */
export const isWritten = (file: string): boolean => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');

/** The PIDs in a file, one per line. */
export const pidsIn = (file: string): number[] => readFileSync(file, 'utf8').trim().split(/\s+/).map(Number);
