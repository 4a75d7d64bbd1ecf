// MCP over stdin and stdout. Nothing else may be written to stdout.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { cutMiddle } from '../../platform/text/truncate.js';
import type { Offer } from './offer.js';
import { ServedConnection } from './serve-connection.js';
import type { OpenSession, ServerIdentity } from './serve-port.js';
import { createServer } from './server.js';

const MAX_PROBLEM_CHARS = 1_000; // a problem may quote a whole message
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024; // a written file arrives in one message

export interface StdioOptions {
  open: OpenSession;
  identity: ServerIdentity;
  offer?: Offer | undefined;
  signal: AbortSignal;
  onProblem(text: string): void;
}

/** Serves until the client closes the connection or the signal aborts, then ends what calls have left running. */
export async function serveOverStdio({ open, identity, offer, signal, onProblem }: StdioOptions): Promise<void> {
  const connections: ServedConnection[] = [];
  const transport = new EndingTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const served = serveStdio(
    () => {
      const connection = new ServedConnection(open);
      connections.push(connection);
      return createServer({ connection, identity, offer });
    },
    { transport, onerror: ({ message }) => onProblem(cutMiddle(message, MAX_PROBLEM_CHARS)) },
  );
  const close = (): void => void served.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  await transport.ended;
  signal.removeEventListener('abort', close);
  await Promise.all(connections.map((connection) => connection.end()));
}

/** Reports its end, from either side. */
class EndingTransport extends StdioServerTransport {
  readonly #ended = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#ended.resolve();
  }
}
