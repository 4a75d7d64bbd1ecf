// The system folders that a confined command sees: programs, libraries and configuration, never a user's data.
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { namesIn } from '../files/lenient-reads.js';
import { contains, realOf } from './plan-access.js';

const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix', '/gnu'];
const FACTS = [
  '/etc',
  '/sys',
  '/run/utmp',
  '/var/log/wtmp',
  '/var/lib/dpkg',
  '/var/lib/rpm',
  '/var/lib/apt',
  '/var/cache/man',
];

/** Paths in those folders that an unapproved command must not read. Root could read them. */
const SECRETS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/ssh/ssh_host_dsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/krb5.keytab',
  '/etc/apt/auth.conf',
  '/etc/apt/auth.conf.d',
  '/etc/NetworkManager/system-connections',
  '/etc/wireguard',
  '/etc/letsencrypt',
  '/etc/docker/key.json',
  '/etc/kubernetes',
  '/etc/rancher',
];

export interface SystemFolders {
  /** Shown read-only. */
  shown: string[];
  /** Symlinks in the root folder, such as /bin, with their targets. */
  links: Array<{ path: string; target: string }>;
  hidden: readonly string[];
}

export function systemFolders({ path = '', home }: { path?: string | undefined; home: string }): SystemFolders {
  const found = [...PROGRAMS, ...FACTS].filter((folder) => existsSync(folder));
  const isLink = (folder: string): boolean => lstatSync(folder).isSymbolicLink();
  return {
    shown: [...found.filter((folder) => !isLink(folder)), ...toolFolders(path, home)],
    links: [
      ...found.filter(isLink).map((folder) => ({ path: folder, target: readlinkSync(folder) })),
      { path: '/var/run', target: '/run' }, // the C library looks there for the logged-in users
    ],
    hidden: SECRETS,
  };
}

/**
 * Folders on PATH outside the system folders, as version managers create them (`~/.nvm/versions/node/v22/bin`). A
 * program needs the files beside its bin folder, so the parent is shown. The home folder and `~/.local` hold much
 * else, so for those only the folder on PATH is shown.
 */
function toolFolders(path: string, home: string): string[] {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && folder !== sep);
  const beside = folders.flatMap((folder) => {
    const real = realOf(folder);
    if (real === undefined || contains(real, home)) return [];
    const parent = dirname(real);
    const isShared = contains(parent, home) || parent === join(home, '.local') || parent === sep;
    return [folder, isShared ? real : parent];
  });
  const isSystem = (folder: string): boolean => PROGRAMS.some((system) => contains(system, folder));
  const rust = beside.includes(join(home, '.cargo')) ? [join(home, '.rustup')] : [];
  return [...new Set([...beside, ...rust])].filter((folder) => !isSystem(folder) && existsSync(folder));
}

/** Git's settings in a home folder: without them git behaves differently. Never credentials. */
export function gitSettings(home: string): string[] {
  const named = ['config', 'ignore', 'attributes'].map((name) => join(home, '.config/git', name));
  const own = namesIn(home).filter(
    (name) => name.startsWith('.gitconfig') || name === '.gitignore_global' || name === '.mailmap',
  );
  return [...own.map((name) => join(home, name)), ...named];
}
