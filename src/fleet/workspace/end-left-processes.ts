// Ends what a lost worker of this machine has left running in a workspace.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isInside } from '../../platform/files/paths.js';
import { MARK_VARIABLE } from '../../platform/shell/process-tree.js';

/** Ends the processes that Helve has started and whose current folder is in the given one. Linux only. */
export function endProcessesIn(folder: string): void {
  for (const pid of pids()) {
    try {
      if (pid === process.pid || !isInside(folder, readlinkSync(`/proc/${pid}/cwd`))) continue;
      const isMarked = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${MARK_VARIABLE}=`);
      if (isMarked) process.kill(pid, 'SIGKILL');
    } catch {
      // ended meanwhile, or of another user
    }
  }
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // no /proc
  }
}
