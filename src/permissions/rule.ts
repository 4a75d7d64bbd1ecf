// Parses the text of a rule. A rule that can't be parsed is reported with its location: an allow rule is ignored; an ask
// or deny rule must not be ignored, so its problem is fatal and the caller must stop.
import type { Behavior } from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isToolOfServer, isWrittenMcpName, namesOneServer, readMcpName } from '../platform/text/mcp-names.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { type CommandPattern, parseCommandPattern } from './match-command.js';
import { type Anchors, type PathPattern, type PathStyle, parsePathPattern, thisPathStyle } from './match-path.js';
import { matchesText, type TextPattern, textPattern } from './match-text.js';
import { type DomainPattern, parseDomain } from './match-url.js';
import { currentName, familyOf, isFamiliarName, isFieldOf, isFileTool, namesIn, subjectOf } from './tool-names.js';

export interface RuleSource {
  /** The settings file or flag, as shown to people. */
  file: string;
  line?: number;
}

export interface RuleOptions {
  list: Behavior;
  source: RuleSource;
  anchors: Anchors;
  /** What the tools declare about rules. */
  tools: ToolTable;
  /** Whether the source may loosen the policy: false for an untrusted project. Default true. */
  trusted?: boolean;
  /** The existing tools. If absent, rules that name other tools are not reported. */
  knownTools?: readonly string[];
  /** The existing types of agents; called only if a rule names one. */
  knownAgents?: () => readonly string[];
  style?: PathStyle;
}

export interface Rule {
  text: string;
  list: Behavior;
  source: RuleSource;
  trusted: boolean;
  subject: RuleSubject;
}

/** What a rule is about. */
export type RuleSubject =
  /** Every use of a tool. */
  | {
      kind: 'tool';
      isTool: (name: string) => boolean;
      tool: string;
      /**
       * The file accesses that it matches, whichever tool or command causes them: `reads` all, `edits` all changes,
       * `commands` changes by commands and by tools that work as this one.
       */
      covers?: 'reads' | 'edits' | 'commands';
      /** For a rule that allows an editing tool: the files that commands may change by it, the same as for `Edit(*)`. */
      files?: PathPattern;
    }
  /** Files, whichever tool or command touches them. */
  | { kind: 'path'; access: 'read' | 'edit'; pattern: PathPattern }
  | { kind: 'command'; tool: string; pattern: CommandPattern }
  | { kind: 'domain'; pattern: DomainPattern }
  /** Fields of a tool's input, as one text. */
  | { kind: 'input'; isTool: (name: string) => boolean; fields: readonly string[]; patterns: readonly TextPattern[] };

export interface RuleProblem {
  /** `fatal`: the file must not be used. `dropped`: the rule is ignored. `warning`: the rule counts, but looks wrong. */
  severity: 'fatal' | 'dropped' | 'warning';
  rule: string;
  list: Behavior;
  source: RuleSource;
  /** The problem, its consequence, and how to fix it. */
  message: string;
  /** The same without the location and the consequence. */
  reason: string;
  /** The rule names a tool that neither Helve nor another agent is known to have. */
  isUnknownTool?: boolean;
}

export interface ParsedRule {
  rule?: Rule;
  problem?: RuleProblem;
}

export interface RuleLists {
  allow?: readonly unknown[];
  ask?: readonly unknown[];
  deny?: readonly unknown[];
}

/** Parses all rules of one source. `lineOf` returns the line of a rule in the file. */
export function parseRules(
  lists: RuleLists,
  {
    lineOf,
    ...options
  }: Omit<RuleOptions, 'list'> & { lineOf?: (list: Behavior, index: number) => number | undefined },
): { rules: Rule[]; problems: RuleProblem[] } {
  const parsed = (['deny', 'ask', 'allow'] as const).flatMap((list) =>
    (lists[list] ?? []).map((text, index) => {
      const line = lineOf?.(list, index);
      const source = line === undefined ? options.source : { ...options.source, line };
      return parseRule(text, { ...options, source, list });
    }),
  );
  return {
    rules: parsed.flatMap(({ rule }) => (rule ? [rule] : [])),
    problems: parsed.flatMap(({ problem }) => (problem ? [problem] : [])),
  };
}

/** Returns a rule, a problem, or a rule with a warning. */
export function parseRule(text: unknown, options: RuleOptions): ParsedRule {
  const { source, trusted = true } = options;
  const outcome =
    typeof text === 'string' ? understand(text.trim(), options) : broken('is not text', 'Write it as a string.');
  const shown = typeof text === 'string' ? text.trim() : (JSON.stringify(text) ?? String(text));
  const list = outcome.list ?? options.list;
  const rule = outcome.subject && { text: shown, list, source, trusted, subject: outcome.subject };
  const problem = outcome.what === undefined ? undefined : problemOf(shown, outcome, options);
  return { ...(rule && { rule }), ...(problem && { problem }) };
}

interface Outcome {
  subject?: RuleSubject;
  /** The list that the rule counts in, if it differs from the one it is written in. */
  list?: Behavior;
  what?: string;
  fix?: string;
  /** The rule can be ignored safely, whatever its list. */
  isIdle?: boolean;
  isUnknownTool?: boolean;
}

const broken = (what: string, fix: string): Outcome => ({ what, fix });

function problemOf(
  rule: string,
  { subject, what = '', fix = '', isIdle, isUnknownTool }: Outcome,
  options: RuleOptions,
): RuleProblem {
  const { list, source } = options;
  const severity = subject ? 'warning' : list === 'allow' || isIdle ? 'dropped' : 'fatal';
  const where = source.line === undefined ? source.file : `${source.file}:${source.line}`;
  const consequences = {
    warning: '',
    dropped: ', so the rule was ignored',
    fatal: `, so the rule was ignored, and an ignored ${list} rule is unsafe, so helve will not start`,
  };
  const message = `${where}: "${rule}" ${what}${consequences[severity]}. ${fix}`;
  const reason = `"${rule}" ${what}. ${fix}`;
  return { severity, rule, list, source, message, reason, ...(isUnknownTool && { isUnknownTool }) };
}

function understand(text: string, options: RuleOptions): Outcome {
  const { list } = options;
  const open = text.indexOf('(');
  if (text === '') return broken('is empty', 'Name a tool, or remove it.');
  if (open < 0 && text.includes(')')) return broken('has no opening parenthesis', 'Fix or remove it.');
  if (open >= 0 && !text.endsWith(')')) {
    const what = text.includes(')', open) ? 'goes on behind its closing parenthesis' : 'has no closing parenthesis';
    return broken(what, 'Fix or remove it.');
  }
  const written = (open < 0 ? text : text.slice(0, open)).trim();
  if (isWrittenMcpName(written) && list === 'allow' && !/^[\w*-]+$/.test(written)) return notAsCalledHere(written);
  if (!/^[\w*.-]+$/.test(written) && !isWrittenMcpName(written)) {
    return broken('does not begin with the name of a tool', 'Fix or remove it.');
  }
  const tool = knownName(written, options);
  const specifier = open < 0 ? undefined : text.slice(open + 1, -1);
  if (specifier !== undefined && specifier.trim() === '') {
    return broken('has nothing between its parentheses', `Write "${written}" for every use, or say which.`);
  }
  const outcome = specifier === undefined ? everyUse(tool, options) : someUses(tool, specifier.trim(), options);
  if (!isAbsentTool(tool, options)) return outcome;
  return { ...ofUnknownTool(tool, specifier, outcome, options), isUnknownTool: !isFamiliarName(options.tools, tool) };
}

/** An allow rule must use the exact name: another server may have the name that this one would get. */
function notAsCalledHere(written: string): Outcome {
  const [name = written] = readMcpName(written)?.names ?? [];
  return broken('spells a name of an MCP server in another way than Helve', `Write "${name}".`);
}

/** It may be a tool of a server or of a program. A name that is close to an existing tool is most likely a typo. */
function ofUnknownTool(
  tool: string,
  specifier: string | undefined,
  outcome: Outcome,
  options: Pick<RuleOptions, 'list' | 'knownTools' | 'tools'>,
): Outcome {
  const what = 'names no tool that there is';
  const meant = nearestTool(tool, options);
  const isSlip = specifier !== undefined && meant !== undefined && isOneSlip(tool.toLowerCase(), meant.toLowerCase());
  if (meant !== undefined && ((isSlip && options.list !== 'allow') || !outcome.subject)) {
    return broken(what, `Did you mean "${meant}${specifier === undefined ? '' : `(${specifier})`}"?`);
  }
  if (!outcome.subject || outcome.what) return outcome;
  if (meant === undefined) return { ...outcome, what, fix: 'Check the name, or remove it.' };
  const consequence = options.list === 'allow' ? '' : ' It guards nothing now.';
  return { ...outcome, what, fix: `Did you mean "${meant}"?${consequence}` };
}

/** Ask and deny rules match names of tools in any case. */
function knownName(written: string, { list, knownTools = [], tools }: RuleOptions): string {
  const current = currentName(tools, written);
  if (list === 'allow' || knownTools.includes(current)) return current;
  const withRules = (['read', 'edit', 'command', 'domain', 'agent'] as const).flatMap((family) =>
    namesIn(tools, family),
  );
  const familiar = [...withRules, ...knownTools];
  return familiar.find((name) => name.toLowerCase() === current.toLowerCase()) ?? current;
}

function isAbsentTool(tool: string, { knownTools, tools }: RuleOptions): boolean {
  return knownTools !== undefined && !/[_*]/.test(tool) && !isFileTool(tools, tool) && !knownTools.includes(tool);
}

/** Undefined for names of tools that other agents have: those are no typos. */
function nearestTool(
  tool: string,
  { knownTools = [], tools }: Pick<RuleOptions, 'knownTools' | 'tools'>,
): string | undefined {
  if (isFamiliarName(tools, tool)) return undefined;
  const always = (['command', 'domain', 'agent'] as const).flatMap((family) => namesIn(tools, family));
  return nearestWords(tool, [...new Set([...knownTools, ...always])])[0];
}

/** One letter wrong, missing, too many, or swapped with its neighbour. */
function isOneSlip(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [first, second] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (first.length <= 1 && second.length <= 1) return true;
  return first.length === 2 && second.length === 2 && first[0] === second[1] && first[1] === second[0];
}

function everyUse(tool: string, { list, anchors, tools, style = thisPathStyle() }: RuleOptions): Outcome {
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

function someUses(tool: string, specifier: string, options: RuleOptions): Outcome {
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

function commandRule(tool: string, specifier: string): Outcome {
  const pattern = parseCommandPattern(specifier);
  if (!pattern) return broken('names no command', `Write the command, as in "${tool}(npm test:*)".`);
  return { subject: { kind: 'command', tool, pattern } };
}

function domainRule(tool: string, value: string): Outcome {
  const pattern = parseDomain(value);
  if (!pattern) return broken('names no domain', `Write a host, as in "${tool}(domain:example.com)".`);
  return { subject: { kind: 'domain', pattern } };
}

function pathRule(tool: string, specifier: string, options: RuleOptions): Outcome {
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
function oddPath(tool: string, specifier: string): Pick<Outcome, 'what' | 'fix'> | undefined {
  if (/\{[^{}]*,[^{}]*\}/.test(specifier)) {
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
function parameterRule(tool: string, field: string, value: string, options: RuleOptions): Outcome {
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
): Outcome => ({
  subject: { kind: 'input', isTool: nameMatcher(tool, list), fields, patterns: [textPattern(value)] },
});

/** A rule on a type that doesn't exist counts too, since the type may be added later. */
function agentRule(tool: string, type: string, { list, knownAgents, tools }: RuleOptions): Outcome {
  const rule = inputRule(tool, subjectOf(tools, tool), type, { list });
  const known = type.includes('*') ? undefined : knownAgents?.();
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
function skillRule(tool: string, specifier: string, { list, tools }: RuleOptions): Outcome {
  const name = specifier.replace(/(?::\*| \*)$/, '');
  const withArguments = name !== specifier || list !== 'allow';
  const patterns = [name, ...(withArguments ? [`${name} *`] : [])].map(textPattern);
  const fields = [...new Set([...subjectOf(tools, tool), ...(tools.traits.get(tool)?.fields ?? [])])];
  return { subject: { kind: 'input', isTool: nameMatcher(tool, list), fields, patterns } };
}
