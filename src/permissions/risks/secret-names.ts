// Files that hold keys, passwords or tokens, by their names, and the folders and globs that cover such files.
import type { FileEffect } from '../../contract/effect.js';
import { holdsSecrets, isPrivateKey } from '../../platform/files/protected-names.js';
import { components, escapePath, type PathStyle, shareName } from '../match-path.js';
import { namesOf } from '../match-rule.js';
import { isUnder } from '../policy.js';

const forms: ReadonlyArray<{ path: RegExp; words: string }> = [
  { path: /\/\.ssh\/(?!known_hosts|config$|[^/]*\.pub$|authorized_keys)/, words: 'which may be a private key' },
  { path: /\/\.gnupg\/|\/\.password-store\//, words: 'which holds your keys or passwords' },
  {
    path: /\/\.aws\/(credentials|sso|cli)|\/\.kube\/|\/\.config\/gcloud\/|\/\.azure\//,
    words: 'which holds credentials',
  },
  {
    path: /\/\.docker\/config\.json$|\/\.config\/(gh|hub|glab-cli)\/|\/\.git-credentials$/,
    words: 'which holds logins',
  },
  {
    path: /\/(\.netrc|_netrc|\.pgpass|\.my\.cnf|\.pypirc|\.npmrc|\.yarnrc\.yml|\.vault-token)$/,
    words: 'which may hold passwords',
  },
  { path: /\/(credentials|secrets?)(\.(json|ya?ml|toml|ini|env|txt))?$/i, words: 'which may hold secrets' },
  { path: /\/(service[-_]account|client_secret)[^/]*\.json$/i, words: 'which holds credentials' },
  {
    path: /\.(key|p12|pfx|jks|keystore|kdbx|ppk)$|[-_.]key\.pem$|\/(privkey|private)[^/]*\.pem$/i,
    words: 'which may be a private key',
  },
  { path: /^\/etc\/(shadow|gshadow|sudoers)/, words: 'which holds passwords or rights of this machine' },
  { path: /^\/etc\/(ssl\/private|ssh\/ssh_host_\w+_key$)/, words: 'which may be a private key' },
  { path: /^\/proc\/[^/]+\/(task\/[^/]+\/)?(environ|mem)$/, words: 'which holds the variables of a process' },
  { path: /^\/(var\/)?run\/secrets\//, words: 'which holds secrets' },
  { path: /\/Library\/Keychains\/|\/\.local\/share\/keyrings\//, words: 'which holds your passwords' },
  {
    path: /\/(\.config\/(google-chrome|chromium)|\.mozilla|Library\/(Cookies|Safari))\//,
    words: 'which holds data of your browser',
  },
];

export interface SecretPlaces {
  workspace: readonly string[];
  home?: readonly string[] | undefined;
  style: PathStyle;
}

/** What a file of this name holds, or what is in the folder or the files that a glob names; undefined if nothing. */
export function secretAt(effect: FileEffect, places: SecretPlaces): string | undefined {
  const { access, tree, pattern, unresolved } = effect;
  if (unresolved !== undefined) return undefined;
  const isWide = tree === true && access === 'read';
  for (const path of pattern !== undefined && isWide ? [pattern] : namesOf(effect)) {
    const found = secretNamed(path, places.style) ?? (isWide ? secretsBelow(path, pattern !== undefined, places) : '');
    if (found) return found;
  }
  return undefined;
}

function secretNamed(path: string, style: PathStyle): string | undefined {
  const name = (components(path, style).at(-1) ?? '').toLowerCase();
  if (holdsSecrets(name)) return 'which holds secrets';
  if (isPrivateKey(name)) return 'a private key';
  return forms.find((form) => form.path.test(path))?.words;
}

/** Below a home folder. */
const HOME_PLACES = [
  ...['.ssh', '.gnupg', '.password-store', '.aws', '.kube', '.azure', '.config/gcloud', '.config/gh', '.config/hub'],
  ...['.config/glab-cli', '.config/google-chrome', '.config/chromium', '.mozilla', '.docker/config.json', '.netrc'],
  ...['.git-credentials', '.pgpass', '.my.cnf', '.pypirc', '.npmrc', '.vault-token', '.local/share/keyrings'],
  ...['Library/Keychains', 'Library/Cookies', 'Library/Safari'],
];

/** Homes of other users; the star is a glob. */
const OTHER_HOMES = ['/root', '/home/*', '/Users/*'];

const MACHINE_PLACES = [
  ...['/etc/shadow', '/etc/gshadow', '/etc/ssl/private', '/proc/*/environ', '/run/secrets', '/var/run/secrets'],
];

/** Names that a glob may expand to. */
const SECRET_NAMES = ['.env', '.env.local', '.netrc', '.npmrc', '.git-credentials', 'id_rsa', 'id_ed25519', 'id_ecdsa'];

/** What a tree, or the matches of a glob and what is below them, covers. */
function secretsBelow(
  path: string,
  isGlob: boolean,
  { workspace, home = [], style }: SecretPlaces,
): string | undefined {
  if (isGlob && path.endsWith('.pub')) return undefined; // public keys
  const inside = forms.find((form) => form.path.test(`${path}/`));
  if (inside) return inside.words.replace(/^which may be a private key$/, 'which may hold private keys');
  const names = components(path, style);
  const last = names.at(-1) ?? '';
  const isVague = last.replace(/\[[^[\]]*\]|[*?]/g, '') === '';
  if (isGlob && !isVague && SECRET_NAMES.some((name) => shareName(last, name))) return 'which may hold secrets';
  const isOwnProject = isUnder(workspace, path) && !workspace.some((folder) => home.includes(folder));
  if (isOwnProject) return undefined;
  const homes = [...home.map(escapePath), ...OTHER_HOMES];
  const wanted = [...homes.flatMap((folder) => HOME_PLACES.map((place) => `${folder}/${place}`)), ...MACHINE_PLACES];
  const globs = isGlob ? names : names.map(escapePath);
  return wanted.some((place) => sharesBeginning(globs, components(place, style)))
    ? 'with the keys and passwords in it'
    : undefined;
}

/** Whether one leads to the other: a folder above the place, the place, or something in it. */
const sharesBeginning = (globs: readonly string[], place: readonly string[]): boolean =>
  place.every((name, index) => {
    const glob = globs[index];
    return glob === undefined || globs.slice(0, index + 1).includes('**') || shareName(glob, name);
  });
