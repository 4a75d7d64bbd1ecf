// The sign-in of one remote server: its requests get a token, which is renewed when it expires or is refused.
import { computeScopeUnion, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';
import type { AskUser } from '../../contract/question.js';
import { abortable } from '../../platform/abortable.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { plainLine } from '../../platform/text/plain-text.js';
import type { ConnectionAuth } from './connection-auth.js';
import type { Credential } from './credential.js';
import { revokeTokens } from './revoke.js';
import { type SignInOptions, signIn } from './sign-in.js';
import { type Challenge, TokenSource, type TokenSourceOptions } from './token-source.js';

const MAX_STEP_UPS = 3; // per session: a server that always wants more must not ask without end

export interface ServerAuthOptions extends TokenSourceOptions {
  askUser: AskUser | undefined;
  /** Opens the address in the user's browser. Returns false if there is none. */
  openBrowser(address: string): Promise<boolean>;
}

export class ServerAuth implements ConnectionAuth {
  readonly #options: ServerAuthOptions;
  readonly #tokens: TokenSource;
  #challenge: Challenge | undefined;
  /** All scopes that the server has asked for in this session. */
  #wantedScope: string | undefined;
  readonly #ended = new AbortController();
  #stepUps = 0;
  #steppingUp: Promise<boolean> | undefined;

  constructor(options: ServerAuthOptions) {
    this.#options = options;
    this.#tokens = new TokenSource(options);
  }

  /** Whether somebody may have signed in since the last request, here or in another process. */
  async hasChanged(): Promise<boolean> {
    return await this.#tokens.hasChanged();
  }

  /** fetch for the server's transport: adds the token, and tries again once with a new one. */
  fetch(base: FetchLike): FetchLike {
    return async (url, init) => {
      // The token is for this server alone.
      if (new URL(url).origin !== this.#tokens.known.server.origin) return await base(url, init);
      const signal = init?.signal ?? undefined;
      const token = await whileWanted(signal, () => this.#tokens.access());
      const response = await base(url, withToken(init, token));
      const renewed = await this.#renewed(response, token, signal);
      if (renewed === undefined) return response;
      await response.body?.cancel();
      return await base(url, withToken(init, renewed));
    };
  }

  /** What a request that the server refused means for the user, and what to do; for an error of a transport. */
  explain(error: unknown): string | undefined {
    if (error instanceof AuthProblem)
      return `The MCP server ${this.#name} can't be used at the moment. ${error.message}`;
    if (!(error instanceof Error) || error.name !== 'InsufficientScopeError') return undefined;
    const scope = this.#wantedScope;
    const command = scope !== undefined && /^[\w:./@+ -]+$/.test(scope) ? ` --scope '${scope}'` : '';
    return `The MCP server ${this.#name} refused the request: it requires further permissions${scope === undefined ? '' : ` (${plainLine(scope, 300)})`}. To grant them: helve mcp login ${this.#name}${command}.`;
  }

  /** Why the server can't be used without a sign-in, and the command for it. */
  get needsSignIn(): string {
    const { settings } = this.#options;
    const why = this.#tokens.problem === undefined ? '' : ` ${this.#tokens.problem}`;
    if (settings?.grant === 'client_credentials') {
      return `The MCP server ${this.#name} did not accept the client of its "oauth" settings.${why}`;
    }
    return `The MCP server ${this.#name} needs a sign-in.${why} To sign in: helve mcp login ${this.#name}, or /mcp login ${this.#name} in the terminal.`;
  }

  /** Signs a person in, and replaces an earlier sign-in. */
  async signIn(options: SignInOptions): Promise<void> {
    const { identity, settings } = this.#options;
    if (settings?.grant === 'client_credentials') {
      throw new AuthProblem(`${this.#name} signs in by itself, with the client of its "oauth" settings.`);
    }
    const earlier = await this.#tokens.credential();
    const authServer = await this.#tokens.discover(this.#challenge ?? challengeOf(earlier), options.signal);
    if (!this.#challenge && authServer.resource === undefined && settings?.authServerMetadataUrl === undefined) {
      throw new AuthProblem(`${this.#name} did not ask for a sign-in, and names no authorization server.`);
    }
    const asked = computeScopeUnion(this.#wantedScope, this.#challenge?.scope) ?? authServer.resourceScopes?.join(' ');
    const scope = withOfflineAccess(
      options.scope ?? settings?.scopes ?? (asked === '' ? undefined : asked),
      authServer.metadata,
    );
    const fetch = this.#tokens.fetch(options.signal);
    const credential = await signIn({ identity, settings, authServer, scope, earlier, fetch }, options);
    try {
      await this.#tokens.replace(credential);
    } catch (error) {
      const isRevoked = await this.#revoke(credential, options.signal);
      const after = isRevoked ? 'and its tokens were revoked' : 'and its tokens were dropped';
      throw new AuthProblem(
        `The sign-in to ${this.#name} could not be saved (${plainLine(String(error instanceof Error ? error.message : error), 300)}), ${after}.`,
        { cause: error },
      );
    }
  }

  /** Forgets the sign-in, here and at the authorization server. */
  async signOut(signal: AbortSignal): Promise<'revoked' | 'removed' | 'not signed in'> {
    const credential = await this.#tokens.credential();
    await this.#tokens.replace(undefined); // first, so that nothing uses it any more
    if (!credential?.tokens) return 'not signed in';
    return (await this.#revoke(credential, signal)) ? 'revoked' : 'removed';
  }

  /** Ends questions and sign-ins that wait. */
  close(): void {
    this.#ended.abort(new AuthProblem('The session has ended.'));
  }

  async settled(): Promise<void> {
    await this.#tokens.settled();
  }

  get #name(): string {
    return this.#options.identity.name;
  }

  /** A token that is worth another try; undefined if the answer stands. */
  async #renewed(
    response: Response,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (response.status !== 401 && response.status !== 403) return undefined;
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
    const challenge: Challenge = {
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    };
    if (response.status === 403 && error !== 'insufficient_scope') return undefined;
    this.#challenge = challenge;
    if (response.status === 401) await whileWanted(signal, () => this.#tokens.renew(token, challenge));
    else if (!(await whileWanted(signal, () => this.#stepUp(token, scope)))) return undefined;
    const now = (await this.#tokens.credential())?.tokens?.access;
    return now === token ? undefined : now;
  }

  /** Asks the person to grant further scopes. Calls that need them at the same time share one question. */
  async #stepUp(token: string | undefined, scope: string | undefined): Promise<boolean> {
    const { tokens } = (await this.#tokens.credential()) ?? {};
    if (tokens && tokens.access !== token) return true; // granted meanwhile
    this.#wantedScope = computeScopeUnion(tokens?.scope, this.#wantedScope, scope);
    const { askUser, settings } = this.#options;
    if (!askUser || settings?.grant === 'client_credentials') return false;
    this.#steppingUp ??= this.#askForScopes(askUser).finally(() => {
      this.#steppingUp = undefined;
    });
    return await this.#steppingUp;
  }

  async #askForScopes(askUser: AskUser): Promise<boolean> {
    this.#stepUps += 1;
    if (this.#stepUps > MAX_STEP_UPS) return false;
    const scopes = this.#wantedScope === undefined ? '' : `: ${plainLine(this.#wantedScope, 300)}`;
    const [answer] = await askUser(
      [
        {
          header: 'Sign-in',
          question: `The MCP server ${plainLine(this.#name, 40)} requires further permissions${scopes}. Open a browser to grant them?`,
          options: [
            { label: 'Sign in', description: 'Opens the page of its authorization server.' },
            { label: 'Not now', description: 'The call fails.' },
          ],
        },
      ],
      this.#ended.signal,
    );
    if (answer?.chosen[0] !== 'Sign in') return false;
    const cancel = new AbortController();
    const onAddress = (address: string): void => {
      const none = new AuthProblem(
        `No browser could be opened here. Sign in with helve mcp login ${this.#name} --no-browser.`,
      );
      void this.#options.openBrowser(address).then((isOpen) => isOpen || cancel.abort(none));
    };
    await this.signIn({ signal: AbortSignal.any([cancel.signal, this.#ended.signal]), onAddress });
    return true;
  }

  async #revoke(credential: Credential, signal: AbortSignal): Promise<boolean> {
    return await revokeTokens(credential, this.#options.settings, this.#tokens.fetch(signal)).catch(() => false);
  }
}

const challengeOf = (earlier: Credential | undefined): Challenge | undefined =>
  earlier?.resourceMetadataUrl === undefined
    ? undefined
    : { resourceMetadataUrl: new URL(earlier.resourceMetadataUrl) };

const whileWanted = async <T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> =>
  signal ? await abortable(work, signal) : await work();

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** Asks for a refresh token where the authorization server grants one only for this scope. */
function withOfflineAccess(
  scope: string | undefined,
  { scopes_supported: supported }: { scopes_supported?: string[] | undefined },
): string | undefined {
  if (scope === undefined || supported?.includes('offline_access') !== true) return scope;
  return computeScopeUnion(scope, 'offline_access');
}
