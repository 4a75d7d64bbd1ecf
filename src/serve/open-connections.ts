// Connections that are not those of a client that was let in: requests, and sockets that may never send one. Each program of
// the machine can open as many as it likes, so the oldest makes room for the next one, and a request of someone else, which
// takes milliseconds, is answered all the same.
import type { Socket } from 'node:net';
import { monotonicMs } from '../platform/clock.js';

const TOLD_EVERY_MS = 60_000;

export interface OpenConnectionsOptions {
  max: number;
  onProblem(sentence: string): void;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  /** By the address and port of the other side, which TLS does not change; the oldest first. */
  readonly #open = new Map<string, Socket>();
  #toldAt = Number.NEGATIVE_INFINITY;
  /** How many were closed to make room. */
  dropped = 0;

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  add(socket: Socket): void {
    const { max } = this.#options;
    const [oldest] = this.#open;
    if (oldest && this.#open.size >= max) {
      this.#open.delete(oldest[0]);
      oldest[1].destroy();
      this.dropped += 1;
      this.#tell();
    }
    const key = keyOf(socket);
    this.#open.set(key, socket);
    socket.once('close', () => {
      if (this.#open.get(key) === socket) this.#open.delete(key);
    });
  }

  /** A client was let in on this connection: from now on the limit on clients counts it. */
  letIn(socket: Socket): void {
    this.#open.delete(keyOf(socket));
  }

  #tell(): void {
    const now = monotonicMs();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    this.#options.onProblem(
      `More than ${this.#options.max} connections are open beside those of clients, so the oldest are closed. A program that opens many of them, or a proxy that keeps them open, is the cause.`,
    );
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
