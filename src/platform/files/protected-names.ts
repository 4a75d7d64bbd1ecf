// Names of files and folders that run programs or hold secrets, and so are never written without a question.
// Permissions check paths against them; the command analysis looks for them in copied trees.

export const PROTECTED_FOLDERS: ReadonlySet<string> = new Set([
  ...['.git', '.hg', '.svn', '.jj', '.vscode', '.idea', '.husky', '.cargo', '.devcontainer', '.yarn', '.mvn'],
  ...['.claude', '.helve', '.ssh', '.gnupg', '.aws', '.kube', '.password-store'],
]);

export const PROTECTED_FILES: ReadonlySet<string> = new Set([
  ...['.gitconfig', '.gitmodules', '.envrc', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnp.cjs', '.pnp.loader.mjs'],
  ...['.pnpmfile.cjs', 'bunfig.toml', '.bunfig.toml', '.bazelrc', '.bazelversion', '.bazeliskrc', '.ripgreprc'],
  ...['.pre-commit-config.yaml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml'],
  ...['gradle-wrapper.properties', 'maven-wrapper.properties', '.devcontainer.json', 'pyrightconfig.json'],
  ...['.mcp.json', '.claude.json', '.netrc', '_netrc', '.pgpass', '.pypirc', '.git-credentials', 'authorized_keys'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.zshrc', '.zshenv'],
  ...['.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc', '.login', '.logout', '.inputrc', '.xprofile'],
  ...['.xinitrc', '.xsessionrc', '.vimrc', '.emacs', '.tmux.conf', '.screenrc', '.wgetrc', '.curlrc'],
]);

export const PROTECTED_ENDINGS = [
  ...['.cursor/mcp.json', '.gemini/settings.json', '.codex/config.toml', '.config/fish/config.fish'],
  '.config/powershell/profile.ps1',
];

const FREE_ENVIRONMENT = /^\.env\.(example|sample|template|tmpl|dist|defaults?|schema)$/;

export const holdsSecrets = (name: string): boolean =>
  name === '.env' || (name.startsWith('.env.') && !FREE_ENVIRONMENT.test(name));

export const isPrivateKey = (name: string): boolean => /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/.test(name);

/**
 * Whether a path that contains this name may be protected: a quick filter for the few paths of a tree that need a full
 * check.
 */
export function mayBeProtected(name: string): boolean {
  const plain = name.normalize('NFKC').toLowerCase();
  return (
    PROTECTED_FOLDERS.has(plain) ||
    PROTECTED_FILES.has(plain) ||
    PROTECTED_ENDINGS.some((ending) => ending.startsWith(`${plain}/`)) ||
    plain === 'node_modules' ||
    holdsSecrets(plain) ||
    isPrivateKey(plain)
  );
}
