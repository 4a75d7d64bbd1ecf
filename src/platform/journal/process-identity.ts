import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

const FOREIGN_LEASE_MS = 10 * 60_000; // far longer than any change takes
const CLOCK_SLACK_MS = 5_000; // `ps` tells a start to the second, and ours is computed

/** One run of one program. A process id alone comes back to somebody else, sooner or later. */
export interface ProcessIdentity {
  pid: number;
  /** Where there is /proc, in ticks since the machine started; elsewhere in milliseconds since the epoch. */
  started: number;
  /** Which start of the machine; empty where it can't be told. */
  boot: string;
  /** Within which world of process ids: a container has its own. */
  space: string;
  host: string;
}

/** A process that this one has started; undefined where the system does not tell, or it has ended. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = startTicks(pid);
  if (started === undefined || started === 'ended') return undefined;
  return { pid, started, boot: bootId(), space: processSpace(), host: hostname() };
}

export async function thisProcess(): Promise<ProcessIdentity> {
  const ticks = startTicks(process.pid);
  const known = ticks !== undefined && ticks !== 'ended';
  return {
    pid: process.pid,
    started: known ? ticks : Math.round(Date.now() - process.uptime() * 1_000),
    boot: known ? bootId() : '',
    space: known ? processSpace() : '',
    host: hostname(),
  };
}

/**
 * Whether the process still runs, as seen by `ours`; where that can't be known, yes. A process of another machine or
 * container can't be looked at: it counts as ended when what it left is older than anything that it could still be at.
 */
export async function isRunning(theirs: ProcessIdentity, leftAt: number, ours: ProcessIdentity): Promise<boolean> {
  if (theirs.host !== ours.host || theirs.space !== ours.space) return Date.now() - leftAt < FOREIGN_LEASE_MS;
  if (theirs.boot !== ours.boot) return false; // the machine was started anew since
  if (theirs.pid === ours.pid) return theirs.started === ours.started;
  if (ours.boot !== '') return startTicks(theirs.pid) === theirs.started;
  return exists(theirs.pid) && !(await startedAfter(theirs));
}

/** Whether something that can't be read, as after a power cut, was surely left behind. */
export const isStale = (leftAt: number): boolean =>
  leftAt < Date.now() - uptime() * 1_000 || Date.now() - leftAt > FOREIGN_LEASE_MS;

// What is below /proc is read at once: it is on no disk, and to wait for a reader takes longer than to read it.

/** `ended` for one that has, be it that its parent has not yet taken note; undefined where there is no /proc. */
function startTicks(pid: number): number | 'ended' | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' '); // the name before may hold anything
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
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // there, but another user's
  }
}

/** Whether the number has been given to a later process since. */
async function startedAfter({ pid, started }: ProcessIdentity): Promise<boolean> {
  const { execFile } = await import('node:child_process');
  const shown = await new Promise<string>((resolve) => {
    execFile('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } }, (_error, text) =>
      resolve(text),
    );
  });
  return Date.parse(shown) - started > CLOCK_SLACK_MS; // nothing shown is no number, and no proof
}
