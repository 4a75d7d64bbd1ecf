import { expect, test } from 'vitest';
import { mayLackNamespaces, whyUnavailable } from './why-unavailable.js';

const machine =
  (files: Readonly<Record<string, string>>) =>
  (path: string): string | undefined =>
    files[path];

const noPermission = 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it.';
const uidMap = 'bwrap: setting up uid map: Permission denied';

test.each<[name: string, failure: string, files: Record<string, string>, expected: RegExp]>([
  [
    "Ubuntu's AppArmor rule",
    uidMap,
    { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n' },
    /AppArmor .*apparmor_restrict_unprivileged_userns = 1.*profile with "userns,"/,
  ],
  [
    "Ubuntu's AppArmor rule, seen with the first address of the network",
    'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
    { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' },
    /AppArmor/,
  ],
  [
    "Debian's switch",
    noPermission,
    {
      '/proc/sys/kernel/unprivileged_userns_clone': '0',
      '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '0',
    },
    /sysctl -w kernel\.unprivileged_userns_clone=1/,
  ],
  [
    'a limit of none',
    'bwrap: Creating new namespace failed: No space left on device',
    { '/proc/sys/user/max_user_namespaces': '0' },
    /sysctl -w user\.max_user_namespaces=/,
  ],
  [
    'Docker',
    'bwrap: Creating new namespace failed: Operation not permitted',
    { '/.dockerenv': '' },
    /this container permits no user namespaces; start it with "--security-opt seccomp=unconfined/,
  ],
  ['Kubernetes', noPermission, { '/proc/1/cgroup': '0::/kubepods/pod1' }, /this container/],
  ['another filter', noPermission, { '/proc/self/status': 'Name:\tx\nSeccomp:\t2\n' }, /a filter of system calls/],
  [
    'a masked /proc',
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    { '/.dockerenv': '' },
    /parts of \/proc are masked.*systempaths=unconfined/,
  ],
  ['an old bwrap', 'bwrap: Unknown option --perms', {}, /too old and does not know --perms; install bubblewrap 0\.8/],
  ['a machine that says nothing', uidMap, {}, /keeps ordinary users from making user namespaces; see/],
  ['something else', 'bwrap: execvp true: No such file or directory', {}, /cause is not known; run "bwrap/],
])('%s is recognised, and one sentence says what to do', (_name, failure, files, expected) => {
  const why = whyUnavailable('/usr/bin/bwrap', failure, machine(files));
  expect(why).toMatch(/^\/usr\/bin\/bwrap does not work here \(.*\), so commands run without a sandbox: /);
  expect(why).toMatch(expected);
  expect(why.match(/\.(?=\s|$)/g)).toHaveLength(1);
});

test('a machine without signs of a missing sandbox is assumed to have one until it is tried', () => {
  const ordinary = {
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '0',
    '/proc/sys/kernel/unprivileged_userns_clone': '1',
    '/proc/sys/user/max_user_namespaces': '100000',
    '/proc/self/status': 'Seccomp:\t0\n',
    '/proc/1/cgroup': '0::/init.scope',
  };
  expect(mayLackNamespaces(machine({}))).toBe(false);
  expect(mayLackNamespaces(machine(ordinary))).toBe(false);
  expect(mayLackNamespaces(machine({ ...ordinary, '/.dockerenv': '' }))).toBe(true);
  expect(mayLackNamespaces(machine({ ...ordinary, '/proc/self/status': 'Seccomp:\t2\n' }))).toBe(true);
});
