import type { ToolTable } from '../../contract/tool-traits.js';
import { matchesText, textPattern } from '../../permissions/match-text.js';
import { nameMatcher } from '../../permissions/parse-specifier.js';
import { currentName, isFamiliarName } from '../../permissions/tool-names.js';
import { isMcpName, isToolOfServer, isWrittenMcpName } from '../../platform/text/mcp-names.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import { toolTable } from '../../tools/index.js';
import { type AgentType, toolsOfTheParent } from './agent-types.js';

export interface GrantedTools {
  names: readonly string[];
  /** Tools that the type names but that don't exist. */
  missing: readonly string[];
}

/** The available tools that an agent of this type gets: never more than its parent has. */
export function grantedTools(type: AgentType, available: readonly string[]): GrantedTools {
  const table = toolTable();
  const isIn = (patterns: readonly string[], name: string): boolean =>
    patterns.some((each) => matches(each, name, table));
  const { tools = ['*'], disallowedTools = [] } = type;
  const withheld = [...toolsOfTheParent, ...disallowedTools];
  return {
    names: available.filter((name) => isIn(tools, name) && !withheld.some((each) => withholds(each, name, table))),
    missing: tools.filter((pattern) => pattern !== '*' && !available.some((name) => matches(pattern, name, table))),
  };
}

/** Whether an agent of this type may have a tool, if the conversation itself is held with it. */
export function mayHave({ tools = ['*'], disallowedTools = [] }: AgentType, name: string): boolean {
  const table = toolTable();
  return (
    tools.some((pattern) => matches(pattern, name, table)) &&
    !disallowedTools.some((pattern) => withholds(pattern, name, table))
  );
}

/** Reports names that are probably misspelled. Other unknown names may belong to absent servers or other programs. */
export function slipsIn(
  { file = '', tools = [], disallowedTools = [] }: AgentType,
  known: readonly string[],
): string[] {
  const table = toolTable();
  return [...tools, ...disallowedTools]
    .filter((name) => !name.includes('*') && !isMcpName(name) && !isFamiliarName(table, name))
    .filter((name) => !known.some((tool) => matches(name, tool, table)))
    .flatMap((name) => {
      const [meant] = nearestWords(name, known);
      return meant === undefined ? [] : [`${file}: there is no tool ${name}. Did you mean ${meant}?`];
    });
}

/** Like a deny rule, it matches an MCP server or tool in any spelling. */
const withholds = (pattern: string, name: string, table: ToolTable): boolean =>
  matches(pattern, name, table) || (isWrittenMcpName(pattern) && nameMatcher(pattern, 'deny')(name));

/** `*` matches any text; the name of a server alone matches all its tools. */
function matches(pattern: string, name: string, table: ToolTable): boolean {
  const known = currentName(table, pattern);
  if (known === name) return true;
  if (isToolOfServer(known, name)) return true;
  return known.includes('*') && matchesText(textPattern(known), name);
}
