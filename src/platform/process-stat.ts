import { readFileSync } from 'node:fs';

/**
 * The fields of /proc/PID/stat from the third on, the state; the name before it may contain any character. Throws if
 * there is no such process, or no /proc. Synchronous: it is not on a disk, and a thread-pool round trip takes longer
 * than the read.
 */
export function processStat(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
