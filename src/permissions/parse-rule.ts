// Parses the text of a rule. A rule that can't be parsed is reported with its location: an allow rule is ignored; an ask
// or deny rule must not be ignored, so its problem is fatal and the caller must stop.
import type { Behavior } from '../contract/permission.js';
import { isWrittenMcpName, readMcpName } from '../platform/text/mcp-names.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { broken, everyUse, type ParsedSubject, someUses } from './parse-specifier.js';
import type { Rule, RuleLists, RuleOptions, RuleProblem } from './rule.js';
import { currentName, isFamiliarName, isFileTool, namesIn } from './tool-names.js';

export interface ParsedRule {
  rule?: Rule;
  problem?: RuleProblem;
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

function problemOf(
  rule: string,
  { subject, what = '', fix = '', isIdle, isUnknownTool }: ParsedSubject,
  options: RuleOptions,
): RuleProblem {
  const { list, source } = options;
  const severity = subject ? 'warning' : list === 'allow' || isIdle ? 'dropped' : 'fatal';
  const where = source.line === undefined ? source.file : `${source.file}:${source.line}`;
  const consequences = {
    warning: '',
    dropped: ', so the rule was ignored',
    fatal: `, so helve will not start: without this ${list} rule, it would allow too much`,
  };
  const message = `${where}: "${rule}" ${what}${consequences[severity]}. ${fix}`;
  const reason = `"${rule}" ${what}. ${fix}`;
  return { severity, rule, list, source, message, reason, ...(isUnknownTool && { isUnknownTool }) };
}

function understand(text: string, options: RuleOptions): ParsedSubject {
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
function notAsCalledHere(written: string): ParsedSubject {
  const [name = written] = readMcpName(written)?.names ?? [];
  return broken('spells a name of an MCP server in another way than Helve', `Write "${name}".`);
}

/** It may be a tool of a server or of a program. A name that is close to an existing tool is most likely a typo. */
function ofUnknownTool(
  tool: string,
  specifier: string | undefined,
  outcome: ParsedSubject,
  options: Pick<RuleOptions, 'list' | 'knownTools' | 'tools'>,
): ParsedSubject {
  const what = 'names a tool that does not exist';
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
