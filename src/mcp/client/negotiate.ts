// Finds out which era of the protocol a server speaks, and connects in it. What is remembered of a server saves a
// question, and is never relied on: it is confirmed while it is used, and if it is wrong the server is asked.
import {
  type Client,
  type ConnectOptions,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type ServerCapabilities,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/client';
import { monotonicMs } from '../../platform/clock.js';
import { httpStatus, isUnreachable, otherVersions } from './connection-errors.js';
import type { KnownEra } from './eras.js';

/**
 * `remembered`: as last time. `ask`: with `server/discover`, and `initialize` if the answer is not one. `patient`: the
 * same for a process that was still starting when it was first asked. `legacy`: with `initialize` alone.
 */
type Way = 'remembered' | 'ask' | 'patient' | 'legacy';

const NEWEST_VERSION = '2026-07-28'; // the SDK's list has those of the old era alone

export type ServerKind = 'stdio' | 'http' | 'sse' | 'sdk';

export interface Negotiation {
  kind: ServerKind;
  remembered: KnownEra | undefined;
  /** How long a process may take to answer `server/discover`; old ones may never do. */
  probeMs: number;
  connectMs: number;
  signal: AbortSignal;
  /** Ends what the last attempt has left, and opens a new connection. */
  open(probeMs: number): Promise<{ client: Client; transport: Transport }>;
  /** Fetches what the server offers. */
  load(client: Client, capabilities: ServerCapabilities): Promise<void>;
}

export interface Negotiated {
  client: Client;
  /** Undefined if there is nothing to remember. */
  era: KnownEra | undefined;
}

/** The server and Helve have no version of the protocol in common. */
export class OtherVersions extends Error {}

export async function negotiate(negotiation: Negotiation): Promise<Negotiated> {
  const { kind, remembered } = negotiation;
  const tried = new Set<Way>();
  // The old transport has only the old era; a program's own servers speak it, too, unless they refuse it.
  let way: Way = kind === 'sse' || kind === 'sdk' ? 'legacy' : remembered ? 'remembered' : 'ask';
  for (;;) {
    tried.add(way);
    const startedAt = monotonicMs();
    try {
      return await connect(way, negotiation);
    } catch (error) {
      const waitedMs = monotonicMs() - startedAt;
      const next = nextWay(way, error, negotiation, waitedMs);
      if (next === undefined || tried.has(next)) throw plainError(error);
      way = next;
    }
  }
}

async function connect(way: Way, negotiation: Negotiation): Promise<Negotiated> {
  const { kind, remembered, connectMs, signal, open, load } = negotiation;
  const patience = way === 'ask' ? probeMsOf(negotiation) : connectMs;
  const { client, transport } = await open(patience);
  const options: ConnectOptions = { timeout: connectMs, signal };
  if (way !== 'remembered' && way !== 'legacy') {
    await client.connect(transport, options);
  } else {
    const isModern = way === 'remembered' && remembered?.era === 'modern';
    const prior: PriorDiscovery = isModern ? { kind: 'modern', discover: discoverOf(remembered) } : { kind: 'legacy' };
    await client.connect(transport, { ...options, prior });
    if (isModern) return await confirm(client, remembered, negotiation);
  }
  await load(client, client.getServerCapabilities() ?? {});
  return { client, era: kind === 'stdio' || kind === 'http' ? eraOf(client) : undefined };
}

/** Asks the server again while its lists are fetched already. */
async function confirm(
  client: Client,
  { capabilities }: Extract<KnownEra, { era: 'modern' }>,
  { connectMs, signal, load }: Negotiation,
): Promise<Negotiated> {
  const version = client.getNegotiatedProtocolVersion() ?? '';
  const [discovered] = await Promise.all([
    client.discover({ timeout: connectMs, signal }),
    load(client, client.getServerCapabilities() ?? {}),
  ]);
  if (!discovered.supportedVersions.includes(version)) throw new Error(`no longer speaks version ${version}`);
  if (JSON.stringify(discovered.capabilities) !== JSON.stringify(capabilities)) {
    await load(client, discovered.capabilities);
  }
  return { client, era: eraOf(client) };
}

/** What to try after a failure; undefined if it has nothing to do with the era. */
function nextWay(way: Way, error: unknown, negotiation: Negotiation, waitedMs: number): Way | undefined {
  const { kind, signal } = negotiation;
  const status = httpStatus(error);
  if (signal.aborted || status === 401 || status === 403 || isUnreachable(error)) return undefined;
  switch (way) {
    case 'remembered':
      return 'ask';
    case 'ask': {
      // A process may have begun to read when the time for the first question was over, and know only that one.
      const wasSlow = kind === 'stdio' && waitedMs >= probeMsOf(negotiation);
      if (error instanceof ProtocolError) return wasSlow ? 'patient' : undefined;
      return isProbeFailure(error) ? 'legacy' : undefined;
    }
    case 'legacy':
      return kind === 'sdk' && error instanceof ProtocolError ? 'ask' : undefined;
    case 'patient':
      return undefined;
  }
}

/** A remote server that does not answer an unknown question leaves time for a known one. */
const probeMsOf = ({ kind, probeMs, connectMs }: Negotiation): number =>
  Math.min(kind === 'stdio' ? probeMs : connectMs, connectMs / 2);

/** The question was answered with nonsense, with a failure of the server, by its end, or not at all. */
const isProbeFailure = (error: unknown): boolean =>
  error instanceof SdkError &&
  (error.code === SdkErrorCode.EraNegotiationFailed ||
    (error.code === SdkErrorCode.RequestTimeout && error.message.startsWith('Version negotiation')));

/** The failure of the transport without the words about negotiation around it, or which versions there would be. */
function plainError(error: unknown): unknown {
  const versions = otherVersions(error);
  if (versions?.length) {
    const ours = `${SUPPORTED_PROTOCOL_VERSIONS.at(-1)} to ${NEWEST_VERSION}`;
    const theirs = `speaks only version ${versions.join(', ')} of the protocol`;
    return new OtherVersions(`${theirs}, and Helve speaks ${ours}`, { cause: error });
  }
  return isProbeFailure(error) && error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

function eraOf(client: Client): KnownEra {
  const discovered = client.getDiscoverResult();
  if (client.getProtocolEra() !== 'modern' || !discovered) return { era: 'legacy' };
  return { era: 'modern', versions: discovered.supportedVersions, capabilities: discovered.capabilities };
}

const discoverOf = ({ versions, capabilities }: Extract<KnownEra, { era: 'modern' }>) => ({
  resultType: 'complete' as const,
  ttlMs: 0,
  cacheScope: 'private' as const,
  supportedVersions: [...versions],
  capabilities,
});
