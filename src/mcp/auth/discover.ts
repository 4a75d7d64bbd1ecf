// From the address of an MCP server to its authorization server, each step confirmed by the one before.
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  IssuerMismatchError,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import type { AuthFetch } from '../../platform/oauth/auth-fetch.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { confirmHost, type KnownHosts } from './confirm-host.js';
import type { OauthSettings } from './oauth-settings.js';

export interface AuthServer {
  issuer: string;
  url: string;
  metadata: AuthorizationServerMetadata;
  /** The resource that tokens are requested for; absent with servers of 2025-03-26. */
  resource?: string;
  /** Where the server said that its metadata are, if it did. */
  resourceMetadataUrl?: string;
  /** The scopes that the MCP server says it has. */
  resourceScopes?: readonly string[];
}

export interface DiscoverOptions {
  server: URL;
  /** From the server's challenge. */
  resourceMetadataUrl: URL | undefined;
  settings: OauthSettings | undefined;
  known: KnownHosts;
  fetch: AuthFetch;
}

export async function discoverAuthServer(options: DiscoverOptions): Promise<AuthServer> {
  const { server, settings, known } = options;
  const resource = await protectedResource(options);
  const url = plainUrl(resource?.authorization_servers?.[0] ?? new URL('/', server).href);
  const metadata = await (settings?.authServerMetadataUrl === undefined
    ? discovered(url, options, resource === undefined)
    : configured(settings.authServerMetadataUrl, options));
  if (settings?.issuer !== undefined && metadata.issuer !== settings.issuer) {
    throw new AuthProblem(
      `${server.host} names the authorization server ${plainLine(metadata.issuer, 200)}, but its "oauth" settings accept only ${settings.issuer}. Nothing was sent there.`,
    );
  }
  for (const [what, endpoint] of endpointsOf(metadata)) await confirmHost(new URL(endpoint), what, known);
  return {
    issuer: metadata.issuer,
    url,
    metadata,
    ...(resource && { resource: resource.resource }),
    ...(options.resourceMetadataUrl && { resourceMetadataUrl: options.resourceMetadataUrl.href }),
    ...(resource?.scopes_supported && { resourceScopes: resource.scopes_supported }),
  };
}

async function protectedResource(options: DiscoverOptions): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { server, resourceMetadataUrl, fetch } = options;
  let status = 0;
  const watched: FetchLike = async (url, init) => {
    const response = await fetch('The resource metadata')(url, init);
    status = response.status;
    return response;
  };
  let metadata: OAuthProtectedResourceMetadata;
  try {
    metadata = await discoverOAuthProtectedResourceMetadata(
      server,
      { ...(resourceMetadataUrl && { resourceMetadataUrl }) },
      watched,
    );
  } catch (error) {
    // Servers of 2025-03-26 have none: they are their own authorization server, or are in front of it.
    if (status >= 400 && resourceMetadataUrl === undefined) return undefined;
    throw unreadable('resource metadata', server, status, error);
  }
  const requestedResource = resourceUrlFromServerUrl(server);
  if (checkResourceAllowed({ requestedResource, configuredResource: metadata.resource })) return metadata;
  throw new AuthProblem(
    `${server.host} says that its tokens are for ${plainLine(metadata.resource, 200)}, which is another resource than ${requestedResource.href}. Such a token could be used elsewhere, so none was requested.`,
  );
}

/** In servers of 2025-03-26, `isOld`, the metadata are at the root of the server, whatever path the issuer has. */
async function discovered(url: string, options: DiscoverOptions, isOld: boolean): Promise<AuthorizationServerMetadata> {
  let status = 0;
  const watched: FetchLike = async (address, init) => {
    const response = await options.fetch('The authorization server')(address, init);
    status = response.status;
    return response;
  };
  let metadata: AuthorizationServerMetadata | undefined;
  try {
    metadata = await discoverAuthorizationServerMetadata(url, { fetchFn: watched, skipIssuerValidation: isOld });
  } catch (error) {
    if (error instanceof IssuerMismatchError) {
      throw new AuthProblem(
        `The authorization server ${url} describes itself as another one, ${plainLine(error.received ?? '', 200)}, so it was not used.`,
      );
    }
    throw unreadable('metadata of the authorization server', new URL(url), status, error);
  }
  if (metadata && isOld && URL.parse(metadata.issuer)?.origin !== new URL(url).origin) {
    throw new AuthProblem(
      `${url} describes itself as another authorization server, ${plainLine(metadata.issuer, 200)}, so it was not used. If that is right, set "authServerMetadataUrl" in the "oauth" settings of the server.`,
    );
  }
  if (metadata) return metadata;
  if (isOld) return defaultEndpoints(url);
  throw new AuthProblem(
    `The authorization server ${url} has no metadata (HTTP ${status}), so it is unclear how to sign in there. Its address can be set as "authServerMetadataUrl" in the "oauth" settings of the server.`,
  );
}

/** The document that settings name; the user vouches for its issuer. */
async function configured(address: string, { fetch }: DiscoverOptions): Promise<AuthorizationServerMetadata> {
  const url = new URL(address);
  let status = 0;
  const fetchFn: FetchLike = async (_, init) => {
    const response = await fetch('The authorization server')(url, init);
    status = response.status;
    return response;
  };
  try {
    const metadata = await discoverAuthorizationServerMetadata(url.origin, { fetchFn, skipIssuerValidation: true });
    if (metadata) return metadata;
  } catch (error) {
    throw unreadable('metadata of the authorization server', url, status, error);
  }
  throw new AuthProblem(`There are no metadata of an authorization server at ${address} (HTTP ${status}).`);
}

/** Where the endpoints of an authorization server of 2025-03-26 are that has no metadata. */
const defaultEndpoints = (url: string): AuthorizationServerMetadata => ({
  issuer: url,
  authorization_endpoint: new URL('/authorize', url).href,
  token_endpoint: new URL('/token', url).href,
  registration_endpoint: new URL('/register', url).href,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
});

function endpointsOf(metadata: AuthorizationServerMetadata): Array<[string, string]> {
  const endpoints: Array<[string, string | undefined]> = [
    ['The authorization endpoint', metadata.authorization_endpoint],
    ['The token endpoint', metadata.token_endpoint],
    ['The registration endpoint', metadata.registration_endpoint],
    ['The revocation endpoint', revocationEndpoint(metadata)],
  ];
  return endpoints.flatMap(([what, endpoint]) =>
    endpoint === undefined ? [] : [[what, endpoint] as [string, string]],
  );
}

/** OpenID Connect metadata may have it too, though the type does not say so. */
export function revocationEndpoint(metadata: AuthorizationServerMetadata): string | undefined {
  const endpoint: unknown = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  return typeof endpoint === 'string' && URL.canParse(endpoint) ? endpoint : undefined;
}

function plainUrl(text: string): string {
  if (URL.canParse(text)) return text;
  throw new AuthProblem(
    `The resource metadata name an authorization server that is no address: ${plainLine(text, 100)}.`,
  );
}

function unreadable(what: string, { host }: URL, status: number, error: unknown): unknown {
  if (error instanceof AuthProblem || (error instanceof DOMException && error.name === 'AbortError')) return error;
  const why = status >= 400 ? `HTTP ${status}` : 'they are not the JSON document that they should be';
  return new AuthProblem(`The ${what} of ${host} can't be used: ${why}.`, { cause: error });
}
