import { join } from 'node:path';

/** Below the home folder: what opens other doors. A command that needs one of them says so and is asked about. */
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
  '.docker/run', // sockets of Docker Desktop: whoever reaches them is root
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

/** Read by a shell at its start, or by a program at every start, from the home folder. */
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

/** Below a workspace: what some program outside the sandbox executes, or takes its policy from. */
const executedByOthers = [
  '.git/hooks',
  '.git/config',
  '.git/commondir', // names another folder to take hooks and configuration from
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
 * The keys and credentials below a home folder, and Helve's own data. What of that data may be read, such as the saved
 * results, is named in the policy's `readOnly`: it lies deeper, and so wins.
 */
export function secretPaths(home: string, helveHome: string): string[] {
  return [...secrets.map((path) => join(home, path)), join(home, '.helve'), helveHome];
}

/**
 * What stays as it is below the folders of a workspace, existing or not, and what a home folder that happens to be
 * writable starts.
 */
export function protectedPaths(folders: readonly string[], home: string): string[] {
  return [
    ...folders.flatMap((folder) => executedByOthers.map((path) => join(folder, path))),
    ...startUpFiles.map((path) => join(home, path)),
  ];
}
