import type { Agent, IncomingMessage } from 'node:http';

// Of a connection that no request uses: it would be held between prompts. A request that is under way may be silent for longer.
const IDLE_MS = 8_000;

/** What came back from a server: the beginning of it, and the rest as it arrives. */
export interface HttpAnswer {
  status: number;
  statusText: string;
  header(name: string): string | undefined;
  /** To be read to its end or left by `break`, which gives the connection up. */
  body: AsyncIterable<Uint8Array>;
  /** Gives the connection up even while somebody waits for more of the body, which `break` can't. */
  cancel(): void;
}

/** What is posted: a text, or the pieces of one as UTF-8. */
export type Body = string | readonly Uint8Array[];

/** Posts a text. `release` closes connections that wait for the next request. Rejects when nothing came back; redirects are not followed, since a key would go along. */
export type Post = ((
  url: string,
  request: {
    headers: Readonly<Record<string, string>>;
    body: Body;
    signal: AbortSignal;
  },
) => Promise<HttpAnswer>) & { release?(): void };

/**
 * Posts over Node's own client, one connection after the other kept for the next request. It is several times quicker
 * to load than the platform's fetch, which counts before the first request of every run.
 */
export function nodePost(): Post {
  const agents = new Map<string, Agent>();
  const released = new WeakSet<object>(); // sockets that are closed after their request
  const post: Post = async (url, { headers, body, signal }) => {
    const { protocol } = new URL(url);
    // Not by `import`: that reads every export, and some of http's are getters that load all of fetch.
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
        // Not every way of closing without an answer counts as an error.
        reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' }));
      });
      request.on('upgrade', (_, socket) => {
        socket.destroy();
        reject(new Error('it wants to speak another protocol: 101 Switching Protocols'));
      });
      request.on('error', reject);
      request.cork(); // so that all goes out at once
      for (const piece of pieces) request.write(piece);
      request.end();
      request.uncork();
    });
    answer.on('error', () => {}); // whoever reads the body is told by that; when nobody does, nobody need know
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

/** The same by a fetch of the embedder's own, for proxies and tests. */
export function postByFetch(fetchIt: typeof fetch): Post {
  return async (url, { headers, body, signal }) => {
    const controller = new AbortController();
    const either = AbortSignal.any([signal, controller.signal]);
    const whole = typeof body === 'string' ? body : Buffer.concat(body).toString();
    const response = await fetchIt(url, { method: 'POST', headers, body: whole, signal: either, redirect: 'manual' });
    return {
      status: response.status,
      statusText: response.statusText,
      // An encoding is undone by the time that the body is read.
      header: (name) => (name === 'content-encoding' ? undefined : (response.headers.get(name) ?? undefined)),
      body: response.body ?? emptyBody(),
      cancel: () => controller.abort(),
    };
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
