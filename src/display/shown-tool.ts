import { serverPartOf, withoutMcpPrefix } from '../platform/text/mcp-names.js';
import { visibleLine } from '../platform/text/visible-lines.js';

/** A server's tool as `github: create_issue`. */
export function shownTool(name: string): string {
  const server = serverPartOf(name);
  return server === undefined ? name : `${server}: ${withoutMcpPrefix(name).slice(server.length + 2)}`;
}

/** The name of a call everywhere that people read it: the action that its tool shows, or the tool. */
export const callName = ({ tool, action }: { tool: string; action?: string | undefined }): string =>
  visibleLine(action ?? shownTool(tool));
