import { existsSync, readFileSync } from 'node:fs';

/** Reads a system file; undefined if it does not exist or can't be read. */
export type ReadMachine = (path: string) => string | undefined;

export const readMachine: ReadMachine = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return existsSync(path) ? '' : undefined;
  }
};

const APPARMOR = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
const CLONE = '/proc/sys/kernel/unprivileged_userns_clone';
const MOST = '/proc/sys/user/max_user_namespaces';

/** Kernel settings that keep unprivileged users from creating user namespaces, each with its fix. */
const kernelSettings: ReadonlyArray<{ path: string; value: string; what: string; remedy: string }> = [
  {
    path: APPARMOR,
    value: '1',
    what: 'AppArmor lets no program make user namespaces without a profile that permits it (kernel.apparmor_restrict_unprivileged_userns = 1, as on Ubuntu 24.04)',
    remedy: 'give bwrap a profile with "userns," in /etc/apparmor.d, as docs/install.md shows',
  },
  {
    path: CLONE,
    value: '0',
    what: 'user namespaces are switched off for ordinary users (kernel.unprivileged_userns_clone = 0, as on older Debian)',
    remedy: 'run "sudo sysctl -w kernel.unprivileged_userns_clone=1"',
  },
  {
    path: MOST,
    value: '0',
    what: 'no user namespaces can be made (user.max_user_namespaces = 0)',
    remedy: 'run "sudo sysctl -w user.max_user_namespaces=15000"',
  },
];

const valueAt = (read: ReadMachine, path: string): string | undefined => read(path)?.trim();

/** For a container or another sandbox whose seccomp filter refuses namespaces. */
function isContainer(read: ReadMachine): boolean {
  if (['/.dockerenv', '/run/.containerenv'].some((path) => read(path) !== undefined)) return true;
  return /docker|kubepods|containerd|lxc|libpod/.test(read('/proc/1/cgroup') ?? '');
}

const isFiltered = (read: ReadMachine): boolean => /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? '');

/**
 * Known reasons, found without starting a process, why bubblewrap may not work here. An empty result proves nothing:
 * only a trial run does.
 */
export function mayLackNamespaces(read: ReadMachine = readMachine): boolean {
  return (
    isFiltered(read) || isContainer(read) || kernelSettings.some(({ path, value }) => valueAt(read, path) === value)
  );
}

export const bubblewrapMissing =
  'bwrap was not found in the system folders on PATH, so commands run without a sandbox: install it with "apt install bubblewrap", "dnf install bubblewrap" or "pacman -S bubblewrap".';

/** One sentence: bwrap's error, its cause on this machine, and how to get a sandbox. */
export function whyUnavailable(program: string, failure: string, read: ReadMachine = readMachine): string {
  const { what, remedy } = causeOf(failure, read);
  const said = failure.replace(/^bwrap: /, '').replace(/(?<![.\s])[.\s]+$/, '');
  return `${program} does not work here (${said}), so commands run without a sandbox: ${what}; ${remedy}.`;
}

function causeOf(failure: string, read: ReadMachine): { what: string; remedy: string } {
  const [, option] = /unknown option (--?[\w-]+)/i.exec(failure) ?? [];
  if (option !== undefined) {
    return { what: `this bwrap is too old and does not know ${option}`, remedy: 'install bubblewrap 0.8 or newer' };
  }
  if (/mount proc/i.test(failure)) {
    return {
      what: 'parts of /proc are masked, as containers do, so that no new one can be mounted',
      remedy: 'start the container with "--security-opt systempaths=unconfined" (Kubernetes: procMount Unmasked)',
    };
  }
  if (
    !/uid map|gid map|namespace|CLONE_NEW|clone|unshare|RTM_NEWADDR|not permitted|permission denied|no space left/i.test(
      failure,
    )
  ) {
    return { what: 'the cause is not known', remedy: 'run "bwrap --ro-bind / / --unshare-all true" to see it' };
  }
  const setting = kernelSettings.find(({ path, value }) => valueAt(read, path) === value);
  if (setting) return setting;
  if (isContainer(read)) {
    return {
      what: 'this container permits no user namespaces',
      remedy:
        'start it with "--security-opt seccomp=unconfined --security-opt apparmor=unconfined", or with a seccomp profile that permits clone, unshare and mount',
    };
  }
  if (isFiltered(read)) {
    return {
      what: 'a filter of system calls around this process permits no user namespaces',
      remedy: 'start Helve outside of the service or sandbox that sets it',
    };
  }
  return {
    what: 'this system keeps ordinary users from making user namespaces',
    remedy: 'see "Where the sandbox does not work" in docs/install.md',
  };
}

/** The same for callers that refuse commands instead of running them without a sandbox. */
export const withoutConsequence = (why: string): string =>
  why.replace(/, so commands run without (?:a sandbox|one)/, '');
