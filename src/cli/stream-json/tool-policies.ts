// The permission policies that a host declares for single tools of its MCP servers, as permission rules.
import { isObject } from '../../platform/is-object.js';
import { MAX_NAME, MAX_SERVER, mcpName, plainServer } from '../../platform/text/mcp-names.js';
import { RequestRefused } from './host-requests.js';

export interface ToolPolicies {
  ask: readonly string[];
  deny: readonly string[];
}

/**
 * The rules for the `tools` of a server's entry. A policy that allows is left out: only rules and `canUseTool` allow. An
 * unknown policy asks. An entry that no rule can express is refused, since the tool would be called without its guard.
 */
export function toolPolicies(server: string, tools: unknown): ToolPolicies {
  const rules = { ask: [] as string[], deny: [] as string[] };
  if (tools === undefined || tools === null) return rules;
  if (!Array.isArray(tools)) throw new RequestRefused(`"tools" of the MCP server "${server}" must be a list.`);
  for (const tool of tools as readonly unknown[]) {
    if (!isObject(tool) || typeof tool['name'] !== 'string') {
      throw new RequestRefused(`Each entry of "tools" of the MCP server "${server}" must have a "name".`);
    }
    const list = listOf(tool['permission_policy'], tool['org_max_permission']);
    if (list !== undefined) rules[list].push(ruleFor(server, tool['name']));
  }
  return rules;
}

function listOf(policy: unknown, most: unknown): 'ask' | 'deny' | undefined {
  if (policy === 'always_deny' || most === 'blocked') return 'deny';
  const isOpen = policy === undefined || policy === null || policy === 'always_allow';
  const isFree = most === undefined || most === null || most === 'allow';
  return isOpen && isFree ? undefined : 'ask';
}

function ruleFor(server: string, tool: string): string {
  const part = plainServer(server);
  const name = mcpName(part, tool);
  // Of other names, the tool gets another one here, which is known only once the server has listed its tools.
  if (/^[\w-]+$/.test(tool) && name.length <= MAX_NAME && part === server && part.length <= MAX_SERVER) return name;
  throw new RequestRefused(
    `The permission policy of the tool "${tool}" of the MCP server "${server}" can't be kept: both names must consist of letters, digits, "_" and "-", the server's of at most ${MAX_SERVER} characters without "__", and ${name} of at most ${MAX_NAME}. Rename the tool or the server, or use --disallowed-tools.`,
  );
}
