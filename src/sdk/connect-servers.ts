import { createEngine } from '../compose/create-engine.js';
import { checkConnectOptions } from './check-options.js';
import type { ConnectOptions, McpConnections, McpServerEntry } from './mcp.js';

const WITHIN_MS = 30_000;

/** Uses an engine that runs no calls: it limits what servers can see, and ends their processes. */
export async function connect(
  servers: Readonly<Record<string, McpServerEntry>>,
  given: ConnectOptions,
): Promise<McpConnections> {
  checkConnectOptions(servers, given);
  const { withinMs = WITHIN_MS, onNotice = () => {}, ...options } = given;
  const engine = createEngine({ ...options, mcpServers: servers, strictMcp: true, audit: false, interactive: false });
  await engine.servers.settled({ withinMs });
  await engine.refresh((event) => {
    if (event.type === 'notice') onNotice(event.text);
  });
  const close = (): Promise<void> => engine.end();
  return {
    get tools() {
      return engine.session.tools.all
        .filter(({ source, enabled }) => source === 'mcp' && enabled)
        .map(({ tool }) => tool);
    },
    get servers() {
      return engine.servers.states().map(({ name, status, detail, tools }) => ({
        name,
        status,
        tools,
        ...(detail !== undefined && { detail }),
      }));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
