import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface TestServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** The requested hosts and paths, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A web server on the loopback interface, for tests of fetching pages. */
export async function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host?.split(':')[0]}${request.url}`);
    response.on('error', () => {}); // the client may be gone
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Always answers with this text and content type. */
export const page =
  (body: string | Uint8Array, contentType = 'text/html; charset=utf-8') =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': contentType }).end(body);
  };
