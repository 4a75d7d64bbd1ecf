import { identityOf, openSessions } from '../compose/serve-sessions.js';
import { Offer } from '../mcp/server/offer.js';
import type { ServerIdentity } from '../mcp/server/serve-port.js';
import { randomHex } from '../platform/crypto.js';
import { checkServeOptions } from './check-options.js';
import type { HttpOptions, McpService, ServeOptions } from './mcp.js';
import { engineOptions } from './program-options.js';

const MIN_TOKEN_CHARS = 16; // a shorter token could be guessed

export async function serveStdio(given: ServeOptions & { signal?: AbortSignal }): Promise<void> {
  checkServeOptions(given);
  const { signal, ...options } = given;
  const { serveOverStdio } = await import('../mcp/server/serve-stdio.js');
  await serveOverStdio({ ...served(options), signal: signal ?? new AbortController().signal });
}

export async function serveHttp(given: ServeOptions & HttpOptions): Promise<McpService> {
  checkServeOptions(given);
  const { port = 0, token, ...options } = given;
  const { serveOverHttp } = await import('../mcp/server/serve-http.js');
  const checked = token === undefined ? randomHex(32) : checkedToken(token);
  const { url, close } = await serveOverHttp({ ...served(options), port, token: checked });
  return { url, token: checked, close, [Symbol.asyncDispose]: close };
}

function served({ name, version, instructions, offer, onProblem = () => {}, ...options }: ServeOptions) {
  const { title, ...own } = identityOf(options.root ?? process.cwd());
  if (offer && !(offer instanceof Offer)) throw new TypeError('Create the offer with createMcpOffer.');
  const identity: ServerIdentity = {
    name: name ?? own.name,
    ...(name === undefined && title !== undefined && { title }),
    version: version ?? own.version,
    instructions: instructions ?? own.instructions,
  };
  return { open: openSessions(engineOptions(options), { onNotice: onProblem }), identity, offer, onProblem };
}

function checkedToken(token: string): string {
  if (token.length >= MIN_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError(
    `A token must have at least ${MIN_TOKEN_CHARS} characters, without spaces. Leave it out to have one generated.`,
  );
}
