// What is behind the gateway: the sessions of this machine, or later those of several.
import type { RpcTransport } from '../acp/json-rpc.js';

export interface BackEnd {
  /** It limits clients to the project of their token. */
  readonly hasProjects?: boolean;
  /** A connection for one client. Rejects with a message for the person. */
  connect(): Promise<BackEndConnection>;
  /** What is sent on in the client's `initialize`, in the place of what it says itself. */
  caller(): Readonly<Record<string, unknown>>;
  /** How many sessions there are in each state. */
  sessionStates(): Promise<ReadonlyMap<string, number>>;
}

export interface BackEndConnection extends RpcTransport {
  close(): void;
}
