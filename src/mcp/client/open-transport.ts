import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { clause } from '../../platform/text/clause.js';
import { boundedFetch } from './bounded-fetch.js';
import { headerProblem, type RemoteConfig } from './config.js';
import { runHeadersHelper } from './headers-helper.js';
import { HostTransport } from './host-transport.js';
import { StdioTransport } from './stdio-transport.js';
import type { TransportOptions } from './transport-options.js';

/** Creates the transport for a server's configuration. The SDK follows redirects only within the same origin. */
export async function openTransport(options: TransportOptions, signal: AbortSignal): Promise<Transport> {
  const { config, root, env, mark, whileRunning } = options;
  if (config.type === 'sdk') {
    if (!options.hostServers) throw new Error('It lives in a host program, and no host is connected here.');
    return new HostTransport(options.name, options.hostServers);
  }
  if (config.type === 'stdio') {
    const projectDir = { CLAUDE_PROJECT_DIR: root, HELVE_PROJECT_DIR: root };
    return new StdioTransport({
      command: config.command,
      args: config.args,
      cwd: config.cwd ?? root,
      env: { ...env, ...projectDir, ...config.env },
      mark,
      whileRunning,
    });
  }
  const bounded = boundedFetch();
  const fetch = options.auth?.fetch(bounded) ?? bounded;
  const remote = { requestInit: { headers: await headersOf(config, options, signal) }, fetch };
  const url = new URL(config.url);
  return config.type === 'sse' ? new SSEClientTransport(url, remote) : new StreamableHTTPClientTransport(url, remote);
}

async function headersOf(
  { headers, headersHelper }: RemoteConfig,
  { root, env }: TransportOptions,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (headersHelper === undefined) return { ...headers };
  const printed = await runHeadersHelper(headersHelper, { cwd: root, env, signal });
  const problem = headerProblem(printed);
  if (problem !== undefined) throw new Error(`Its headersHelper gave ${clause(problem)}.`);
  return { ...headers, ...printed };
}
