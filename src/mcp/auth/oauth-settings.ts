// The `oauth` object of a server's entry. Names that Claude Code's `.mcp.json` has mean the same here.
import { isObject } from '../../platform/is-object.js';
import { isLoopbackName } from '../../platform/web/special-addresses.js';

export interface OauthSettings {
  /** `authorization_code` needs a person who signs in; `client_credentials` is for programs. */
  grant: 'authorization_code' | 'client_credentials';
  clientId?: string;
  clientSecret?: string;
  /** How the secret is sent. Default: as the authorization server says. */
  clientAuth?: 'client_secret_basic' | 'client_secret_post';
  /** A PEM key in PKCS #8; the client signs an assertion instead of sending a secret. */
  privateKey?: string;
  privateKeyAlgorithm: string;
  /** Separated by spaces; replaces the scopes that the server asks for at sign-in. */
  scopes?: string;
  callbackPort?: number;
  /** The address of a client ID metadata document. */
  clientMetadataUrl?: string;
  /** Where the metadata of the authorization server are; replaces discovery. */
  authServerMetadataUrl?: string;
  /** The only authorization server that is accepted. */
  issuer?: string;
}

const KNOWN = [
  ...['grant', 'clientId', 'clientSecret', 'clientAuth', 'privateKey', 'privateKeyAlgorithm', 'scopes'],
  ...['callbackPort', 'clientMetadataUrl', 'authServerMetadataUrl', 'issuer'],
];

/** An algorithm of the signature, as in JSON Web Signature. */
const ALGORITHM = /^(?:RS|PS|ES)(?:256|384|512)$/;

/** A reference to one variable and nothing else: a secret must not stand in a file. */
const REFERENCE = /^\$\{[A-Za-z_]\w*\}$/;

/** A scope token of RFC 6749. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

export type ReadOauth = { oauth: OauthSettings | undefined } | { problem: string };

/** Reads the object; `problem` is a clause about it. `filled` expands variables. */
export function readOauth(value: unknown, filled: (text: string) => string): ReadOauth {
  if (value === undefined) return { oauth: undefined };
  if (!isObject(value)) return problem('has an "oauth" that is not an object');
  const unknown = Object.keys(value).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) {
    return problem(`has ${JSON.stringify(unknown.slice(0, 40))} in "oauth". The names there are ${KNOWN.join(', ')}`);
  }
  const fields = new Map<string, string>();
  for (const [key, given] of Object.entries(value)) {
    if (key === 'callbackPort') continue;
    const text = key === 'scopes' && Array.isArray(given) ? given.join(' ') : given;
    if (typeof text !== 'string') return problem(`has an "oauth" whose "${key}" is not a text`);
    if ((key === 'clientSecret' || key === 'privateKey') && text !== '' && !REFERENCE.test(text)) {
      return problem(`has the ${key} itself in "oauth". Write \${VARIABLE}, and set that variable`);
    }
    const full = filled(text).trim();
    if (full === text && REFERENCE.test(text)) {
      return problem(`takes its ${key} from ${text}, and that variable is not set`);
    }
    if (full !== '') fields.set(key, full);
  }
  return checked(fields, value['callbackPort']);
}

function checked(fields: ReadonlyMap<string, string>, port: unknown): ReadOauth {
  const {
    grant = 'authorization_code',
    clientAuth,
    privateKeyAlgorithm = 'ES256',
    ...rest
  } = Object.fromEntries(fields);
  if (grant !== 'authorization_code' && grant !== 'client_credentials') {
    return problem('has an "oauth" whose "grant" is neither "authorization_code" nor "client_credentials"');
  }
  if (clientAuth !== undefined && clientAuth !== 'client_secret_basic' && clientAuth !== 'client_secret_post') {
    return problem('has an "oauth" whose "clientAuth" is neither "client_secret_basic" nor "client_secret_post"');
  }
  if (!ALGORITHM.test(privateKeyAlgorithm)) {
    return problem(
      'has an "oauth" whose "privateKeyAlgorithm" is not known. There are RS256, PS256, ES256 and the like',
    );
  }
  const scopes = fields.get('scopes')?.replaceAll(/[\s,]+/g, ' ');
  if (scopes !== undefined && !SCOPES.test(scopes)) return problem('has scopes in "oauth" that can\'t be sent');
  for (const key of ['clientMetadataUrl', 'authServerMetadataUrl', 'issuer']) {
    const address = fields.get(key);
    if (address !== undefined && !isSecure(address)) {
      return problem(`has an "oauth" whose "${key}" is not an https address`);
    }
  }
  const metadata = fields.get('clientMetadataUrl');
  if (metadata !== undefined && (!metadata.startsWith('https:') || new URL(metadata).pathname === '/')) {
    return problem('has an "oauth" whose "clientMetadataUrl" is not an https address with a path');
  }
  if (port !== undefined && !(Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536)) {
    return problem('has an "oauth" whose "callbackPort" is not a port');
  }
  if (grant === 'client_credentials' && !fields.has('clientId')) {
    return problem('has the grant "client_credentials" in "oauth" but no "clientId"');
  }
  if (grant === 'client_credentials' && !fields.has('clientSecret') && !fields.has('privateKey')) {
    return problem('has the grant "client_credentials" in "oauth" but neither a "clientSecret" nor a "privateKey"');
  }
  if (fields.has('clientSecret') && !fields.has('clientId')) {
    return problem('has a "clientSecret" in "oauth" but no "clientId"');
  }
  return {
    oauth: {
      ...rest,
      grant,
      privateKeyAlgorithm,
      ...(clientAuth !== undefined && { clientAuth }),
      ...(scopes !== undefined && { scopes }),
      ...(port !== undefined && { callbackPort: Number(port) }),
    },
  };
}

/** Whether it is an address that is encrypted, or that leads to this machine. */
function isSecure(text: string): boolean {
  const address = URL.parse(text);
  if (address?.username !== '' || address.password !== '') return false;
  return address.protocol === 'https:' || (address.protocol === 'http:' && isLoopbackName(address.hostname));
}

const problem = (text: string): { problem: string } => ({ problem: text });
