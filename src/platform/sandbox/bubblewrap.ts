import { closeSync, existsSync, lstatSync, openSync, readFileSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { randomId } from '../crypto.js';
import { hostSockets } from './host-sockets.js';
import { createPlaceholders } from './placeholders.js';
import { type AccessPlan, type AccessRule, contains, planAccess, realOf } from './plan-access.js';
import type { PlainCommand, Sandbox, SandboxPolicy, WrappedCommand } from './sandbox.js';

const MAX_INFO_BYTES = 4096;
const POLL_MS = 1;
const END_WAIT_MS = 2_000; // the kernel kills what is left at once; beyond this it hangs in a disk

export interface BubblewrapOptions {
  /** Where bwrap is. */
  program: string;
  why: string;
  /** The filter of system calls; absent where the kernel or the processor has none. */
  filter?: Buffer | undefined;
}

/**
 * Linux namespaces by way of bwrap: the whole disk read-only but for what the policy opens, processes and network of its
 * own, no capabilities. All of it ends with the command, whatever was started there.
 */
export function bubblewrap({ program, why, filter }: BubblewrapOptions): Sandbox {
  const placeholders = createPlaceholders();
  return {
    kind: 'bubblewrap',
    why,
    async wrap(command, policy) {
      const plan = planAccess(withoutSockets(policy), { privatePlaces: privatePlaces(), placeholders });
      removePlantedLinks(policy.temp, plan);
      const filterFile = filter && openNameless(filter);
      const infoFile = openNameless();
      const { held, release } = placeholders.hold(plan);
      const { inside, outside } = splitEnvironment(command.env, realOf(policy.temp) ?? policy.temp);
      const args = [
        ...namespaces(policy),
        ...basicMounts(policy),
        ...mountsOf(plan, held),
        ...['--info-fd', String(command.freeDescriptor)],
        ...(filterFile === undefined ? [] : ['--seccomp', String(command.freeDescriptor + 1)]),
        ...inside.flatMap(([name, value]) => ['--setenv', name, value]),
        ...['--chdir', command.cwd, '--', command.program, ...command.args],
      ];
      return {
        program,
        args,
        cwd: sep, // the command's own may be inside only
        env: outside,
        descriptors: filterFile === undefined ? [infoFile] : [infoFile, filterFile],
        notes: plan.notes,
        started: () => {
          if (filterFile !== undefined) closeSync(filterFile);
        },
        group: () => firstInside(infoFile),
        async ended() {
          const first = firstInside(infoFile);
          closeSync(infoFile);
          // bwrap ends a moment before the last process inside does, and that one must not find its walls gone.
          const findings = first === undefined ? [] : await waitForEnd(first);
          return [...findings, ...(await release())];
        },
      } satisfies WrappedCommand;
    },
  };
}

function namespaces({ network }: SandboxPolicy): string[] {
  return [
    '--unshare-user-try', // always for an ordinary user; for root where the machine allows it
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...(network === 'off' ? ['--unshare-net'] : []),
    '--die-with-parent',
    '--new-session',
    ...['--cap-drop', 'ALL'],
  ];
}

/** What a command has for itself instead of the machine's own. */
function privatePlaces(): string[] {
  return ['/dev', '/proc', '/run', ...temporaryPlaces()];
}

const temporaryPlaces = (): string[] => [...new Set(['/tmp', '/var/tmp'].flatMap((path) => realOf(path) ?? []))];

function basicMounts(policy: SandboxPolicy): string[] {
  return [
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...kernelSettings().flatMap((path) => ['--ro-bind', path, path]),
    ...(existsSync('/run') ? ['--tmpfs', '/run'] : []), // where the sockets of nearly all services are
    ...keptOfRun(),
    ...temporaryPlaces().flatMap((path) => ['--bind', policy.temp, path]),
  ];
}

/**
 * What lies below /tmp is mounted inside the private folder that stands for it, and an earlier command may have put links
 * there. bwrap would follow them while it still sees the whole disk, and make the places for its mounts behind them.
 */
function removePlantedLinks(temp: string, { rules }: AccessPlan): void {
  for (const place of temporaryPlaces()) {
    for (const { path } of rules.filter((rule) => contains(place, rule.path))) {
      let at = temp;
      for (const name of relative(place, path).split(sep)) {
        at = join(at, name);
        if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(at);
      }
    }
  }
}

/** Owned by root, so that root may write them without any capability, and with some of them run programs outside. */
function kernelSettings(): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['sys', 'sysrq-trigger', 'fs', 'acpi', 'scsi']
    .map((name) => join('/proc', name))
    .filter((path) => existsSync(path));
}

/** What programs need of /run: the addresses of name servers, and on NixOS the way to all programs. */
function keptOfRun(): string[] {
  const servers = realOf('/etc/resolv.conf');
  const programs = '/run/current-system';
  return [
    ...(servers !== undefined && contains('/run', servers) ? ['--ro-bind', servers, servers] : []),
    ...(existsSync(programs) ? ['--symlink', realOf(programs) ?? programs, programs] : []),
  ];
}

function withoutSockets(policy: SandboxPolicy): SandboxPolicy {
  return { ...policy, hidden: [...policy.hidden, ...hostSockets().filter(isSocket)] };
}

const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** From the root down, since a mount hides what was mounted below it before. */
function mountsOf({ rules, pinned }: AccessPlan, held: readonly string[]): string[] {
  const all: AccessRule[] = [
    ...rules,
    ...pinned.map((path): AccessRule => ({ path, access: 'write', folder: true })),
    ...held.map((path): AccessRule => ({ path, access: 'read', folder: true })),
  ];
  const ordered = all.toSorted((a, b) => a.path.split(sep).length - b.path.split(sep).length);
  // Read-only at the very end, when the places for mounts below them have been made.
  const emptied = ordered.filter(({ access, folder }) => access === 'none' && folder);
  return [...ordered.flatMap(mountOf), ...emptied.flatMap(({ path }) => ['--remount-ro', path])];
}

function mountOf({ path, access, folder }: AccessRule): string[] {
  if (access === 'write') return ['--bind', path, path];
  if (access === 'read') return ['--ro-bind', path, path];
  if (folder) return ['--perms', '0555', '--tmpfs', path];
  return ['--ro-bind', '/dev/null', path]; // a device, and devices don't open here
}

/** A file without a name, so that no other program can change it. Reading it starts at the beginning. */
function openNameless(content: Uint8Array = new Uint8Array()): number {
  const path = join(tmpdir(), `helve-${randomId()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  writeSync(descriptor, content, 0, content.length, 0);
  return descriptor;
}

/** Would make bwrap itself load code, and bwrap stands outside. */
const LOADER_VARIABLE = /^(?:LD_|MALLOC_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$)/;

/** Lead to sockets that are not there inside; without them programs don't even try. */
const SOCKET_VARIABLE =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GIT_ASKPASS|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX|TMUX_PANE|STY|VSCODE_.*IPC.*)$/;

function splitEnvironment(
  env: PlainCommand['env'],
  temp: string,
): { inside: Array<[name: string, value: string]>; outside: WrappedCommand['env'] } {
  const inside: Array<[string, string]> = [];
  const outside: WrappedCommand['env'] = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || SOCKET_VARIABLE.test(name)) continue;
    if (LOADER_VARIABLE.test(name)) inside.push([name, value]);
    else outside[name] = value;
  }
  outside['TMPDIR'] = temp;
  return { inside, outside };
}

/** The first process inside leads the session of the command. It is not ended by a polite signal itself, so it goes last. */
function firstInside(infoFile: number): number | undefined {
  const bytes = Buffer.alloc(MAX_INFO_BYTES);
  const length = readSync(infoFile, bytes, 0, bytes.length, 0);
  const [, pid] = /"child-pid": *(\d+)/.exec(bytes.toString('latin1', 0, length)) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

async function waitForEnd(first: number): Promise<string[]> {
  for (let waited = 0; isRunning(first); waited += POLL_MS) {
    if (waited >= END_WAIT_MS) return [`Processes of the command still run in their sandbox (first process ${first}).`];
    await delay(POLL_MS);
  }
  return [];
}

/** Once the first process of a PID namespace is a zombie, all others in it have gone. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
