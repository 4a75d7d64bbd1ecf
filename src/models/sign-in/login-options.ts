import type { ListedModel, SignIn, SignInTokens, TokenProvider } from './sign-in-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoginOptions {
  env: Environment;
  /** Registers anew, to sign in as another account. */
  isNew: boolean;
  signal: AbortSignal;
  /** Called with the address to open in a browser, and the code to enter there, if there is one. */
  onAddress(address: string, code?: string): void;
  /** Called with a function that takes the address that the browser ended at. It throws if it does not fit. */
  onPaste(paste: (text: string) => void): void;
  /** Called with a sentence for the user. */
  onNotice(text: string): void;
}

/** How tokens of a provider are got, renewed and given back. */
export interface TokenIssuer {
  provider: TokenProvider;
  /** For people: "ChatGPT". */
  title: string;
  /** Resolves with a sign-in that was not saved yet. `earlier` is the registration to use again. */
  signIn(earlier: SignIn | undefined, options: LoginOptions): Promise<SignIn>;
  /**
   * New tokens for a sign-in, and where they are valid, if that changes. Throws `SignInEnded` if nothing but a new
   * sign-in helps, and `AuthProblem` for anything else.
   */
  renew(signIn: SignIn, signal: AbortSignal): Promise<{ tokens: SignInTokens; api?: string }>;
  /** Ends the tokens at the provider. False if it did not confirm that. */
  revoke(signIn: SignIn, signal: AbortSignal): Promise<boolean>;
  listModels(signIn: SignIn, signal: AbortSignal): Promise<readonly ListedModel[]>;
}
