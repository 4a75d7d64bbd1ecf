import type { Socket } from 'node:net';
import type { RpcTransport } from '../../acp/json-rpc.js';
import { readInputLines } from '../stream-json/read-input-lines.js';

const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Messages as lines over a socket. A peer that is gone gets nothing more, which the end of its lines shows. */
export function socketTransport(socket: Socket, signal: AbortSignal): RpcTransport {
  socket.on('error', () => {}); // as when the peer is killed: the lines end
  return {
    lines: readInputLines(socket, { maxBytes: MAX_LINE_BYTES, signal }),
    async write(line) {
      await new Promise<void>((resolve) => {
        if (socket.destroyed) resolve();
        else socket.write(`${line}\n`, () => resolve());
      });
    },
  };
}
