import type { ConnectionAuth } from '../auth/connection-auth.js';
import type { ConnectionConfig } from './config.js';
import type { HostServers } from './host-transport.js';

/** Separate from the code that opens transports, so that the SDK's types don't depend on the protocol's. */
export interface TransportOptions {
  config: ConnectionConfig;
  /** The project folder: where the server starts. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Identifies its processes. */
  mark: string;
  /** The servers in the host program, if there is one. */
  hostServers?: HostServers | undefined;
  name: string;
  /** The sign-in of a remote server; undefined if its headers contain a key. */
  auth?: ConnectionAuth | undefined;
  whileRunning(kill: () => void): () => void;
}
