import { matchesText, textPattern } from '../../permissions/match-text.js';
import { nameMatcher } from '../../permissions/rule.js';
import { currentName, isFamiliarName } from '../../permissions/tool-names.js';
import { isMcpName } from '../../platform/text/mcp-names.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import { type AgentType, toolsOfTheParent } from './agent-types.js';

export interface GrantedTools {
  names: readonly string[];
  /** What the type names and there is not. */
  missing: readonly string[];
}

/** The tools that an agent of the type gets of those there are: never more than its parent has. */
export function grantedTools(type: AgentType, available: readonly string[]): GrantedTools {
  const isIn = (patterns: readonly string[], name: string): boolean => patterns.some((each) => matches(each, name));
  const { tools = ['*'], disallowedTools = [] } = type;
  const withheld = [...toolsOfTheParent, ...disallowedTools];
  return {
    names: available.filter((name) => isIn(tools, name) && !withheld.some((each) => withholds(each, name))),
    missing: tools.filter((pattern) => pattern !== '*' && !available.some((name) => matches(pattern, name))),
  };
}

/** Names that are most likely misspelt. Others may be of tools that are not here today, or that other programs have. */
export function slipsIn(
  { file = '', tools = [], disallowedTools = [] }: AgentType,
  known: readonly string[],
): string[] {
  return [...tools, ...disallowedTools]
    .filter((name) => !/\*|^mcp__/.test(name) && !isFamiliarName(name) && !known.some((tool) => matches(name, tool)))
    .flatMap((name) => {
      const [meant] = nearestWords(name, known);
      return meant === undefined ? [] : [`${file}: there is no tool ${name}. Did you mean ${meant}?`];
    });
}

/** As a rule that denies: an MCP server or tool in any spelling. */
const withholds = (pattern: string, name: string): boolean =>
  matches(pattern, name) || (isMcpName(pattern) && nameMatcher(pattern, 'deny')(name));

/** A star takes anything; the name of a server alone stands for all its tools. */
function matches(pattern: string, name: string): boolean {
  const known = currentName(pattern);
  if (known === name) return true;
  if (/^mcp__(?:(?!__).)+$/.test(known) && name.startsWith(`${known}__`)) return true;
  return known.includes('*') && matchesText(textPattern(known), name);
}
