import type { AskUser } from '../../contract/question.js';
import type { ServerEras } from './eras.js';
import type { TransportOptions } from './transport-options.js';

export type ConnectionStatus = 'pending' | 'connected' | 'failed' | 'needs-auth' | 'disabled';

export interface ConnectionState {
  status: ConnectionStatus;
  /** What is wrong, as a sentence. */
  detail?: string;
}

export interface ConnectionOptions extends TransportOptions {
  /** The folders that the server is given as roots. */
  roots(): readonly string[];
  askUser: AskUser | undefined;
  limits: ConnectionLimits;
  eras(): Promise<ServerEras>;
  /** The server's key among the eras. */
  eraKey: string;
  /** Its state, or what it offers, has changed. */
  onChange(): void;
  /** The server has sent a log message. */
  onLog(level: string, text: string): void;
}

export interface ConnectionLimits {
  connectMs: number;
  /** For one call, regardless of progress. */
  callMs: number;
  /** The delay before the first retry; it doubles. */
  retryMs: number;
  /** How long a process may take to answer a question that old servers do not know. */
  probeMs: number;
}

export interface CallOptions {
  /** Whether a task may outlive the call. */
  inBackground: boolean;
  signal: AbortSignal;
  onProgress(text: string): void;
}
