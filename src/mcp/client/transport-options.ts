import type { ConnectionConfig } from './config.js';

/** Apart from what opens it, so that the SDK's types do not lead to the protocol's. */
export interface TransportOptions {
  config: ConnectionConfig;
  /** The project: where the server starts. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** What its processes are known by. */
  mark: string;
  whileRunning(kill: () => void): () => void;
}
