// The sign-in of a person: their browser at the authorization server, and back to Helve with a code.
import { timingSafeEqual } from 'node:crypto';
import { startAuthorization, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client';
import { randomHex } from '../../platform/crypto.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { listenForCallback } from '../../platform/oauth/callback-server.js';
import { plainLine } from '../../platform/text/plain-text.js';
import type { AuthFetch } from './auth-fetch.js';
import { chooseClient } from './choose-client.js';
import type { Credential, ServerIdentity } from './credential.js';
import { type AuthServer, revocationEndpoint } from './discover.js';
import type { OauthSettings } from './oauth-settings.js';
import { exchangeCode, tokensFrom } from './token-requests.js';

export const SIGN_IN_MS = 10 * 60_000;

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
  const received = Promise.withResolvers<Callback>();
  received.promise.catch(() => {}); // it may be refused before it is awaited
  let isOpen = true;
  const take = (parameters: URLSearchParams, isComplete: boolean): 'accepted' | 'refused' => {
    // A callback counts once, so a code that is sent again goes nowhere.
    if (!isOpen || (isComplete && !isSame(parameters.get('state') ?? '', state))) return 'refused';
    isOpen = false;
    try {
      received.resolve(callbackOf(parameters, authServer));
    } catch (error) {
      received.reject(error);
    }
    return 'accepted';
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SIGN_IN_MS)]);
  const registered = earlier?.issuer === issuer ? earlier.client.redirectUri : undefined;
  const preferred = registered === undefined ? undefined : Number(new URL(registered).port);
  const server = await listenForCallback({ fixed: settings?.callbackPort, preferred }, (found) => take(found, true));
  try {
    const { redirectUri } = server;
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
    const aborted = (): void => received.reject(limit.reason);
    limit.addEventListener('abort', aborted);
    if (limit.aborted) aborted();
    onPaste?.((text) => {
      const problem = pasted(text, take);
      if (problem !== undefined) throw new AuthProblem(`${problem} Helve still waits for the right one.`);
    });
    onAddress(authorizationUrl.href);
    const { code, iss } = await received.promise.catch((error: unknown) => {
      signal.throwIfAborted();
      if (!limit.aborted) throw error;
      throw new AuthProblem(
        `The sign-in was not completed within ${SIGN_IN_MS / 60_000} minutes, so Helve stopped waiting.`,
      );
    });
    const endpoint = { authorizationServer: url, metadata, resource, client, settings, fetch };
    const answer = await exchangeCode(endpoint, { code, iss, verifier: codeVerifier, redirectUri });
    return credentialOf(identity, authServer, client, tokensFrom(answer, scope, Date.now()));
  } finally {
    isOpen = false;
    server.close();
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

/** Takes the address that the browser ended at, or only the code in it. Returns what is wrong with it. */
function pasted(text: string, take: (parameters: URLSearchParams, isComplete: boolean) => string): string | undefined {
  const address = URL.parse(text.trim());
  if (address) {
    const isTaken = take(address.searchParams, true) === 'accepted';
    return isTaken
      ? undefined
      : 'The pasted address belongs to another sign-in: its state is not the one that Helve sent.';
  }
  const code = text.trim();
  if (!/^[\x21-\x7e]+$/.test(code)) return 'What was pasted is neither an address nor a code.';
  take(new URLSearchParams({ code }), false);
  return undefined;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
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
