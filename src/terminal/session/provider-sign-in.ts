import { type LoginProvider, loginTitles } from '../../models/sign-in/login-names.js';
import { messageOf } from '../../platform/message-of.js';
import { AuthProblem } from '../../platform/oauth/auth-problem.js';
import { openBrowser } from '../../platform/open-browser.js';

type Environment = Readonly<Record<string, string | undefined>>;

interface PendingSignIn {
  provider: LoginProvider;
  cancel: AbortController;
  paste?: (text: string) => void;
}

/** The sign-in to a provider that waits for the browser: one at a time. */
export class ProviderSignIn {
  #pending: PendingSignIn | undefined;
  readonly #ended: AbortSignal;

  /** `ended` aborts when the terminal is closed. */
  constructor(ended: AbortSignal) {
    this.#ended = ended;
  }

  /** Whether a sign-in to this provider waits for the browser. */
  isPending(provider: LoginProvider): boolean {
    return this.#pending?.provider === provider && this.#pending.paste !== undefined;
  }

  /** Passes on the address that the browser ended at. Throws if no sign-in waits for it. */
  paste(provider: LoginProvider, text: string): void {
    const pending = this.isPending(provider) ? this.#pending : undefined;
    if (!pending?.paste) {
      throw new AuthProblem(`No sign-in to ${loginTitles[provider]} is waiting. Begin with /login ${provider}.`);
    }
    pending.paste(text);
  }

  /** Resolves once the address is known; the prompt is free while the browser is open. The outcome is told. */
  async begin(
    provider: LoginProvider,
    { env, isNew, tell, done }: { env: Environment; isNew: boolean; tell(text: string): void; done(): Promise<void> },
  ): Promise<void> {
    this.close('Another sign-in has begun.');
    const pending: PendingSignIn = { provider, cancel: new AbortController() };
    this.#pending = pending;
    const shown = Promise.withResolvers<void>();
    const { logIn } = await import('../../models/sign-in/provider-login.js');
    const onAddress = async (address: string, code?: string): Promise<void> => {
      if (code === undefined) await this.#show(provider, address, env, tell);
      else tell(`Open in a browser on any machine: ${address}, and enter the code ${code}`);
      shown.resolve();
    };
    logIn(provider, {
      ...{ env, isNew },
      signal: AbortSignal.any([pending.cancel.signal, this.#ended]),
      onNotice: tell,
      onPaste: (paste) => {
        pending.paste = paste;
      },
      onAddress: (address, code) => void onAddress(address, code),
    })
      .then(async (sentences) => {
        if (this.#pending === pending) this.#pending = undefined;
        for (const sentence of sentences) tell(sentence);
        await done();
      })
      .catch((error: unknown) => {
        if (!this.#ended.aborted) tell(messageOf(error));
      })
      .finally(() => {
        if (this.#pending === pending) this.#pending = undefined;
        shown.resolve();
      });
    await shown.promise;
  }

  /** Ends a sign-in that waits. */
  close(why: string): void {
    this.#pending?.cancel.abort(new AuthProblem(why));
    this.#pending = undefined;
  }

  async #show(provider: LoginProvider, address: string, env: Environment, tell: (text: string) => void): Promise<void> {
    const isOpened = await openBrowser(address, env);
    tell(`${isOpened ? 'A browser was opened. If you do not see it, open' : 'Open in a browser'}: ${address}`);
    tell(`If the browser ends at a page that can't be loaded, enter /login ${provider} again, and paste its address.`);
  }
}
