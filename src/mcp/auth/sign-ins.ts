// The sign-ins of a session: one per remote server, kept when the server is connected to again.
import type { AskUser } from '../../contract/question.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { openBrowser } from '../../platform/open-browser.js';
import type { ConnectionConfig } from '../client/config.js';
import { ServerAuth } from './server-auth.js';

interface SessionOptions {
  env: Readonly<Record<string, string | undefined>>;
  dataFolder: string;
  askUser: AskUser | undefined;
  /** Called with a message for the user. */
  onNotice(text: string): void;
}

export interface SignInOptions {
  /** Scopes to ask for instead of those that the server names, separated by spaces. */
  scope?: string | undefined;
  /** False only shows the address. */
  opensBrowser: boolean;
  signal: AbortSignal;
  /** Called with the address to open in a browser, and whether a browser was opened. */
  onAddress(address: string, isOpened: boolean): void;
}

export type SignedOut = 'revoked' | 'removed' | 'not signed in';

export class SignIns {
  readonly #options: SessionOptions;
  readonly #auths = new Map<string, { key: string; auth: ServerAuth }>();
  /** The sign-ins that wait for a person, with what takes a pasted address. */
  readonly #pending = new Map<string, { cancel: AbortController; paste?: (text: string) => void }>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Undefined for a process, and for a server whose headers already say who the user is. */
  of(name: string, config: ConnectionConfig): ServerAuth | undefined {
    if (config.type !== 'http' && config.type !== 'sse') return undefined;
    const { url, headers, headersHelper, oauth } = config;
    const hasKey =
      headersHelper !== undefined || Object.keys(headers).some((header) => /^authorization$/i.test(header));
    if (hasKey && oauth === undefined) return undefined;
    const key = JSON.stringify([url, oauth]);
    const known = this.#auths.get(name);
    if (known?.key === key) return known.auth;
    const { env, dataFolder, askUser, onNotice } = this.#options;
    const auth = new ServerAuth({
      identity: { name, url },
      settings: oauth,
      dataFolder,
      askUser,
      onNotice,
      openBrowser: (address) => openBrowser(address, env),
    });
    this.#auths.set(name, { key, auth });
    return auth;
  }

  async signIn(name: string, { scope, opensBrowser, signal, onAddress }: SignInOptions): Promise<void> {
    const auth = this.#authOf(name);
    this.#cancel(name, 'Another sign-in to this server has begun.');
    const pending: { cancel: AbortController; paste?: (text: string) => void } = { cancel: new AbortController() };
    this.#pending.set(name, pending);
    try {
      await auth.signIn({
        scope,
        signal: AbortSignal.any([signal, pending.cancel.signal]),
        onAddress: (address) => {
          const opening = opensBrowser ? openBrowser(address, this.#options.env) : Promise.resolve(false);
          void opening.then((isOpened) => onAddress(address, isOpened));
        },
        onPaste: (paste) => {
          pending.paste = paste;
        },
      });
    } finally {
      if (this.#pending.get(name) === pending) this.#pending.delete(name);
    }
  }

  /** Whether a sign-in to it waits for the browser. */
  isPending(name: string): boolean {
    return this.#pending.get(name)?.paste !== undefined;
  }

  /** Passes on what the user pasted: the address that the browser ended at, or a code. */
  paste(name: string, text: string): void {
    const { paste } = this.#pending.get(name) ?? {};
    if (!paste)
      throw new AuthProblem(`No sign-in to ${name} is waiting for an address. Begin with /mcp login ${name}.`);
    paste(text);
  }

  async signOut(name: string, signal: AbortSignal): Promise<SignedOut> {
    this.#cancel(name, 'You signed out.');
    return await this.#authOf(name).signOut(signal);
  }

  /** Ends the sign-ins that wait. */
  close(): void {
    for (const name of this.#pending.keys()) this.#cancel(name, 'The session has ended.');
    for (const { auth } of this.#auths.values()) auth.close();
  }

  #cancel(name: string, why: string): void {
    this.#pending.get(name)?.cancel.abort(new AuthProblem(why));
  }

  #authOf(name: string): ServerAuth {
    const known = this.#auths.get(name);
    if (known) return known.auth;
    throw new AuthProblem(
      `It is not possible to sign in to ${name}: it is no server with an address, or its "headers" already contain a key.`,
    );
  }
}
