// Connects to servers as a session would, to see whether they work. The caller leaves out untrusted ones.
import { createEngine } from '../../compose/create-engine.js';
import type { EngineServers } from '../../compose/servers.js';
import type { ServerState } from '../../mcp/client/client.js';
import { secretVariables } from '../../models/catalogue/catalogue.js';
import { engineOptions } from '../engine-options.js';
import { readCatalogue } from '../read-catalogue.js';
import { onSignals } from '../signals.js';
import { variablesForTracing } from '../telemetry-flags.js';
import type { KnownServer, ServerFlags } from './known-servers.js';

const WITHIN_MS = 40_000; // slightly more than a server's own timeout

/** Connects only to these; returns the state of each once it has connected or failed. */
export async function connectServers(
  servers: readonly KnownServer[],
  flags: ServerFlags,
): Promise<ReadonlyMap<string, ServerState>> {
  return await withServers(servers, flags, async (connected) => {
    return new Map(connected.states().map((state) => [state.name, state]));
  });
}

/** Connects only to these, and runs the work once each has connected or failed. */
export async function withServers<T>(
  servers: readonly KnownServer[],
  flags: ServerFlags,
  work: (servers: EngineServers, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = await engineOptions(flags);
  const secrets = secretVariables(await readCatalogue(options.env));
  const hiddenVariables = [...secrets, ...variablesForTracing(options.env)];
  const engine = createEngine({
    ...options,
    hiddenVariables,
    toolSet: 'all',
    interactive: false,
    audit: false,
    onlyServers: servers.map(({ name }) => name),
  });
  const signals = onSignals(() => engine.session.killAll());
  try {
    await engine.servers.settled({
      names: servers.map(({ name }) => name),
      withinMs: WITHIN_MS,
      signal: signals.signal,
    });
    return await work(engine.servers, signals.signal);
  } finally {
    await engine.end();
    signals.dispose();
  }
}
