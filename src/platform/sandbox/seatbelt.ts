import { dirname } from 'node:path';
import { createPlaceholders } from './placeholders.js';
import { type AccessPlan, planAccess, realOf } from './plan-access.js';
import { proxyVariables } from './proxy-forwarder.js';
import type { Sandbox, SandboxPolicy } from './sandbox.js';

/** Apple's own program; a program of the same name elsewhere is not trusted. */
export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/**
 * The macOS sandbox, with a profile that is generated for each command. Unlike on Linux, processes that a command
 * leaves behind keep running (still sandboxed), and the profile itself denies missing protected names.
 */
export function seatbelt(why: string): Sandbox {
  const placeholders = createPlaceholders();
  return {
    kind: 'seatbelt',
    why,
    async wrap({ program, args, cwd, env }, policy) {
      const plan = planAccess(policy, { privatePlaces: [], placeholders });
      return {
        program: SANDBOX_EXEC,
        args: ['-p', seatbeltProfile(plan, policy), program, ...args],
        cwd,
        env: {
          ...env,
          TMPDIR: realOf(policy.temp) ?? policy.temp,
          ...Object.fromEntries(proxyVariables(policy.network)),
        },
        descriptors: [],
        notes: plan.notes,
        started: () => undefined,
        group: (child) => child, // sandbox-exec execs the command
        ended: async () => [],
      };
    },
  };
}

/** The profile's text. If two rules cover one operation, the later one wins. */
export function seatbeltProfile(
  { rules, pinned, missing, links }: Pick<AccessPlan, 'rules' | 'pinned' | 'missing' | 'links'>,
  { network }: Pick<SandboxPolicy, 'network'>,
): string {
  const above = [...new Set(rules.filter(({ access }) => access === 'none').flatMap(({ path }) => foldersAbove(path)))];
  return [
    ...base,
    ...rules.flatMap(({ path, access }) => {
      const place = `(subpath ${quoted(path)})`;
      if (access === 'write') return [`(allow file-read* file-write* ${place})`];
      if (access === 'read') return [`(allow file-read* ${place})`, `(deny file-write* ${place})`];
      return [`(deny file-read* file-write* ${place})`];
    }),
    ...missing.map((path) => `(deny file-write* (subpath ${quoted(path)}))`),
    ...links.map((path) => `(deny file-write* (literal ${quoted(path)}))`),
    ...pinned.map((path) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    ...above.map((path) => `(allow file-read-metadata (literal ${quoted(path)}))`),
    ...(network === 'on' ? networkOn : networkThrough(network)),
    '',
  ].join('\n');
}

const base = [
  '(version 1)',
  '(deny default)',
  '(allow process-exec)',
  '(allow process-fork)',
  '(allow signal (target same-sandbox))',
  '(allow process-info* (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow system-socket)',
  '(allow ipc-posix-sem)',
  '(allow ipc-posix-shm*)',
  '(allow pseudo-tty)',
  '(allow file-read*)',
  '(allow file-ioctl (literal "/dev/dtracehelper") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))',
  '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$") (subpath "/dev/fd"))',
  '(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))',
  // Users and groups, preferences, file events, the user's temporary folders. Neither the keychain nor anything that starts programs.
  ...[
    'com.apple.system.opendirectoryd.libinfo',
    'com.apple.system.opendirectoryd.membership',
    'com.apple.system.notification_center',
    'com.apple.cfprefsd.agent',
    'com.apple.cfprefsd.daemon',
    'com.apple.bsd.dirhelper',
    'com.apple.FSEvents',
    'com.apple.PowerManagement.control',
    'com.apple.logd',
  ].map((name) => `(allow mach-lookup (global-name ${quoted(name)}))`),
];

const networkOn = [
  '(allow network*)',
  ...['com.apple.dnssd.service', 'com.apple.trustd.agent', 'com.apple.SystemConfiguration.configd'].map(
    (name) => `(allow mach-lookup (global-name ${quoted(name)}))`,
  ),
];

/** Only the proxy's port: other services on this machine may belong to anyone. */
function networkThrough(network: SandboxPolicy['network']): string[] {
  if (typeof network !== 'object' || typeof network.address !== 'number') return [];
  return [`(allow network-outbound (remote ip "localhost:${network.address}"))`];
}

/** A string literal of the profile language. Newlines need no escape: only quotes and backslashes are special. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;
}

function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...foldersAbove(parent), parent];
}
