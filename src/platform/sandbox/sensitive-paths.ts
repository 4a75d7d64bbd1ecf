import { join } from 'node:path';

/** Credentials below the home folder. A command that needs one of them declares it, and the person is asked. */
const secrets = [
  '.ssh',
  '.gnupg',
  '.pki',
  '.password-store',
  '.local/share/keyrings',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/doctl',
  '.config/hcloud',
  '.oci',
  '.kube',
  '.docker/config.json',
  '.docker/run', // sockets of Docker Desktop: access to them is equivalent to root
  '.config/containers/auth.json',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.config/gh/hosts.yml',
  '.config/glab-cli/config.yml',
  '.npmrc',
  '.pypirc',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.pgpass',
  '.my.cnf',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.config/op',
  '.config/google-chrome',
  '.config/chromium',
  '.mozilla',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
];

/** Files in the home folder that a shell or another program reads at start-up. */
const startUpFiles = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.config/fish',
  '.inputrc',
  '.gitconfig',
  '.config/git',
  '.ripgreprc',
  '.config/autostart',
  '.config/systemd',
  '.local/bin',
  'bin',
  'Library/LaunchAgents',
];

/** Files below a workspace that a program outside the sandbox executes, or takes its policy from. */
const executedByOthers = [
  '.git/hooks',
  '.git/config',
  '.git/commondir', // names another folder for hooks and configuration
  '.git/config.worktree',
  '.helve',
  '.claude',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.cursor',
  '.husky',
];

/**
 * The keys and credentials below a home folder, and Helve's own data. Readable parts of that data, such as saved
 * results, are listed in the policy's `readOnly`: those paths are deeper, so they win.
 */
export function secretPaths(home: string, helveHome: string): string[] {
  return [...secrets.map((path) => join(home, path)), join(home, '.helve'), helveHome];
}

/**
 * The paths below the workspace folders that stay read-only, existing or not, and the start-up files of a home folder
 * that happens to be writable.
 */
export function protectedPaths(folders: readonly string[], home: string): string[] {
  return [
    ...folders.flatMap((folder) => executedByOthers.map((path) => join(folder, path))),
    ...startUpFiles.map((path) => join(home, path)),
  ];
}
