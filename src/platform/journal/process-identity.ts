import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { codeOf } from '../error-code.js';
import { once } from '../lazy.js';
import { processStat } from '../process-stat.js';

const FOREIGN_LEASE_MS = 10 * 60_000; // far longer than any change takes
const CLOCK_SLACK_MS = 5_000; // `ps` reports the start time to the second, and ours is computed

/** Identifies one run of a program. A process id alone is reused sooner or later. */
export interface ProcessIdentity {
  pid: number;
  /** With /proc, in clock ticks since boot; otherwise in milliseconds since the epoch. */
  started: number;
  /** The boot id; empty if unknown. */
  boot: string;
  /** The PID namespace: a container has its own. */
  space: string;
  host: string;
}

/** A child of this process; undefined if the system does not report it, or it has ended. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = startTicks(pid);
  if (started === undefined || started === 'ended') return undefined;
  return { pid, started, boot: bootId(), space: processSpace(), host: hostname() };
}

export async function thisProcess(): Promise<ProcessIdentity> {
  const { pid } = process;
  const known = fromSystem();
  const { started, boot, space } = known ?? {
    started: Math.round(Date.now() - process.uptime() * 1_000),
    boot: '',
    space: '',
  };
  return { pid, started, boot, space, host: hostname() };
}

/** What never changes; undefined if the system does not report it. */
const fromSystem = once(() => {
  const started = startTicks(process.pid);
  if (started === undefined || started === 'ended') return undefined;
  return { started, boot: bootId(), space: processSpace() };
});

/**
 * Whether the process is still running, as seen by `ours`; true if that can't be determined. A process of another
 * machine or container can't be inspected: it counts as dead once its record is older than any change could take.
 */
export async function isRunning(theirs: ProcessIdentity, leftAt: number, ours: ProcessIdentity): Promise<boolean> {
  if (theirs.host !== ours.host || theirs.space !== ours.space) return Date.now() - leftAt < FOREIGN_LEASE_MS;
  if (theirs.boot !== ours.boot) return false; // the machine has been rebooted since
  if (theirs.pid === ours.pid) return theirs.started === ours.started;
  if (ours.boot !== '') return startTicks(theirs.pid) === theirs.started;
  return exists(theirs.pid) && !(await startedAfter(theirs));
}

/** Whether an unreadable record, as after a power failure, is certainly stale. */
export const isStale = (leftAt: number): boolean =>
  leftAt < Date.now() - uptime() * 1_000 || Date.now() - leftAt > FOREIGN_LEASE_MS;

// Files below /proc are read synchronously: they are not on a disk, and a thread-pool round trip takes longer than
// the read.

/** `ended` for a process that has ended, even if it is still a zombie; undefined if there is no /proc. */
function startTicks(pid: number): number | 'ended' | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const fields = processStat(pid);
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : Number(fields[19]);
  } catch {
    return existsSync('/proc/self/stat') ? 'ended' : undefined;
  }
}

const bootId = (): string => orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());

const processSpace = (): string => orEmpty(() => readlinkSync('/proc/self/ns/pid'));

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM'; // it exists, but belongs to another user
  }
}

/** Whether the PID has been reused by a later process. */
async function startedAfter({ pid, started }: ProcessIdentity): Promise<boolean> {
  const { execFile } = await import('node:child_process');
  const shown = await new Promise<string>((resolve) => {
    execFile('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } }, (_error, text) =>
      resolve(text),
    );
  });
  return Date.parse(shown) - started > CLOCK_SLACK_MS; // no output parses to NaN, which proves nothing
}
