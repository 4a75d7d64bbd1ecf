// Revocation of tokens (RFC 7009).
import type { AuthFetch } from '../../platform/oauth/auth-fetch.js';
import { configuredClient } from './choose-client.js';
import type { Credential } from './credential.js';
import type { OauthSettings } from './oauth-settings.js';

/** Revokes the refresh token, which ends the whole grant, then the access token. False if the server does not offer it. */
export async function revokeTokens(
  { endpoints, client, tokens }: Credential,
  settings: OauthSettings | undefined,
  fetch: AuthFetch,
): Promise<boolean> {
  const { revocation } = endpoints;
  if (revocation === undefined || !tokens) return false;
  const { id, secret, auth } = client.from === 'settings' ? (configuredClient(settings) ?? client) : client;
  const isBasic = secret !== undefined && auth !== 'client_secret_post';
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(isBasic && { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }),
  };
  const all = [
    ['refresh_token', tokens.refresh],
    ['access_token', tokens.access],
  ] as const;
  let isRevoked = true;
  for (const [hint, token] of all) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    if (!isBasic) body.set('client_id', id);
    if (!isBasic && secret !== undefined) body.set('client_secret', secret);
    const { ok } = await fetch('The revocation endpoint')(revocation, { method: 'POST', headers, body });
    isRevoked &&= ok;
  }
  return isRevoked;
}
