// The sign-in of a person: their browser at the authorization server, and back to Helve with a code.
import { startAuthorization, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client';
import { randomHex } from '../../platform/crypto.js';
import type { AuthFetch } from '../../platform/oauth/auth-fetch.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { receiveCallback } from '../../platform/oauth/receive-callback.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { chooseClient } from './choose-client.js';
import type { Credential, ServerIdentity } from './credential.js';
import { type AuthServer, revocationEndpoint } from './discover.js';
import type { OauthSettings } from './oauth-settings.js';
import { exchangeCode, tokensFrom } from './token-requests.js';

export interface SignInOptions {
  /** Scopes to ask for instead of those that the server names, separated by spaces. */
  scope?: string | undefined;
  signal: AbortSignal;
  /** Called with the address to open in a browser. */
  onAddress(address: string): void;
  /**
   * Called with a function that takes what the user pasted: the address that the browser ended at, or the code alone. It
   * throws if that does not belong to this sign-in.
   */
  onPaste?(paste: (text: string) => void): void;
}

interface SignInParts {
  identity: ServerIdentity;
  settings: OauthSettings | undefined;
  authServer: AuthServer;
  /** What to ask for; undefined leaves it to the authorization server. */
  scope: string | undefined;
  earlier: Credential | undefined;
  fetch: AuthFetch;
}

interface Callback {
  code: string;
  iss: string | undefined;
}

/** Resolves with a credential that was not saved yet. */
export async function signIn(
  { identity, settings, authServer, scope, earlier, fetch }: SignInParts,
  { signal, onAddress, onPaste }: SignInOptions,
): Promise<Credential> {
  const { metadata, url, resource, issuer } = authServer;
  const state = randomHex(32);
  const registered = earlier?.issuer === issuer ? earlier.client.redirectUri : undefined;
  const preferred = registered === undefined ? undefined : Number(new URL(registered).port);
  const callback = await receiveCallback({
    port: { fixed: settings?.callbackPort, preferred },
    path: '/callback',
    state,
    takesCode: true,
    signal,
    read: (parameters) => callbackOf(parameters, authServer),
  });
  try {
    const { redirectUri } = callback;
    const client = await chooseClient({ settings, authServer, redirectUri, scope, earlier, fetch });
    const { authorizationUrl, codeVerifier } = await startAuthorization(url, {
      metadata,
      clientInformation: { client_id: client.id },
      redirectUrl: redirectUri,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    }).catch((error: unknown) => {
      throw new AuthProblem(`It is not possible to sign in at ${new URL(url).host}: ${plainLine(String(error), 200)}`);
    });
    onPaste?.((text) => callback.paste(text));
    onAddress(authorizationUrl.href);
    const { code, iss } = await callback.result();
    const endpoint = { authorizationServer: url, metadata, resource, client, settings, fetch };
    const answer = await exchangeCode(endpoint, { code, iss, verifier: codeVerifier, redirectUri });
    return credentialOf(identity, authServer, client, tokensFrom(answer, scope, Date.now()));
  } finally {
    callback.close();
  }
}

/** The parameters of a callback whose state was checked. The issuer is checked before anything else is read. */
function callbackOf(parameters: URLSearchParams, { metadata, issuer }: AuthServer): Callback {
  const iss = parameters.get('iss') ?? undefined;
  const isPromised =
    'authorization_response_iss_parameter_supported' in metadata &&
    metadata.authorization_response_iss_parameter_supported === true;
  try {
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: isPromised });
  } catch {
    const found = iss === undefined ? 'names no issuer, though it promised to' : `is from ${plainLine(iss, 200)}`;
    throw new AuthProblem(`The answer to the sign-in should be from ${issuer}, but ${found}. It was not used.`);
  }
  const error = parameters.get('error');
  if (error !== null) {
    const words = [error, parameters.get('error_description') ?? ''].filter((text) => text !== '').join(': ');
    throw new AuthProblem(`The authorization server did not sign you in (${plainLine(words, 300)}).`);
  }
  const code = parameters.get('code');
  if (code === null || code === '') throw new AuthProblem('The answer to the sign-in contains no code.');
  return { code, iss };
}

export function credentialOf(
  { name, url }: ServerIdentity,
  { issuer, url: authorizationServer, metadata, resource, resourceMetadataUrl }: AuthServer,
  { secret, ...client }: Credential['client'],
  tokens: Credential['tokens'],
): Credential {
  const revocation = revocationEndpoint(metadata);
  const clientAuth = metadata.token_endpoint_auth_methods_supported;
  return {
    version: 1,
    server: { name, url },
    issuer,
    authorizationServer,
    endpoints: {
      token: metadata.token_endpoint,
      ...(revocation !== undefined && { revocation }),
      ...(clientAuth && { clientAuth }),
    },
    ...(resource !== undefined && { resource }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    client: { ...client, ...(secret !== undefined && client.from === 'registration' && { secret }) },
    ...(tokens && { tokens }),
  };
}
