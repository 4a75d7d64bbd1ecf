import type { ErrorFacts } from './failures.js';
import type { Body } from './post.js';

/** A request that is about to be sent. */
export interface OutgoingRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Body;
}

/** A response with status 401 or 403. */
export interface RefusedAnswer {
  status: number;
  header(name: string): string | undefined;
  /** The response's body, or its beginning. */
  body: string;
  /** The headers that authorised the request. */
  sent: Readonly<Record<string, string>>;
}

/** Authorises requests where a fixed key does not: by a signature of the request, or by a token that expires. */
export interface Authorization {
  /**
   * The headers that authorise this request, in addition to its own. Throws `ModelFailure` without credentials, and the
   * signal's reason when aborted. Parallel calls share the work of getting a token.
   */
  headersFor(request: OutgoingRequest, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Whether the refused request should be sent once more, because the next headers will differ: a fresh token, for example. */
  mayRetry?(refusal: RefusedAnswer): boolean;
}

/** What a server needs beside an address and a key. */
export interface ServerAccess extends ErrorFacts {
  authorization?: Authorization | undefined;
  /** The address is complete: no version such as /v1 is added to it. */
  isWholeAddress?: boolean;
  /** A ChatGPT plan is behind it, which accepts fewer fields of a request. */
  isPlan?: boolean;
}
