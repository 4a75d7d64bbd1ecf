// Who Helve is to an authorization server: a client of settings, a client ID metadata document, or a registered client.
import { RegistrationRejectedError, registerClient } from '@modelcontextprotocol/client';
import { isObject } from '../../platform/is-object.js';
import type { AuthFetch } from '../../platform/oauth/auth-fetch.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { parseJson } from '../../platform/parse-json.js';
import { plainLine } from '../../platform/text/plain-text.js';
import type { Credential } from './credential.js';
import type { AuthServer } from './discover.js';
import type { OauthSettings } from './oauth-settings.js';
import type { Client } from './token-requests.js';

export interface ClientChoice {
  settings: OauthSettings | undefined;
  authServer: AuthServer;
  redirectUri: string;
  scope: string | undefined;
  /** The credential of an earlier sign-in, of whatever issuer. */
  earlier: Credential | undefined;
  fetch: AuthFetch;
}

export async function chooseClient(choice: ClientChoice): Promise<Client> {
  const { settings, authServer, redirectUri, earlier } = choice;
  const configured = configuredClient(settings);
  if (configured) return configured;
  const { metadata, issuer } = authServer;
  const methods = metadata.token_endpoint_auth_methods_supported;
  const takesPublic = methods === undefined || methods.includes('none');
  if (settings?.clientMetadataUrl !== undefined && supportsMetadataUrl(metadata) && takesPublic) {
    return { id: settings.clientMetadataUrl, auth: 'none', from: 'metadata' };
  }
  const known = earlier?.issuer === issuer ? earlier.client : undefined;
  if (known?.from === 'registration' && known.redirectUri === redirectUri) return known;
  return await registeredClient(choice, takesPublic, methods);
}

/** The client of settings, without a request. Its secret is not stored. */
export function configuredClient(settings: OauthSettings | undefined): Client | undefined {
  if (settings?.clientId === undefined) return undefined;
  const { clientId: id, clientSecret: secret, clientAuth } = settings;
  const auth = clientAuth ?? (settings.privateKey !== undefined || secret !== undefined ? undefined : 'none');
  return { id, from: 'settings', ...(secret !== undefined && { secret }), ...(auth !== undefined && { auth }) };
}

const supportsMetadataUrl = (metadata: AuthServer['metadata']): boolean =>
  'client_id_metadata_document_supported' in metadata && metadata.client_id_metadata_document_supported === true;

async function registeredClient(
  { authServer, redirectUri, scope, fetch }: ClientChoice,
  takesPublic: boolean,
  methods: readonly string[] | undefined,
): Promise<Client> {
  const { metadata, url } = authServer;
  if (metadata.registration_endpoint === undefined) {
    throw new AuthProblem(
      `The authorization server ${new URL(url).host} registers no clients by itself. Register Helve there with the redirect address http://localhost:PORT/callback, and set "clientId" and "callbackPort" in the "oauth" settings of the server.`,
    );
  }
  const method = takesPublic ? 'none' : (methods?.find((one) => /^client_secret_(?:basic|post)$/.test(one)) ?? 'none');
  const host = new URL(metadata.registration_endpoint).host;
  try {
    const registered = await registerClient(url, {
      metadata,
      clientMetadata: {
        client_name: 'Helve',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: method,
        application_type: 'native',
      },
      ...(scope !== undefined && { scope }),
      fetchFn: fetch('The registration endpoint'),
    });
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: auth } = registered;
    return {
      id,
      from: 'registration',
      redirectUri,
      ...(secret !== undefined && { secret }),
      ...(auth !== undefined && { auth }),
    };
  } catch (error) {
    if (error instanceof AuthProblem) throw error;
    const why = error instanceof RegistrationRejectedError ? rejection(error) : 'its answer is no client';
    throw new AuthProblem(
      `Helve could not be registered as a client at ${host}: ${why}. A client that was registered by hand can be set as "clientId" in the "oauth" settings of the server.`,
      { cause: error },
    );
  }
}

function rejection({ status, body }: RegistrationRejectedError): string {
  const answer = parseJson(body);
  const said = isObject(answer) ? (answer['error_description'] ?? answer['error']) : undefined;
  return typeof said === 'string' ? `HTTP ${status}, ${plainLine(said, 200)}` : `HTTP ${status}`;
}
