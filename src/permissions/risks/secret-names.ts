// Files that hold keys, passwords or tokens, by their names.
import type { FileEffect } from '../../contract/effect.js';
import { holdsSecrets, isPrivateKey } from '../../platform/files/protected-names.js';
import { components, type PathStyle } from '../match-path.js';
import { namesOf } from '../match-rule.js';

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
  { path: /\/Library\/Keychains\/|\/\.local\/share\/keyrings\//, words: 'which holds your passwords' },
  {
    path: /\/(\.config\/(google-chrome|chromium)|\.mozilla|Library\/(Cookies|Safari))\//,
    words: 'which holds data of your browser',
  },
];

/** What a file of this name holds, or undefined. */
export function secretAt(effect: FileEffect, style: PathStyle): string | undefined {
  for (const path of namesOf(effect)) {
    const name = (components(path, style).at(-1) ?? '').toLowerCase();
    if (holdsSecrets(name)) return 'which holds secrets';
    if (isPrivateKey(name)) return 'a private key';
    const found = forms.find((form) => form.path.test(path));
    if (found) return found.words;
  }
  return undefined;
}
