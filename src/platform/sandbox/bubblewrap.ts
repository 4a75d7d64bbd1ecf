import { closeSync, existsSync, lstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { randomId } from '../crypto.js';
import { processStat } from '../process-stat.js';
import { hostSockets } from './host-sockets.js';
import { createPlaceholders, type Placeholders } from './placeholders.js';
import { type AccessPlan, type AccessRule, contains, planAccess, realOf } from './plan-access.js';
import { proxyVariables, throughProxy } from './proxy-forwarder.js';
import type { PlainCommand, Sandbox, SandboxPolicy, WrappedCommand } from './sandbox.js';

const MAX_INFO_BYTES = 4096;
const POLL_MS = 1;
const END_WAIT_MS = 2_000; // the kernel kills the remaining processes at once; after this long one is stuck in disk I/O

export interface BubblewrapOptions {
  /** The path of bwrap. */
  program: string;
  why: string;
  /** The seccomp filter; absent if the kernel or the processor architecture has none. */
  filter?: Buffer | undefined;
  /** The placeholders that all commands share. */
  placeholders?: Placeholders | undefined;
}

/**
 * Linux namespaces through bwrap: the whole disk is read-only except for the paths that the policy opens; the command
 * gets its own PID and network namespaces and no capabilities. Every process started inside ends with the command.
 */
export function bubblewrap({ program, why, filter, placeholders = createPlaceholders() }: BubblewrapOptions): Sandbox {
  const prepare = (command: PlainCommand, { network, temp }: Pick<SandboxPolicy, 'network' | 'temp'>) => {
    const filterFile = filter && openUnlinkedFile(filter);
    const infoFile = openUnlinkedFile();
    const files = filterFile === undefined ? [infoFile] : [infoFile, filterFile];
    const { inside, outside } = splitEnvironment(command.env, realOf(temp) ?? temp);
    const first = command.freeDescriptor;
    const before = [
      ...namespaces(network),
      ...['--info-fd', String(first)],
      ...(filterFile === undefined ? [] : ['--seccomp', String(first + 1)]),
      ...[...inside, ...proxyVariables(network)].flatMap(([name, value]) => ['--setenv', name, value]),
    ];
    const after = ['--', ...throughProxy(command, network)];
    let release = async (): Promise<string[]> => [];
    /** The arguments that depend on the current state of the disk. */
    const build = (policy: SandboxPolicy): { mounts: string[]; notes: readonly string[] } => {
      const plan = planAccess(withoutSockets(policy), { privatePlaces: privatePlaces(), placeholders });
      removePlantedLinks(policy.temp, plan);
      const holding = placeholders.hold(plan);
      release = holding.release;
      const mounts = [...basicMounts(policy), ...mountsOf(plan, holding.held), '--chdir', command.cwd];
      return { mounts, notes: plan.notes };
    };
    const running = {
      program,
      cwd: sep, // the command's own directory may exist only inside the sandbox
      env: outside,
      started: () => {
        if (filterFile !== undefined) closeSync(filterFile);
      },
      group: () => firstPidInside(infoFile),
      async ended() {
        await turn(); // let the caller that awaits the command's result run first
        const leader = firstPidInside(infoFile);
        closeSync(infoFile);
        // bwrap exits a moment before the last process inside does, and that process must not outlive the
        // placeholders.
        const findings = leader === undefined ? [] : await waitForExit(leader);
        return [...findings, ...(await release())];
      },
    };
    return { before, after, files, build, running };
  };

  return {
    kind: 'bubblewrap',
    why,
    async wrap(command, policy) {
      const { before, after, files, build, running } = prepare(command, policy);
      const { mounts, notes } = build(policy);
      return { ...running, args: [...before, ...mounts, ...after], descriptors: files, notes };
    },
    prepare(command, circumstances) {
      const { before, after, files, build, running } = prepare(command, circumstances);
      return {
        ...running,
        // Until it gets its arguments it only waits on the pipe. If this process dies first, the pipe closes and it
        // starts with an empty disk.
        args: [...before, '--args', String(command.freeDescriptor + files.length), ...after],
        descriptors: [...files, 'pipe'],
        applyPolicy(policy, tell) {
          const { mounts, notes } = build(policy);
          tell(mounts.map((argument) => `${argument}\0`).join(''));
          return notes;
        },
      };
    },
  };
}

function namespaces(network: SandboxPolicy['network']): string[] {
  return [
    '--unshare-user-try', // always for an ordinary user; for root if the machine allows it
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...(network === 'on' ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--new-session',
    ...['--cap-drop', 'ALL'],
  ];
}

/** Private replacements for folders of the machine. */
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
    ...(existsSync('/run') ? ['--tmpfs', '/run'] : []), // most services keep their sockets there
    ...neededRunPaths(),
    ...temporaryPlaces().flatMap((path) => ['--bind', policy.temp, path]),
  ];
}

/**
 * Paths below /tmp are mounted inside the private folder that replaces it, where an earlier command may have left
 * symlinks. bwrap would follow them while it still sees the whole disk, and create mount points behind them.
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

/** Files owned by root: root could write them without any capability, and some of them make programs run outside. */
export function kernelSettings(): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['sys', 'sysrq-trigger', 'fs', 'acpi', 'scsi', 'irq', 'bus']
    .map((name) => join('/proc', name))
    .filter((path) => existsSync(path));
}

/** The parts of /run that programs need: the DNS resolver configuration, and on NixOS the paths of all programs. */
function neededRunPaths(): string[] {
  const servers = realOf('/etc/resolv.conf');
  const programs = '/run/current-system';
  return [
    ...(servers !== undefined && contains('/run', servers) ? ['--ro-bind', servers, servers] : []),
    ...(existsSync(programs) ? ['--symlink', realOf(programs) ?? programs, programs] : []),
  ];
}

function withoutSockets(policy: SandboxPolicy): SandboxPolicy {
  const { network, hidden, readOnly } = policy;
  const door = typeof network === 'object' && typeof network.address === 'string' ? network.address : undefined;
  const others = hostSockets().filter((path) => path !== door && isSocket(path));
  return {
    ...policy,
    hidden: [...hidden, ...others],
    readOnly: door === undefined ? readOnly : [...readOnly, dirname(door)],
  };
}

const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** From the root down, since a mount hides everything mounted below it earlier. */
function mountsOf({ rules, pinned }: AccessPlan, held: readonly string[]): string[] {
  const all: AccessRule[] = [
    ...rules,
    ...pinned.map((path): AccessRule => ({ path, access: 'write', folder: true })),
    ...held.map((path): AccessRule => ({ path, access: 'read', folder: true })),
  ];
  const ordered = all.toSorted((a, b) => a.path.split(sep).length - b.path.split(sep).length);
  // Remounted read-only last, after the mount points below them have been created.
  const emptied = ordered.filter(({ access, folder }) => access === 'none' && folder);
  return [...ordered.flatMap(mountOf), ...emptied.flatMap(({ path }) => ['--remount-ro', path])];
}

/** The options of bubblewrap that give a command this access. */
export function mountOf({ path, access, folder }: AccessRule): string[] {
  if (access === 'write') return ['--bind', path, path];
  if (access === 'read') return ['--ro-bind', path, path];
  if (folder) return ['--perms', '0555', '--tmpfs', path];
  return ['--ro-bind', '/dev/null', path]; // a device file; devices can't be opened inside
}

/** An unlinked file, so that no other program can change it. Reads start at offset 0. */
export function openUnlinkedFile(content: Uint8Array = new Uint8Array()): number {
  const path = join(tmpdir(), `helve-${randomId()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  writeSync(descriptor, content, 0, content.length, 0);
  return descriptor;
}

/** Would make bwrap itself, which runs outside the sandbox, load code. */
const LOADER_VARIABLE = /^(?:LD_|MALLOC_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$)/;

/** Point to sockets that do not exist inside; without these variables programs don't try to connect. */
const SOCKET_VARIABLE =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GIT_ASKPASS|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX|TMUX_PANE|STY|VSCODE_.*IPC.*)$/;

export function splitEnvironment(
  env: PlainCommand['env'],
  temp: string,
): { inside: Array<[name: string, value: string]>; outside: WrappedCommand['env'] } {
  const inside: Array<[string, string]> = [];
  const outside: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || SOCKET_VARIABLE.test(name)) continue;
    if (LOADER_VARIABLE.test(name)) inside.push([name, value]);
    else outside[name] = value;
  }
  outside['TMPDIR'] = temp;
  return { inside, outside };
}

/** The first process inside is the session leader of the command. It ignores SIGTERM, so it exits last. */
export function firstPidInside(infoFile: number): number | undefined {
  const bytes = Buffer.alloc(MAX_INFO_BYTES);
  const length = readSync(infoFile, bytes, 0, bytes.length, 0);
  const [, pid] = /"child-pid": *(\d+)/.exec(bytes.toString('latin1', 0, length)) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

export async function waitForExit(first: number): Promise<string[]> {
  for (let waited = 0; isRunning(first); waited += POLL_MS) {
    if (waited >= END_WAIT_MS) return [`Processes of the command still run in their sandbox (first process ${first}).`];
    await delay(POLL_MS);
  }
  return [];
}

/** Once the first process of a PID namespace is a zombie, all other processes in it are gone. */
function isRunning(pid: number): boolean {
  try {
    const [state = ''] = processStat(pid);
    return !'ZX'.includes(state);
  } catch {
    return false;
  }
}
