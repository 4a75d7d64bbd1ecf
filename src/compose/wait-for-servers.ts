// Waits for the MCP servers that the first request needs, within limits.
import { availableParallelism } from 'node:os';
import type { Session } from '../agent/session.js';
import type { SessionServers } from '../mcp/client/session-servers.js';
import { STARTS_AT_ONCE } from '../mcp/client/start-queue.js';
import { plainLine } from '../platform/text/plain-text.js';
import { configuredServers } from './configured-servers.js';
import type { Notices } from './notices.js';
import type { ResolvedOptions } from './resolve-options.js';

const NAMED_SERVERS_MS = 10_000; // for servers that were named for this session
const REPORT_MS = 500; // a connection has the same limit, and reports why it failed
const START_MS = 300; // for servers of settings that are about to be ready
const MAX_NAME = 40;
const SILENT_MS = 2_000; // a longer wait is reported
const OTHER_SERVERS_MS = 5_000; // for servers of settings that the first request waits for

export interface ServerWait {
  signal: AbortSignal;
  isResumed: boolean;
  /** Called once, with the reason for a wait of more than two seconds. */
  onWait?(sentence: string): void;
}

interface WaitParts {
  client: SessionServers;
  resolved: ResolvedOptions;
  session: Session;
  notices: Notices;
}

export async function waitForServers(
  { client, resolved, session, notices }: WaitParts,
  { signal, isResumed, onWait }: ServerWait,
): Promise<void> {
  const { options, env, settings } = resolved;
  const { servers } = configuredServers(options, settings());
  const named = servers.filter(({ source }) => source === 'flag').map(({ name }) => name);
  // A conversation that is resumed may call at once the tools that it had before.
  const waitsForAll = isResumed || options.awaitServers === true || env['MCP_CONNECTION_NONBLOCKING'] === '0';
  const others = servers.filter(({ entry }) => waitsForAll || entry['alwaysLoad'] === true).map(({ name }) => name);
  const startMs = settings()?.mcp.startWaitMs?.value ?? START_MS;
  const connectMs = Number(env['MCP_TIMEOUT']);
  const namedMs = connectMs > 0 ? connectMs + REPORT_MS : NAMED_SERVERS_MS;
  const timer = setTimeout(() => {
    const waitedFor = pendingOf(client, [...named, ...others]);
    if (waitedFor.length > 0) onWait?.(`Waiting for ${serversNamed(waitedFor)} before the first request.`);
  }, SILENT_MS);
  const waits = [
    startMs > 0 && client.settled({ withinMs: startMs, signal }),
    // From when the client is loaded: the limit of a connection, which reports why it failed, counts from there too.
    named.length > 0 && client.start().then(() => client.settled({ names: named, withinMs: namedMs, signal })),
    others.length > 0 &&
      client.settled({
        names: others,
        withinMs: Number(env['MCP_CONNECT_TIMEOUT_MS']) || OTHER_SERVERS_MS,
        signal,
      }),
  ];
  // Processes that still start at the end of a short wait would delay the request: it gets a processor of its own.
  if (named.length + others.length === 0) {
    client.limitStarts(Math.max(1, Math.min(availableParallelism() - 1, STARTS_AT_ONCE)));
  }
  await Promise.all(waits);
  clearTimeout(timer);
  client.limitStarts(0); // until the request has left, or something needs a server
  const late = pendingOf(client, [...named, ...others]);
  if (late.length > 0) notices.say(`Going on without ${serversNamed(late)}, not ready yet.`);
  const pending = pendingOf(client);
  if (pending.length > 0) {
    session.remind(
      `Not ready yet: ${serversNamed(pending)}. A notice follows when there are tools of ${pending.length === 1 ? 'it' : 'them'}.`,
    );
  }
}

const pendingOf = (client: SessionServers, names?: readonly string[]): string[] =>
  client
    .states()
    .filter(({ name, status }) => status === 'pending' && (names === undefined || names.includes(name)))
    .map(({ name }) => plainLine(name, MAX_NAME));

const serversNamed = (names: readonly string[]): string =>
  `the MCP ${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`;
