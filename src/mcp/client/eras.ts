// The protocol has two eras: until 2025-11-25 a connection begins with `initialize` and has a session; from 2026-07-28
// on each request stands alone, and `server/discover` tells what a server offers. Which one a server speaks is
// remembered, so that only its first start pays for the question.

/** What is known about a server from its last connection. */
export type KnownEra =
  | { era: 'legacy' }
  | {
      era: 'modern';
      versions: readonly string[];
      /** Tells which lists to fetch before the server has confirmed them. */
      capabilities: Readonly<Record<string, unknown>>;
    };

/** The eras of servers, per user of this machine. */
export interface ServerEras {
  /** Undefined if the server is not known, or not known well enough. Never rejects. */
  get(server: string): Promise<KnownEra | undefined>;
  set(server: string, era: KnownEra): Promise<void>;
  forget(server: string): Promise<void>;
}
