// The connection to an MCP server that lives in the host program: its messages travel inside those of the host.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';

/** The servers of the host program. */
export interface HostServers {
  /** Sends a message to a server. Resolves with the server's answer, or with undefined for a message without one. */
  send(server: string, message: unknown, signal: AbortSignal): Promise<unknown>;
  /** Sets the receiver of the messages that a server sends by itself, until the returned function is called. */
  listen(server: string, receive: (message: unknown) => void): () => void;
}

export class HostTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: string;
  readonly #host: HostServers;
  readonly #closed = new AbortController();
  #stopListening = (): void => {};

  constructor(server: string, host: HostServers) {
    this.#server = server;
    this.#host = host;
  }

  async start(): Promise<void> {
    this.#stopListening = this.#host.listen(this.#server, (message) => this.#receive(message));
  }

  /** Resolves once the message is on its way: the answer may need messages in the other direction first. */
  async send(message: JSONRPCMessage): Promise<void> {
    const { signal } = this.#closed;
    const answer = this.#host.send(this.#server, message, signal);
    const id = 'id' in message && 'method' in message ? message.id : undefined;
    answer.then(
      (received) => {
        if (id !== undefined && received !== undefined) this.#receive(received);
      },
      (error: unknown) => {
        if (signal.aborted || id === undefined) return;
        this.#receive({ jsonrpc: '2.0', id, error: { code: -32_000, message: messageOf(error) } });
      },
    );
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new Error('The connection was closed.'));
    this.#stopListening();
    this.onclose?.();
  }

  #receive(message: unknown): void {
    if (this.#closed.signal.aborted) return;
    // The protocol's own reader validates the rest.
    if (isObject(message) && message['jsonrpc'] === '2.0') this.onmessage?.(message as unknown as JSONRPCMessage);
    else this.onerror?.(new Error('The host sent a message that is not JSON-RPC 2.0.'));
  }
}
