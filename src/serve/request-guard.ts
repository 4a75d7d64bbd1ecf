// Decides which requests are for this server at all, before anything in them is used: every local program can reach its
// port, and so can every page in a browser.
import type { GuardedRequest } from '../platform/web/guarded-request.js';

export interface RequestRefusal {
  status: number;
  message: string;
  next: string;
  headers?: Readonly<Record<string, string>>;
}

export interface ServerNames {
  /** The names that a request may have in Host, in lower case, with the port unless it is that of the protocol. */
  hosts: readonly string[];
  /** Answers over TLS itself. */
  isTls: boolean;
  /** The headers of a proxy in front of it say how the client reached it. */
  isBehindProxy: boolean;
}

/** The address under which the client reached the server. */
export interface ReachedAt {
  isSecure: boolean;
  origin: string;
}

/** Why the request is refused, or where it reached the server. */
export function reachedAt(request: GuardedRequest, names: ServerNames): ReachedAt | { refusal: RequestRefusal } {
  const { headersDistinct: headers, url = '' } = request;
  const { isTls, isBehindProxy, hosts } = names;
  const proto = isBehindProxy ? only(headers['x-forwarded-proto'])?.toLowerCase() : undefined;
  if (isBehindProxy && proto !== 'https' && proto !== 'http') {
    return refused(
      400,
      'The proxy did not say how the client reached it: X-Forwarded-Proto must be http or https, once.',
      'Let the proxy set X-Forwarded-Proto; docs/serve.md has examples.',
    );
  }
  const isSecure = isTls || proto === 'https';
  const forwarded = isBehindProxy ? headers['x-forwarded-host'] : undefined;
  const host = withoutDefaultPort(only(forwarded ?? headers['host'])?.toLowerCase() ?? '', isSecure);
  // DNS rebinding: the Host header has the attacker's name, so only our own names are accepted.
  if (!hosts.includes(host) || !url.startsWith('/')) {
    return refused(
      403,
      `The server is not known by the name that the request has in ${forwarded ? 'X-Forwarded-Host' : 'Host'}.`,
      `Use ${hosts[0]}, or start helve serve with --allowed-host NAME.`,
    );
  }
  const origin = `${isSecure ? 'https' : 'http'}://${host}`;
  const origins = headers['origin'] ?? [];
  if (!origins.every((given) => given.toLowerCase() === origin)) {
    return refused(
      403,
      'The request comes from a page of another origin.',
      `Only pages of ${origin} may use this server; programs leave Origin out.`,
    );
  }
  return { isSecure, origin };
}

const refused = (status: number, message: string, next: string): { refusal: RequestRefusal } => ({
  refusal: { status, message, next },
});

function only(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined;
}

const withoutDefaultPort = (host: string, isSecure: boolean): string =>
  host.endsWith(isSecure ? ':443' : ':80') ? host.slice(0, host.lastIndexOf(':')) : host;
