import { ModelFailure } from '../../contract/model.js';
import { sha256 } from '../../platform/crypto.js';
import { type Endpoint, type ErrorFacts, shorten } from './failures.js';

/** The user's configuration of a model's server, and the variables that it came from. */
export interface EndpointSetup {
  model: string;
  /** The base URL, without a slash at its end. */
  address: string;
  path: string;
  /** The vendor's own service, which requires a key: its name in messages, and its address. */
  vendor?: { name: string; url: string };
  /** The server's name in messages, at any address. */
  title?: string;
  /** The most common variable first. If several have a value, the last is used. */
  keys: ReadonlyArray<{ variable: string; value: string | undefined }>;
  baseUrlVariable: string;
  /** Whether requests are authorised in another way than by one of the keys. */
  isAuthorized?: boolean;
  facts?: ErrorFacts;
  /** Follows the path, for example "?api-version=2024-10-21". */
  query?: string | undefined;
}

/** Throws `ModelFailure` for an invalid configuration, before anything is sent. */
export function endpointOf(setup: EndpointSetup): Endpoint {
  const { model, address, path, vendor, title = 'the model server', keys, baseUrlVariable, query = '' } = setup;
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ModelFailure(
      'unreachable',
      `${baseUrlVariable} is "${shorten(address.replace(/[?#].*/s, ''))}", which is not a web address. Set it to one like ${vendor?.url ?? 'http://127.0.0.1:8080/v1'}.`,
    );
  }
  if (url.username || url.password) {
    throw new ModelFailure(
      'unreachable',
      `${baseUrlVariable} holds a user name or password for ${url.host}, which is not supported. Leave them out, and set ${keys.at(-1)?.variable} instead.`,
    );
  }
  const itself = vendor && url.origin === URL.parse(vendor.url)?.origin ? vendor : undefined;
  const secret = secretOf(keys);
  const keyVariables = keys.map(({ variable }) => variable);
  if (!secret && itself && !setup.isAuthorized) {
    throw new ModelFailure(
      'auth',
      `No key for ${itself.name}: set ${keyVariables[0]}, or ${baseUrlVariable} for a server that needs none.`,
    );
  }
  const place = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  const server = itself?.name ?? `${title} at ${place}`;
  return {
    url: `${address}${path}${query}`,
    path,
    place,
    server,
    model,
    secret,
    secrets: secret ? [secret.value] : [],
    keyVariables,
    baseUrlVariable,
    explain: setup.facts?.explain,
    addressFrom: setup.facts?.addressFrom,
    proxyVariable: setup.facts?.proxyVariable,
    nearestModel: setup.facts?.nearestModel,
  };
}

/** For `Model.account`: by the server and its key. A key that is fetched for each request is not known here. */
export function accountOf(endpoint: () => Endpoint, isAuthorized: boolean): string | undefined {
  let found: Endpoint;
  try {
    found = endpoint();
  } catch {
    return undefined; // the request fails with the reason
  }
  const { place, secret } = found;
  if (!secret) return isAuthorized ? undefined : place;
  return `${place} ${sha256().update(secret.value).digest('hex').slice(0, 16)}`;
}

function secretOf(keys: EndpointSetup['keys']): Endpoint['secret'] {
  const found = keys.findLast(({ value }) => value?.trim());
  if (!found) return undefined;
  const { variable } = found;
  const value = found.value?.trim() ?? '';
  // Refused here because Node's own error message would show the value.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new ModelFailure(
      'auth',
      `${variable} holds a character that can't be in a key, such as a space, a line break or a typographic quote. Set it again.`,
    );
  }
  return { value, variable };
}
