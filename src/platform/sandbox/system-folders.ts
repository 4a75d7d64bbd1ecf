// Which folders of the system a confined command sees: programs, libraries and configuration, never a user's data.
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
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

/** In those folders, but not to be read by a command that was not approved. Root could read them. */
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
  /** Links at the root of the disk, such as /bin, with what they lead to. */
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
      { path: '/var/run', target: '/run' }, // where the C library looks for who is logged in
    ],
    hidden: SECRETS,
  };
}

/**
 * Folders that PATH names outside of the system, as version managers make them (`~/.nvm/versions/node/v22/bin`): a
 * program is of no use without what lies beside its folder. The home folder itself and `~/.local` hold much else, so of
 * those only the folder on PATH is shown.
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

/** What git takes its settings from in a home folder: without it git would answer otherwise. Never credentials. */
export function gitSettings(home: string): string[] {
  const named = ['config', 'ignore', 'attributes'].map((name) => join(home, '.config/git', name));
  const own = namesIn(home).filter(
    (name) => name.startsWith('.gitconfig') || name === '.gitignore_global' || name === '.mailmap',
  );
  return [...own.map((name) => join(home, name)), ...named];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is no home folder here
  }
}
