// What changes in the database is announced at once, by LISTEN and NOTIFY. A signal may be lost with its connection, so
// those who listen also look from time to time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { loadPackage } from './postgres.js';

const CHANNEL = 'helve';
const CONNECT_MS = 10_000;
const RETRY_MS = 500;

/**
 * `due`: a prompt may begin. `steer`: an answer or a cancellation for a session that runs. `changed`: there is more to show
 * of a session.
 */
const signalKinds = ['due', 'steer', 'changed'] as const;

export type SignalKind = (typeof signalKinds)[number];

/** An expression of SQL that sends the signal once its transaction is committed. `sessionId` is an expression, too. */
export const notify = (kind: SignalKind, sessionId: string): string =>
  `pg_notify('${CHANNEL}', '${kind} ' || ${sessionId})`;

export interface SignalListener {
  onSignal(kind: SignalKind, sessionId: string): void;
  /** The connection is new: signals may have been lost before. */
  onGap(): void;
}

/** A connection of its own that listens, and is made again when it breaks. */
export class Signals {
  readonly #url: string;
  readonly #listener: SignalListener;
  readonly #ending = new AbortController();
  #client: Client | undefined;

  constructor(url: string, listener: SignalListener) {
    this.#url = url;
    this.#listener = listener;
    void this.#listen();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#client?.end().catch(() => {}); // it is broken already
  }

  async #listen(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#connected().catch(() => {}); // the regular look goes on meanwhile, and reports it
      await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Resolves when the connection ends. */
  async #connected(): Promise<void> {
    const { Client } = await loadPackage<typeof import('pg')>('pg');
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'helve signals',
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      client.once('error', () => resolve());
      client.once('end', () => resolve());
    });
    client.on('notification', ({ payload = '' }) => {
      const [kind, sessionId = ''] = payload.split(' ', 2);
      const known = signalKinds.find((one) => one === kind);
      if (known) this.#listener.onSignal(known, sessionId);
    });
    client.on('error', () => {}); // a later one of the same connection
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (this.#ending.signal.aborted) return;
      this.#listener.onGap();
      await ended;
    } finally {
      await client.end().catch(() => {});
    }
  }
}
