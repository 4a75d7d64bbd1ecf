// What a rule is about: every use of a tool, or the uses that its specifier between parentheses names.
import type { Behavior } from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isToolOfServer, namesOneServer, readMcpName } from '../platform/text/mcp-names.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { parseCommandPattern } from './match-command.js';
import { parsePathPattern, thisPathStyle } from './match-path.js';
import { matchesText, textPattern } from './match-text.js';
import { parseDomain } from './match-url.js';
import type { RuleOptions, RuleSubject } from './rule.js';
import { familyOf, isFieldOf, isFileTool, subjectOf } from './tool-names.js';

export interface ParsedSubject {
  subject?: RuleSubject;
  /** The list that the rule counts in, if it differs from the one it is written in. */
  list?: Behavior;
  what?: string;
  fix?: string;
  /** The rule can be ignored safely, whatever its list. */
  isIdle?: boolean;
  isUnknownTool?: boolean;
}

export const broken = (what: string, fix: string): ParsedSubject => ({ what, fix });

export function everyUse(tool: string, { list, anchors, tools, style = thisPathStyle() }: RuleOptions): ParsedSubject {
  if (list === 'allow' && tool.includes('*') && !namesOneServer(tool)) {
    return broken(
      'would allow tools that it does not name',
      'Name each tool; a star may only follow the full name of an MCP server, as in "mcp__github__get_*".',
    );
  }
  const family = familyOf(tools, tool);
  if (family === 'command') return { subject: { kind: 'command', tool, pattern: { kind: 'any' } } };
  const covers = coveredBy(tools, tool);
  const subject = { kind: 'tool', tool, isTool: nameMatcher(tool, list), ...(covers && { covers }) } as const;
  if (list !== 'allow' || family !== 'edit') return { subject };
  const all = parsePathPattern('*', { list, anchors, style });
  return { subject: all.ok ? { ...subject, files: all.pattern } : subject };
}

function coveredBy(tools: ToolTable, tool: string): 'reads' | 'edits' | 'commands' | undefined {
  const { bareRule, family } = tools.traits.get(tool) ?? {};
  if (bareRule !== 'family') return bareRule;
  return family === 'read' ? 'reads' : 'edits';
}

/** The name of a server alone matches all its tools. Ask and deny rules match them in any spelling. */
export function nameMatcher(tool: string, list: Behavior): (name: string) => boolean {
  const written = list === 'allow' ? undefined : readMcpName(tool);
  if (written) {
    const matchers = [tool, ...written.names].map((name) => exactMatcher(name.toLowerCase()));
    return (name) => matchers.some((matches) => matches(name.toLowerCase()));
  }
  return exactMatcher(tool);
}

function exactMatcher(tool: string): (name: string) => boolean {
  const pattern = textPattern(tool);
  return (name) => matchesText(pattern, name) || isToolOfServer(tool, name);
}

export function someUses(tool: string, specifier: string, options: RuleOptions): ParsedSubject {
  const { tools, list } = options;
  const family = familyOf(tools, tool);
  if (/^\*+$/.test(specifier) && !(isFileTool(tools, tool) && list === 'allow')) return everyUse(tool, options);
  const parameter = /^(?<field>\w+)\s*:\s*(?<value>[\s\S]*)$/.exec(specifier)?.groups;
  const { field = '', value = '' } = parameter ?? {};
  const isPrefix = (family === 'command' || family === 'skill' || family === 'slash') && value === '*';
  if (family === 'domain' && field === 'domain') return domainRule(tool, value);
  if (parameter && !isPrefix && isFieldOf(tools, tool, field)) return parameterRule(tool, field, value, options);
  switch (family) {
    case 'command':
      return commandRule(tool, specifier);
    case 'read':
    case 'edit':
      return pathRule(tool, specifier, options);
    case 'agent':
      return agentRule(tool, specifier, options);
    case 'skill':
    case 'slash':
      return skillRule(tool, specifier, options);
    case 'domain':
      return broken('does not say which domain', `Write "${tool}(domain:${specifier})".`);
    case 'search':
    case undefined:
      return broken(
        `has a specifier that ${tool} does not know`,
        list === 'allow' ? `Write "${tool}".` : `Write "${tool}", or "${tool}(field:value)" for one value of a field.`,
      );
  }
}

function commandRule(tool: string, specifier: string): ParsedSubject {
  const pattern = parseCommandPattern(specifier);
  if (!pattern) return broken('names no command', `Write the command, as in "${tool}(npm test:*)".`);
  return { subject: { kind: 'command', tool, pattern } };
}

function domainRule(tool: string, value: string): ParsedSubject {
  const pattern = parseDomain(value);
  if (!pattern) return broken('names no domain', `Write a host, as in "${tool}(domain:example.com)".`);
  return { subject: { kind: 'domain', pattern } };
}

function pathRule(tool: string, specifier: string, options: RuleOptions): ParsedSubject {
  const { list, anchors, tools, style = thisPathStyle() } = options;
  const isNegated = specifier.startsWith('!');
  // An exception from a deny rule would loosen it, so it is ignored. An exception from an allow rule asks.
  if (isNegated && list !== 'allow') {
    return {
      ...broken('makes an exception, and a rule that asks or denies has none', 'Narrow the rule that it is about.'),
      isIdle: true,
    };
  }
  const counted = isNegated ? 'ask' : list;
  const access = familyOf(tools, tool) === 'read' ? 'read' : 'edit';
  const parsed = parsePathPattern(isNegated ? specifier.slice(1) : specifier, { list: counted, anchors, style });
  if (!parsed.ok) return broken(`can't match: ${parsed.problem}`, parsed.fix);
  const subject = { kind: 'path', access, pattern: parsed.pattern } as const;
  if (isNegated) {
    const fix = `Write "${tool}(${specifier.slice(1)})" in the ask list.`;
    return { subject, list: 'ask', what: 'makes an exception, so it counts as a rule that asks', fix };
  }
  const oddity = oddPath(tool, specifier);
  return oddity ? { subject, ...oddity } : { subject };
}

/** Path syntax of other programs that has no meaning here: such a rule may never match. */
function oddPath(tool: string, specifier: string): Pick<ParsedSubject, 'what' | 'fix'> | undefined {
  if (/\{[^{},]*,[^{}]*\}/.test(specifier)) {
    return { what: 'has braces, which stand for themselves in a path', fix: 'Write one rule for each choice.' };
  }
  if (/^~[^/]/.test(specifier)) {
    const fix = `Write "${tool}(~/...)" for your own home folder, or "${tool}(//...)" with the full path.`;
    return { what: "means a folder of that name in the project, not another user's home folder", fix };
  }
  if (/\$\w|\$\{|%\w+%/.test(specifier)) {
    const fix = 'Write the path itself; "~/" stands for the home folder.';
    return { what: 'names a variable, which stands for itself in a path', fix };
  }
  if (SYSTEM_FOLDER.test(specifier)) {
    const fix = `Write "${tool}(/${specifier})" if the one of the file system is meant.`;
    return { what: 'starts at the folder of its settings, not at the root of the file system', fix };
  }
  return undefined;
}

/** Folders that every machine has at its root and few projects have. */
const SYSTEM_FOLDER = /^\/(?:etc|home|Users|usr|var|root|proc|dev|sys|opt|mnt|tmp|private|Library|System)(?:\/|$)/;

/** Matches exact values of fields that the model sent. */
function parameterRule(tool: string, field: string, value: string, options: RuleOptions): ParsedSubject {
  if (options.list === 'allow') {
    return broken(`allows by the value of "${field}", and only ask and deny rules may`, 'Remove it.');
  }
  const { tools } = options;
  if (!subjectOf(tools, tool).includes(field)) return inputRule(tool, [field], value, options);
  const fix = `Write "${tool}(${value})".`;
  const isDomain = familyOf(tools, tool) === 'domain';
  const same = isDomain ? inputRule(tool, [field], value, options) : someUses(tool, value, options);
  return same.subject && !same.what
    ? { ...same, what: `names the field "${field}", which is what ${tool} rules are about anyway`, fix }
    : same;
}

const inputRule = (
  tool: string,
  fields: readonly string[],
  value: string,
  { list }: Pick<RuleOptions, 'list'>,
): ParsedSubject => ({
  subject: { kind: 'input', isTool: nameMatcher(tool, list), fields, patterns: [textPattern(value)] },
});

/** `plugin:agent` may also be meant as a field with its value, of a tool that other programs have under this name. */
function orField({ subject, ...others }: ParsedSubject, type: string): ParsedSubject {
  const { field, value = '' } = /^(?<field>\w+)\s*:\s*(?<value>[\s\S]*)$/.exec(type)?.groups ?? {};
  if (field === undefined || subject?.kind !== 'input') return { ...others, ...(subject && { subject }) };
  return { ...others, subject: { ...subject, or: { fields: [field], patterns: [textPattern(value)] } } };
}

/** A rule on a type that doesn't exist counts too, since the type may be added later. */
function agentRule(tool: string, type: string, { list, knownAgents, tools }: RuleOptions): ParsedSubject {
  const named = inputRule(tool, subjectOf(tools, tool), type, { list });
  const rule = list === 'allow' ? named : orField(named, type);
  const known = /[*:]/.test(type) ? undefined : knownAgents?.(); // those of plugins, with a colon, are not known here
  if (!known || known.includes(type)) return rule;
  const what = 'names no type of agent that there is';
  const [meant] = nearestWords(type, known);
  if (meant === undefined) return { ...rule, what, fix: 'Check the name, or remove it.' };
  return {
    ...rule,
    what,
    fix: `Did you mean "${tool}(${meant})"?${list === 'allow' ? '' : ' It guards nothing now.'}`,
  };
}

/** `Skill(name)` matches a call without arguments, `Skill(name *)` any call. Ask and deny rules always match both. */
function skillRule(tool: string, specifier: string, { list, tools }: RuleOptions): ParsedSubject {
  const name = specifier.replace(/(?::\*| \*)$/, '');
  const withArguments = name !== specifier || list !== 'allow';
  // `Skill(name:*)` also matches the skills of a plugin with this name.
  const ofPlugin = specifier.endsWith(':*') ? [specifier] : [];
  const patterns = [name, ...(withArguments ? [`${name} *`] : []), ...ofPlugin].map(textPattern);
  const fields = [...new Set([...subjectOf(tools, tool), ...(tools.traits.get(tool)?.fields ?? [])])];
  return { subject: { kind: 'input', isTool: nameMatcher(tool, list), fields, patterns } };
}
