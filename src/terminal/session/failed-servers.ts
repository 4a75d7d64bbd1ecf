import { counted } from '../../platform/text/counted.js';

/** Notes each MCP server that has failed once. A server that connects in between may be noted again. */
export class FailedServers {
  readonly #told = new Set<string>();

  /** One line about the servers that have failed since the last call; undefined if there are none. */
  news(servers: ReadonlyArray<{ name: string; status: string }>): string | undefined {
    for (const { name, status } of servers) if (status === 'connected') this.#told.delete(name);
    const failed = servers.filter(({ name, status }) => status === 'failed' && !this.#told.has(name));
    if (failed.length === 0) return undefined;
    for (const { name } of failed) this.#told.add(name);
    return `${counted(failed.length, 'MCP server')} failed: ${failed.map(({ name }) => name).join(', ')} · /mcp`;
  }
}
