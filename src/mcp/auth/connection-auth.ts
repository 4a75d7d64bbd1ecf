type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a connection needs to know of its server's sign-in. Free of the protocol's types. */
export interface ConnectionAuth {
  /** Adds the token to each request, and renews it. */
  fetch(base: Fetch): Fetch;
  /** What the error means, as a sentence, if it is about the sign-in. */
  explain(error: unknown): string | undefined;
  /** Why the server can't be used without a sign-in, and the command for it. */
  readonly needsSignIn: string;
  /** Whether somebody may have signed in since the last request, here or in another process. */
  hasChanged(): Promise<boolean>;
  /** Resolves once no token is being renewed. */
  settled(): Promise<void>;
}
