// The tokens of one server: read from its file, renewed once however many calls and processes need it.
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { type AuthFetch, authFetch } from '../../platform/oauth/auth-fetch.js';
import { SharedCredential } from '../../platform/oauth/shared-credential.js';
import { errorClause } from '../../platform/text/clause.js';
import { configuredClient } from './choose-client.js';
import { confirmHost, type KnownHosts } from './confirm-host.js';
import { type Credential, credentialFile, type ServerIdentity } from './credential.js';
import { type AuthServer, discoverAuthServer } from './discover.js';
import type { OauthSettings } from './oauth-settings.js';
import { credentialOf } from './sign-in.js';
import { clientCredentials, refreshTokens, TokenRefused, tokensFrom } from './token-requests.js';

const RENEW_MS = 40_000; // for all requests of one renewal; less than other processes wait for the lock

/** What a server says when it refuses a request. */
export interface Challenge {
  resourceMetadataUrl?: URL;
  scope?: string;
}

export interface TokenSourceOptions {
  identity: ServerIdentity;
  settings: OauthSettings | undefined;
  dataFolder: string;
  /** Called with a message for the user. */
  onNotice(text: string): void;
}

export class TokenSource {
  readonly #options: TokenSourceOptions;
  readonly #shared: SharedCredential<Credential>;
  readonly known: KnownHosts;

  constructor(options: TokenSourceOptions) {
    const { identity, settings, dataFolder, onNotice } = options;
    this.#options = options;
    this.#shared = new SharedCredential({
      file: credentialFile(dataFolder, identity),
      applies: (credential) => this.#applies(credential),
      onUnsaved: (error) =>
        onNotice(
          `The renewed sign-in of the MCP server ${identity.name} could not be saved (${errorClause(error)}). It lasts until this session ends; after that, sign in again: helve mcp login ${identity.name}.`,
        ),
    });
    const addresses = [settings?.authServerMetadataUrl, settings?.issuer].filter((one) => one !== undefined);
    this.known = { server: new URL(identity.url), configured: addresses.map((address) => new URL(address)) };
  }

  /** Why there is no token, if there is more to say than that a sign-in is required. */
  get problem(): string | undefined {
    return this.#shared.problem;
  }

  /** Whether the file has changed since it was last read. */
  async hasChanged(): Promise<boolean> {
    return await this.#shared.hasChanged();
  }

  /** The credential that applies with the present settings; undefined if there is none. */
  async credential(): Promise<Credential | undefined> {
    return await this.#shared.current();
  }

  /** For requests of this server's sign-in. */
  fetch(signal: AbortSignal): AuthFetch {
    return authFetch((address, what) => confirmHost(address, what, this.known), signal);
  }

  /** The token for the next request; undefined if there is none. Rejects if it has expired and can't be renewed now. */
  async access(): Promise<string | undefined> {
    const { tokens } = (await this.credential()) ?? {};
    if (tokens?.renewAt === undefined || Date.now() < tokens.renewAt) return tokens?.access;
    if (tokens.refresh === undefined && !this.#isProgram) return tokens.access; // the server decides
    try {
      await this.renew(tokens.access);
    } catch (error) {
      const isStillGood = tokens.expiresAt !== undefined && Date.now() < tokens.expiresAt;
      if (!isStillGood) throw error;
    }
    return (await this.credential())?.tokens?.access;
  }

  /**
   * Replaces a token that has expired, or that the server refused with `challenge`. Joins a renewal that is running, and
   * does nothing if another process was faster. If nobody can be signed in without a person, there is no token then.
   */
  async renew(refused: string | undefined, challenge?: Challenge): Promise<void> {
    await this.#shared.renew(() => this.#renewLocked(refused, challenge));
  }

  /** Waits for a renewal that is running: aborting it could lose a token that the server has already replaced. */
  async settled(): Promise<void> {
    await this.#shared.settled();
  }

  async discover(challenge: Challenge | undefined, signal: AbortSignal): Promise<AuthServer> {
    return await discoverAuthServer({
      server: this.known.server,
      resourceMetadataUrl: challenge?.resourceMetadataUrl,
      settings: this.#options.settings,
      known: this.known,
      fetch: this.fetch(signal),
    });
  }

  /** Replaces what is stored, under the lock. Rejects if it can't be saved. */
  async replace(credential: Credential | undefined): Promise<void> {
    await this.#shared.replace(credential);
  }

  get #isProgram(): boolean {
    return this.#options.settings?.grant === 'client_credentials';
  }

  /** A credential of another client, or of another authorization server than the settings accept, is not used. */
  #applies({ client, issuer }: Credential): boolean {
    const { settings } = this.#options;
    if (settings?.issuer !== undefined && settings.issuer !== issuer) return false;
    return settings?.clientId === undefined ? client.from !== 'settings' : client.id === settings.clientId;
  }

  async #renewLocked(refused: string | undefined, challenge: Challenge | undefined): Promise<void> {
    const before = await this.credential(); // another process may have been faster
    if (before?.tokens && before.tokens.access !== refused) return;
    const signal = AbortSignal.timeout(RENEW_MS);
    if (this.#isProgram) await this.#renewProgram(before, challenge, signal);
    else if (before?.tokens?.refresh !== undefined)
      await this.#refresh(before, before.tokens.refresh, challenge, signal);
  }

  async #refresh(
    before: Credential,
    refreshToken: string,
    challenge: Challenge | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (challenge) {
      const { issuer } = await this.discover(challenge, signal);
      if (issuer !== before.issuer) {
        this.#shared.problem = `It now uses another authorization server, ${issuer}, and the sign-in at ${before.issuer} does not count there.`;
        return;
      }
    }
    const scope = before.tokens?.scope;
    try {
      const answer = await refreshTokens(this.#endpoint(before, signal), refreshToken);
      await this.#shared.save({ ...before, tokens: tokensFrom(answer, scope, Date.now()) });
    } catch (error) {
      if (!(error instanceof TokenRefused) || error.refusal === 'other') throw error;
      const { tokens: _, ...withoutTokens } = before;
      await this.#shared.save(error.refusal === 'client' ? undefined : withoutTokens);
      this.#shared.problem = error.message;
    }
  }

  async #renewProgram(
    before: Credential | undefined,
    challenge: Challenge | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { identity, settings } = this.#options;
    const client = configuredClient(settings);
    if (!client) return;
    const found = before && !challenge ? undefined : await this.discover(challenge, signal);
    if (found && before && found.issuer !== before.issuer) {
      this.#shared.problem = `It now uses another authorization server, ${found.issuer}, which does not get the secret that was used at ${before.issuer}. To accept the new one: helve mcp logout ${identity.name}.`;
      return;
    }
    const scope = settings?.scopes ?? challenge?.scope ?? before?.tokens?.scope ?? found?.resourceScopes?.join(' ');
    const base = found ? credentialOf(identity, found, client, undefined) : before;
    if (!base) return;
    try {
      const answer = await clientCredentials(this.#endpoint(base, signal), scope);
      await this.#shared.save({ ...base, tokens: tokensFrom(answer, scope, Date.now()) });
    } catch (error) {
      if (!(error instanceof TokenRefused) || error.isTransient) throw error;
      this.#shared.problem = error.message;
    }
  }

  #endpoint(credential: Credential, signal: AbortSignal) {
    const { settings } = this.#options;
    const { authorizationServer, issuer, endpoints, resource, client } = credential;
    const metadata: AuthorizationServerMetadata = {
      issuer,
      authorization_endpoint: authorizationServer, // not used for these requests
      token_endpoint: endpoints.token,
      response_types_supported: ['code'],
      ...(endpoints.clientAuth && { token_endpoint_auth_methods_supported: endpoints.clientAuth }),
    };
    return {
      authorizationServer,
      metadata,
      resource,
      client: client.from === 'settings' ? (configuredClient(settings) ?? client) : client,
      settings,
      fetch: this.fetch(signal),
    };
  }
}
