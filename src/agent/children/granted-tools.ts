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
  /** What the type names and there is not. */
  missing: readonly string[];
}

/** The tools that an agent of the type gets of those there are: never more than its parent has. */
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

/** Names that are most likely misspelt. Others may be of tools that are not here today, or that other programs have. */
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

/** As a rule that denies: an MCP server or tool in any spelling. */
const withholds = (pattern: string, name: string, table: ToolTable): boolean =>
  matches(pattern, name, table) || (isWrittenMcpName(pattern) && nameMatcher(pattern, 'deny')(name));

/** A star takes anything; the name of a server alone stands for all its tools. */
function matches(pattern: string, name: string, table: ToolTable): boolean {
  const known = currentName(table, pattern);
  if (known === name) return true;
  if (isToolOfServer(known, name)) return true;
  return known.includes('*') && matchesText(textPattern(known), name);
}
