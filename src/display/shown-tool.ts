import { serverPartOf, withoutMcpPrefix } from '../platform/text/mcp-names.js';

/** A server's tool as `github: create_issue`. */
export function shownTool(name: string): string {
  const server = serverPartOf(name);
  return server === undefined ? name : `${server}: ${withoutMcpPrefix(name).slice(server.length + 2)}`;
}
