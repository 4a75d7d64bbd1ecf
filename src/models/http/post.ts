import type { Agent, IncomingMessage } from 'node:http';

// Idle keep-alive connections are closed after this, so that none is held between prompts. It does not limit requests
// in flight.
const IDLE_MS = 8_000;

/** An HTTP response: status and headers, and the body as it arrives. */
export interface HttpAnswer {
  status: number;
  statusText: string;
  header(name: string): string | undefined;
  /** Read it to the end, or leave the loop, which closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** Closes the connection even while a read of the body is pending, which leaving the loop can't do. */
  cancel(): void;
}

/** The body of a request: a string, or its UTF-8 bytes in pieces. */
export type Body = string | readonly Uint8Array[];

/**
 * Sends a POST request. `release` closes idle connections. Rejects if there was no response. Redirects are not
 * followed, because the key would be sent along.
 */
export type Post = ((
  url: string,
  request: {
    headers: Readonly<Record<string, string>>;
    body: Body;
    signal: AbortSignal;
    /** The whole request was handed to the system. */
    onSent?: (() => void) | undefined;
  },
) => Promise<HttpAnswer>) & { release?(): void };

/**
 * Sends requests with Node's http client and keeps the connection alive for the next one. It loads several times faster
 * than fetch, which matters for the first request of every run.
 */
export function nodePost(): Post {
  const agents = new Map<string, Agent>();
  const released = new WeakSet<object>(); // sockets to close after their request
  const post: Post = async (url, { headers, body, signal, onSent }) => {
    const { protocol } = new URL(url);
    // Not `import`: it would read every export, and some of http's are getters that load all of fetch.
    const client = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    let agent = agents.get(protocol);
    if (agent === undefined) {
      agent = new client.Agent({ keepAlive: true, timeout: IDLE_MS });
      const keep = agent.keepSocketAlive.bind(agent);
      agent.keepSocketAlive = (socket) => (released.has(socket) ? false : keep(socket));
      agents.set(protocol, agent);
    }
    signal.throwIfAborted();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      let arrived: IncomingMessage | undefined;
      const pieces = typeof body === 'string' ? [Buffer.from(body)] : body;
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const options = { method: 'POST', headers: { ...headers, 'content-length': String(length) }, agent };
      const request = client.request(url, options, (answer) => {
        arrived = answer;
        resolve(answer);
      });
      const onAbort = () => (arrived ? arrived.destroy() : request.destroy(new Error('The request was aborted.')));
      signal.addEventListener('abort', onAbort, { once: true });
      request.on('close', () => {
        signal.removeEventListener('abort', onAbort);
        // Node does not report every close without a response as an error.
        reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' }));
      });
      request.on('upgrade', (_, socket) => {
        socket.destroy();
        reject(new Error('it switched to another protocol: 101 Switching Protocols'));
      });
      request.on('error', reject);
      if (onSent) request.once('finish', onSent);
      request.cork(); // sends headers and body in one packet
      for (const piece of pieces) request.write(piece);
      request.end();
      request.uncork();
    });
    answer.on('error', () => {}); // the reader of the body gets this error; without a reader it does not matter
    return {
      status: answer.statusCode ?? 0,
      statusText: answer.statusMessage ?? '',
      header: (name) => [answer.headers[name.toLowerCase()] ?? []].flat()[0],
      body: answer,
      cancel: () => void answer.destroy(),
    };
  };
  post.release = () => {
    for (const agent of agents.values()) {
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
      for (const socket of Object.values(agent.sockets).flat()) if (socket) released.add(socket);
    }
  };
  return post;
}

/** The same with a custom fetch, for proxies and tests. */
export function postByFetch(fetchIt: typeof fetch): Post {
  return async (url, { headers, body, signal }) => {
    const controller = new AbortController();
    const either = AbortSignal.any([signal, controller.signal]);
    const whole = typeof body === 'string' ? body : Buffer.concat(body).toString();
    const response = await fetchIt(url, { method: 'POST', headers, body: whole, signal: either, redirect: 'manual' });
    return {
      status: response.status,
      statusText: response.statusText,
      // fetch has already decoded the body.
      header: (name) => (name === 'content-encoding' ? undefined : (response.headers.get(name) ?? undefined)),
      body: response.body ?? emptyBody(),
      cancel: () => controller.abort(),
    };
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
