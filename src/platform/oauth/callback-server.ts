// Receives the browser at the end of a sign-in: a server on this machine that answers one address.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { codeOf } from '../error-code.js';
import { AuthProblem } from './auth-problem.js';

const MAX_HEADER_BYTES = 16 * 1024; // the code and the state are in the request line

export interface CallbackServer {
  redirectUri: string;
  close(): void;
}

export interface CallbackPort {
  /** The only port that may be used, as one that was registered by hand. */
  fixed?: number | undefined;
  /** Tried first; another port is taken if it is in use. */
  preferred?: number | undefined;
}

/**
 * Listens on 127.0.0.1. `receive` gets the parameters of each request and returns whether they end this sign-in: a page
 * that is open elsewhere can send anything.
 */
export async function listenForCallback(
  port: CallbackPort,
  path: string,
  receive: (parameters: URLSearchParams) => 'accepted' | 'refused',
): Promise<CallbackServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const address = URL.parse(request.url ?? '', 'http://127.0.0.1');
    if (request.method !== 'GET' || address?.pathname !== path) {
      answer(response, 404, 'There is nothing here.');
      return;
    }
    const outcome = receive(address.searchParams);
    if (outcome === 'accepted')
      answer(response, 200, 'Helve has received the answer. You can close this page and return to the terminal.');
    else answer(response, 400, 'This does not belong to the sign-in that Helve is waiting for.');
  });
  server.requestTimeout = 10_000;
  const bound = await bind(server, port);
  // Clients of other agents are registered with this name, and the port of settings was registered by hand.
  const host = port.fixed === undefined ? '127.0.0.1' : 'localhost';
  return {
    redirectUri: `http://${host}:${bound}${path}`,
    close: () => {
      server.close();
      server.closeAllConnections(); // a browser opens spare ones, which would keep the process running
    },
  };
}

async function bind(server: Server, { fixed, preferred }: CallbackPort): Promise<number> {
  try {
    return await listen(server, fixed ?? preferred ?? 0);
  } catch (error) {
    if (fixed === undefined && preferred !== undefined) return await listen(server, 0);
    const why = codeOf(error) === 'EADDRINUSE' ? 'another program uses it' : (codeOf(error) ?? String(error));
    throw new AuthProblem(`The port ${fixed ?? 0} for the end of the sign-in can't be used: ${why}.`);
  }
}

async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, host: '127.0.0.1' }, resolve);
  try {
    await promise;
  } finally {
    server.off('error', reject);
  }
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer', // the address contains the code
    connection: 'close',
  });
  response.end(
    `<!doctype html><meta charset="utf-8"><title>Helve</title><body style="font: 1.1em sans-serif; margin: 4em auto; max-width: 32em"><p>${sentence}</p>\n`,
  );
}
