// Requests that carry credentials: they go to endpoints of the authorization server that the credentials belong to.
import {
  type AddClientAuthentication,
  type AuthorizationServerMetadata,
  createPrivateKeyJwtAuth,
  exchangeAuthorization,
  type FetchLike,
  fetchToken,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import type { AuthFetch } from '../../platform/oauth/auth-fetch.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { plainLine } from '../../platform/text/plain-text.js';
import type { Credential, Tokens } from './credential.js';
import type { OauthSettings } from './oauth-settings.js';

const RENEW_BEFORE_MS = 30_000; // or a tenth of the token's life, if that is shorter

/** A client, with the secret that settings or a registration gave it. */
export type Client = Credential['client'];

export interface TokenEndpoint {
  authorizationServer: string;
  metadata: AuthorizationServerMetadata;
  resource: string | undefined;
  client: Client;
  settings: OauthSettings | undefined;
  fetch: AuthFetch;
}

/** What a refused request says about the credentials. */
export type Refusal = 'grant' | 'client' | 'other';

export class TokenRefused extends AuthProblem {
  readonly refusal: Refusal;

  constructor(message: string, refusal: Refusal, isTransient: boolean) {
    super(message, { isTransient });
    this.refusal = refusal;
  }
}

export async function exchangeCode(
  endpoint: TokenEndpoint,
  {
    code,
    iss,
    verifier,
    redirectUri,
  }: { code: string; iss: string | undefined; verifier: string; redirectUri: string },
): Promise<OAuthTokens> {
  return await asked(endpoint, [code, verifier], (common) =>
    exchangeAuthorization(endpoint.authorizationServer, {
      ...common,
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier: verifier,
      redirectUri,
    }),
  );
}

export async function refreshTokens(endpoint: TokenEndpoint, refreshToken: string): Promise<OAuthTokens> {
  return await asked(endpoint, [refreshToken], (common) =>
    refreshAuthorization(endpoint.authorizationServer, { ...common, refreshToken }),
  );
}

/** Tokens for a program, without a person. */
export async function clientCredentials(endpoint: TokenEndpoint, scope: string | undefined): Promise<OAuthTokens> {
  return await asked(endpoint, [], ({ clientInformation, addClientAuthentication, ...common }) =>
    fetchToken(
      {
        redirectUrl: undefined,
        clientMetadata: { redirect_uris: [] },
        clientInformation: () => ({ ...clientInformation, issuer: endpoint.metadata.issuer }),
        tokens: () => undefined,
        saveTokens: () => {},
        redirectToAuthorization: () => {},
        saveCodeVerifier: () => {},
        codeVerifier: () => '',
        prepareTokenRequest: () =>
          new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
        ...(addClientAuthentication && { addClientAuthentication }),
      },
      endpoint.authorizationServer,
      common,
    ),
  );
}

interface CommonRequest {
  metadata: AuthorizationServerMetadata;
  clientInformation: { client_id: string; client_secret?: string; token_endpoint_auth_method?: string };
  resource?: string;
  addClientAuthentication?: AddClientAuthentication;
  fetchFn: FetchLike;
}

/** Makes a request; `secrets` never appear in messages, even if the server repeats them. */
async function asked(
  endpoint: TokenEndpoint,
  secrets: readonly string[],
  request: (common: CommonRequest) => Promise<OAuthTokens>,
): Promise<OAuthTokens> {
  const { metadata, resource, client, settings, fetch } = endpoint;
  let status = 0;
  const fetchFn: FetchLike = async (url, init) => {
    const response = await fetch('The token endpoint')(url, init);
    status = response.status;
    return response;
  };
  const key = client.from === 'settings' ? settings?.privateKey : undefined;
  const hidden = [...secrets, client.secret, settings?.clientSecret, key].filter((secret) => secret !== undefined);
  const host = new URL(metadata.token_endpoint).host;
  let tokens: OAuthTokens;
  try {
    tokens = await request({
      metadata,
      clientInformation: clientInformation(client),
      ...(resource !== undefined && { resource }),
      ...(key !== undefined && { addClientAuthentication: signedAssertion(client.id, key, settings) }),
      fetchFn,
    });
  } catch (error) {
    throw refusalOf(error, host, status, hidden);
  }
  if (/^bearer$/i.test(tokens.token_type)) return tokens;
  const type = plainLine(tokens.token_type, 40);
  throw new TokenRefused(
    `The token endpoint at ${host} gave a token of the type ${type}, which Helve can't use.`,
    'other',
    false,
  );
}

const clientInformation = ({ id, secret, auth }: Client): CommonRequest['clientInformation'] => ({
  client_id: id,
  ...(secret !== undefined && { client_secret: secret }),
  ...(auth !== undefined && { token_endpoint_auth_method: auth }),
});

const signedAssertion = (
  id: string,
  privateKey: string,
  settings: OauthSettings | undefined,
): AddClientAuthentication =>
  createPrivateKeyJwtAuth({ issuer: id, subject: id, privateKey, alg: settings?.privateKeyAlgorithm ?? 'ES256' });

function refusalOf(error: unknown, host: string, status: number, secrets: readonly string[]): unknown {
  if (error instanceof AuthProblem || (error instanceof DOMException && error.name === 'AbortError')) return error;
  if (error instanceof OAuthError && !/^HTTP \d+: Invalid OAuth error response/.test(error.message)) {
    const said = plainLine(withoutSecrets(error.message, secrets), 300);
    const code = plainLine(withoutSecrets(error.code, secrets), 60);
    const words = said === '' || said === code ? code : `${code}: ${said}`;
    const refusal =
      code === 'invalid_grant' ? 'grant' : /^(?:invalid|unauthorized)_client$/.test(code) ? 'client' : 'other';
    const isTransient = /^(?:temporarily_unavailable|server_error|slow_down|too_many_requests)$/.test(code);
    return new TokenRefused(`The token endpoint at ${host} refused the request (${words}).`, refusal, isTransient);
  }
  if (status === 0) {
    return new TokenRefused(
      `No token could be requested from ${host}: ${plainLine(withoutSecrets(String(error), secrets), 300)}`,
      'other',
      false,
    );
  }
  const text = `The token endpoint at ${host} answered with HTTP ${status} and no JSON document with a token, so the answer was not used.`;
  return new TokenRefused(text, 'other', true);
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

/** What is kept of an answer. A token without a known end is used until the server refuses it. */
export function tokensFrom(answer: OAuthTokens, requestedScope: string | undefined, now: number): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds, scope = requestedScope } = answer;
  const life = seconds === undefined ? undefined : Math.max(0, seconds * 1000);
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(life !== undefined && { expiresAt: now + life, renewAt: now + life - Math.min(RENEW_BEFORE_MS, life / 10) }),
    ...(scope !== undefined && { scope }),
  };
}
