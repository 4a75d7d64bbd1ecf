// What the server has done since it started, for /metrics.
export interface ServeCounts {
  httpRequests: Map<number, number>;
  connections: number;
  messagesIn: number;
  messagesOut: number;
  bytesIn: number;
  bytesOut: number;
  /** Messages and sign-ins that were refused. */
  refused: number;
  failedSignIns: number;
  /** How often a client read more slowly than it was sent to. */
  waits: number;
  slowCloses: number;
  /** How often the host process ended while a client was connected. */
  hostEnds: number;
}

export const newCounts = (): ServeCounts => ({
  httpRequests: new Map(),
  connections: 0,
  messagesIn: 0,
  messagesOut: 0,
  bytesIn: 0,
  bytesOut: 0,
  refused: 0,
  failedSignIns: 0,
  waits: 0,
  slowCloses: 0,
  hostEnds: 0,
});
