// The MCP servers in the host: their messages travel inside control requests, in both directions.
import type { HostServers } from '../../mcp/client/host-transport.js';
import { isObject } from '../../platform/is-object.js';
import type { ControlChannel } from './control-channel.js';
import { RequestRefused } from './host-requests.js';

export class HostServerLinks implements HostServers {
  readonly #channel: ControlChannel;
  readonly #receivers = new Map<string, (message: unknown) => void>();

  constructor(channel: ControlChannel) {
    this.#channel = channel;
  }

  async send(server: string, message: unknown, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#channel.ask({ subtype: 'mcp_message', server_name: server, message }, signal);
    return isObject(answer) ? answer['mcp_response'] : undefined;
  }

  listen(server: string, receive: (message: unknown) => void): () => void {
    this.#receivers.set(server, receive);
    return () => {
      if (this.#receivers.get(server) === receive) this.#receivers.delete(server);
    };
  }

  /** A message that a server sends by itself. It is only passed on: the reader of the host's lines never waits. */
  receive(server: string, message: unknown): void {
    const receive = this.#receivers.get(server);
    if (!receive) throw new RequestRefused(`There is no MCP server "${server}" in this conversation.`);
    receive(message);
  }
}
