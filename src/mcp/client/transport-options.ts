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
  whileRunning(kill: () => void): () => void;
}
