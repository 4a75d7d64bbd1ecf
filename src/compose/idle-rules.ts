// Finds rules that ask or deny and name an MCP server or tool that does not exist: they have no effect, and may be mistyped.
import type { OfferedTool, ServerState } from '../mcp/client/client.js';
import { serverParts } from '../mcp/names.js';
import type { Rule } from '../permissions/rule.js';
import {
  mcpName,
  mcpServerName,
  plainServer,
  plainTool,
  readMcpName,
  type WrittenMcpName,
} from '../platform/text/mcp-names.js';
import { plainLine } from '../platform/text/plain-text.js';
import { nearestWords } from '../platform/text/similar-text.js';

const MAX_NAME = 60;

export interface IdleRule {
  rule: Rule;
  /** A sentence for people. */
  text: string;
  /** The name is probably mistyped, so a notice is shown. Otherwise the server may belong to another project. */
  isSlip: boolean;
}

export interface KnownServers {
  states: ReadonlyArray<Pick<ServerState, 'name' | 'status' | 'setAside'>>;
  offered: ReadonlyArray<Pick<OfferedTool, 'server'> & { tool: { name: string } }>;
  /** The names of all tools, from all sources. */
  tools: readonly string[];
}

/** Rules about a server that is not connected are left out, since its tools are not known. */
export function idleRules(rules: readonly Rule[], known: KnownServers): IdleRule[] {
  const parts = serverParts(known.states.map(({ name }) => name));
  return rules.flatMap((rule) => {
    const { subject, list, text } = rule;
    if (list === 'allow' || (subject.kind !== 'tool' && subject.kind !== 'input')) return [];
    const written = readMcpName(text.replace(/\([\s\S]*$/, '').trim());
    if (!written || written.server.includes('*') || known.tools.some(subject.isTool)) return [];
    const spellings = readMcpName(mcpServerName(written.server))?.names.map((name) => name.toLowerCase()) ?? [];
    const servers = known.states.filter(({ name }) =>
      spellings.includes(mcpServerName(parts.get(name) ?? name).toLowerCase()),
    );
    if (servers.length === 0) return [ofUnknownServer(rule, written, [...parts.values()])];
    const isCertain = servers.every(({ status }) => status === 'connected');
    if (written.tool === undefined || !isCertain) return [];
    const names = known.offered.filter(({ server }) => servers.some(({ name }) => name === server));
    const isSetAside = servers.some(({ name, setAside }) =>
      setAside.some(({ tool }) => subject.isTool(mcpName(parts.get(name) ?? name, plainTool(tool)))),
    );
    if (isSetAside || names.some(({ tool }) => subject.isTool(tool.name))) return [];
    const prefix = mcpName(parts.get(servers[0]?.name ?? '') ?? '', '');
    const tools = names.map(({ tool }) => tool.name.slice(prefix.length));
    const [meant] = nearestWords(written.tool, tools);
    const what = `names the tool ${plainLine(written.tool, MAX_NAME)}, which the MCP server ${plainLine(servers[0]?.name ?? '', MAX_NAME)} does not have`;
    return [{ rule, isSlip: true, text: sentence(rule, what, meant && `${prefix}${meant}`) }];
  });
}

function ofUnknownServer(rule: Rule, { server, whole }: WrittenMcpName, parts: readonly string[]): IdleRule {
  const plain = plainServer(whole);
  const [near] = parts.includes(plain) ? [plain] : nearestWords(plainServer(server), parts);
  const what = `names the MCP server ${plainLine(server, MAX_NAME)}, and none of that name is configured here`;
  return { rule, isSlip: near !== undefined, text: sentence(rule, what, near && mcpServerName(near)) };
}

function sentence({ text, list, source: { file, line } }: Rule, what: string, meant: string | undefined): string {
  const where = line === undefined ? file : `${file}:${line}`;
  const next = meant === undefined ? 'Check the name.' : `Did you mean "${meant}"?`;
  return `The ${list} rule "${plainLine(text, MAX_NAME)}" (${where}) ${what}, so it guards nothing now. ${next}`;
}
