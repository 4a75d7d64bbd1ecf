// Which rules match a call or one of its effects. Ask and deny rules match widely, allow rules narrowly: a symlink is
// allowed only if its path and its target are, and denied if either is.
import type { CommandEffect, Effect, FileEffect, NetworkEffect } from '../contract/effect.js';
import type { DecisionRequest } from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { allowsCommand, type CommandPattern, coversWrapped, mayMeanCommand, meansCommand } from './match-command.js';
import {
  matchesPath,
  matchesTree,
  mayMatchBelow,
  mayMatchGlob,
  type PathPattern,
  type PathStyle,
} from './match-path.js';
import { matchesText } from './match-text.js';
import { hidesHost, matchesDomain } from './match-url.js';
import type { InputPatterns, Rule, RuleSubject } from './rule.js';
import { familyOf } from './tool-names.js';

/** What matching depends on beside the rule and the call. */
export interface Matching {
  style: PathStyle;
  tools: ToolTable;
}

/** Whether a rule denies every use of the tool, so that the model need not get it at all. */
export const isDeniedOutright = (tool: string, rules: readonly Rule[]): boolean =>
  rules.some(({ list, subject }) => {
    if (list !== 'deny') return false;
    return subject.kind === 'command'
      ? subject.pattern.kind === 'any' && tool === subject.tool
      : subject.kind === 'tool' && subject.isTool(tool);
  });

/** Whether an ask or deny rule matches the call as a whole: its tool, or a field of its input. */
export function meansCall({ subject }: Rule, { tool, input }: DecisionRequest): boolean {
  switch (subject.kind) {
    case 'tool':
      return subject.isTool(tool);
    case 'command':
      return subject.pattern.kind === 'any' && tool === subject.tool;
    case 'input':
      return subject.isTool(tool) && matchesInput(subject, input);
    case 'path':
    case 'domain':
      return false;
  }
}

function matchesInput({ or, ...values }: Extract<RuleSubject, { kind: 'input' }>, input: unknown): boolean {
  return matchesFields(values, input) || (or !== undefined && matchesFields(or, input));
}

function matchesFields({ fields, patterns }: InputPatterns, input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const values = fields.map((field): unknown => (Object.hasOwn(input, field) ? Reflect.get(input, field) : undefined));
  const scalars = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
  if (scalars.length === 0) return false;
  const text = scalars.map(String).join(' ').trim();
  return patterns.some((pattern) => matchesText(pattern, text));
}

/** Whether an ask or deny rule matches this effect, whichever tool or command causes it. */
export function meansEffect(
  { subject }: Rule,
  effect: Effect,
  { tool }: DecisionRequest,
  { style, tools }: Matching,
): boolean {
  switch (subject.kind) {
    case 'path':
      // A file that may not be read may not be changed either.
      if (effect.kind !== 'file' || (subject.access === 'edit' && effect.access === 'read')) return false;
      return ruleNamesOf(effect).some((name) => matchesFile(subject.pattern, effect, name));
    case 'command':
      return effect.kind === 'command' && meansCommand(subject.pattern, effect, style.foldsCase);
    case 'domain':
      return effect.kind === 'network' && matchesDomain(subject.pattern, effect.url);
    case 'tool':
      if (effect.kind !== 'file') return false;
      if (subject.covers === 'reads') return true;
      if (effect.access === 'read' || subject.covers === undefined) return false;
      // A ban on Write must hold for redirections and patches too; Edit stays another matter.
      return subject.covers === 'edits' || effect.by !== undefined || worksAs(tools, tool, subject.tool);
    case 'input':
      return false;
  }
}

const worksAs = ({ traits }: ToolTable, tool: string, other: string): boolean =>
  traits.get(tool)?.worksAs?.includes(other) === true;

/** The paths that rules are matched with. */
export const namesOf = ({ path, real }: FileEffect): string[] => (path === real ? [path] : [path, real]);

/** Those, and the names in the project of a file in a worktree. */
const ruleNamesOf = (effect: FileEffect): string[] => [
  ...namesOf(effect),
  ...(effect.inProject ?? []).flatMap(({ path, real }) => (path === real ? [path] : [path, real])),
];

/** The names of `namesOf`, each with those that it has in the project. */
const nameGroupsOf = ({ path, real, inProject = [] }: FileEffect): string[][] => {
  const paths = [path, ...inProject.map((names) => names.path)];
  return path === real ? [paths] : [paths, [real, ...inProject.map((names) => names.real)]];
};

const matchesFile = (pattern: PathPattern, { tree }: FileEffect, name: string): boolean =>
  tree ? matchesTree(pattern, name) : matchesPath(pattern, name);

/**
 * Whether an ask or deny rule may match the effect: it matches a part of a tree, or a possible value of a word that is
 * not known yet. Tools leave out files that may not be read, so a denied part needs no question there; commands can't
 * leave out anything, unless they only list names.
 */
export function mayMeanEffect(
  { subject, list }: Rule,
  effect: Effect,
  commands: readonly CommandEffect[],
  style: PathStyle,
): boolean {
  if (subject.kind === 'command') {
    return effect.kind === 'command' && mayMeanCommand(subject.pattern, effect, style.foldsCase);
  }
  if (subject.kind !== 'path' || effect.kind !== 'file' || !effect.tree || effect.listing) return false;
  if (subject.access === 'edit' && effect.access === 'read') return false;
  if (effect.access === 'read' && !effect.by && list === 'deny') return false;
  const command = effect.by && commands[effect.by.command];
  if (effect.pattern !== undefined && effect.access === 'read' && !goesDeep(command)) {
    const globs = [effect.pattern, ...(effect.inProject ?? []).flatMap(({ pattern = [] }) => pattern)];
    return globs.some((glob) => mayMatchGlob(subject.pattern, glob));
  }
  return ruleNamesOf(effect).some((name) => mayMatchBelow(subject.pattern, name));
}

/** Whether the rule matches or may match the call, for hooks that must see every such call. */
export function mayConcernCall(rule: Rule, request: DecisionRequest, matching: Matching): boolean {
  const { tool, effects } = request;
  const commands = effects.filter((effect) => effect.kind === 'command');
  // A command that can't be parsed may be any command and touch any file.
  const runsCommands = familyOf(matching.tools, tool) === 'command';
  const isOpen = runsCommands && (rule.subject.kind === 'command' || rule.subject.kind === 'path');
  return (
    meansCall(rule, request) ||
    effects.some(
      (effect) =>
        (effect.kind === 'unknown' && isOpen) ||
        meansEffect(rule, effect, request, matching) ||
        mayMeanEffect(rule, effect, commands, matching.style),
    )
  );
}

/** Whether the command also reads folders that it is given, recursively, and not only files. */
function goesDeep(command: CommandEffect | undefined): boolean {
  const [name, ...words] = command?.argv ?? command?.words ?? [];
  if (typeof name !== 'string' || !SHALLOW_READERS.has(name)) return true;
  return words.some(
    (word) => typeof word === 'string' && /^-[a-z]*r|^--(dereference-)?recursive|^--directories/i.test(word),
  );
}

const SHALLOW_READERS: ReadonlySet<string> = new Set([
  ...[
    'cat',
    'tac',
    'head',
    'tail',
    'wc',
    'nl',
    'sort',
    'uniq',
    'cut',
    'tr',
    'paste',
    'column',
    'fold',
    'rev',
    'od',
    'xxd',
  ],
  ...[
    'hexdump',
    'strings',
    'file',
    'base64',
    'md5sum',
    'sha1sum',
    'sha256sum',
    'cksum',
    'grep',
    'egrep',
    'fgrep',
    'sed',
  ],
  ...['awk', 'jq', 'cmp', 'comm', 'less', 'more', 'bat', 'echo', 'printf', 'stat', 'test'],
]);

/** Whether a rule allows every effect of the call. Commands and files have rules of their own. */
export function allowsCall({ subject }: Rule, { tool, input }: DecisionRequest, tools: ToolTable): boolean {
  if (subject.kind === 'input') return subject.isTool(tool) && matchesInput(subject, input);
  if (subject.kind !== 'tool') return false;
  if (subject.covers === 'reads') return familyOf(tools, tool) === 'read';
  if (subject.covers === 'edits') return familyOf(tools, tool) === 'edit';
  return subject.isTool(tool);
}

interface Surroundings {
  commands: readonly CommandEffect[];
  /** For a file: whether it is in the project, both as written and resolved. */
  inWorkspace: boolean;
  request: DecisionRequest;
  tools: ToolTable;
}

/** Whether a rule allows this effect. No rule allows an unknown effect. */
export function allowsEffect({ subject }: Rule, effect: Effect, surroundings: Surroundings): boolean {
  switch (effect.kind) {
    case 'file':
      return allowsFile(subject, effect, surroundings);
    case 'command':
      return subject.kind === 'command' && coversCommand(subject.pattern, effect, surroundings.commands);
    case 'network':
      if (subject.kind === 'command') return coversAddress(subject, effect, surroundings);
      // A query leaves the machine whichever host answers, so a search is allowed by the tool's own name alone.
      if (familyOf(surroundings.tools, surroundings.request.tool) === 'search') return false;
      return subject.kind === 'domain' && matchesDomain(subject.pattern, effect.url) && !hidesHost(effect.url);
    case 'session':
    case 'unknown':
      return false;
  }
}

/**
 * The rules that together allow a file: each of its paths is allowed by one of the rules, or needs none.
 */
export function rulesForNames(
  rules: readonly Rule[],
  effect: FileEffect,
  isFree: (name: string) => boolean,
): readonly Rule[] {
  const allowing = nameGroupsOf(effect).map((names) =>
    rules.filter(({ subject }) => subject.kind === 'path' && names.some((name) => allowsName(subject, effect, name))),
  );
  const isAllowed = namesOf(effect).every((name, index) => isFree(name) || allowing[index]?.length !== 0);
  return isAllowed ? allowing.flat() : [];
}

/** Permission to change a file includes permission to read it. */
const allowsName = (
  { access, pattern }: Extract<RuleSubject, { kind: 'path' }>,
  effect: FileEffect,
  name: string,
): boolean => (effect.access === 'read' || access === 'edit') && matchesFile(pattern, effect, name);

function allowsFile(
  subject: RuleSubject,
  effect: FileEffect,
  { commands, inWorkspace, request }: Surroundings,
): boolean {
  const isEach = (matches: (name: string) => boolean) => nameGroupsOf(effect).every((names) => names.some(matches));
  if (subject.kind === 'path') return isEach((name) => allowsName(subject, effect, name));
  const { files } = subject.kind === 'tool' ? subject : {};
  if (files) return effect.by !== undefined && isEach((name) => matchesFile(files, effect, name));
  if (subject.kind !== 'command' || request.tool !== subject.tool) return false;
  const isEverything = subject.pattern.kind === 'any';
  const command = effect.by?.as === 'operand' ? commands[effect.by.command] : undefined;
  // A rule covers the operands of its command, but not the shell's redirections.
  if (!command) return isEverything && (effect.access === 'read' || inWorkspace);
  if (effect.unresolved !== undefined && effect.access === 'write' && !isEverything) return false;
  if (effect.removes && !inWorkspace && meansFolder(subject.pattern)) return false;
  return coversCommand(subject.pattern, command, commands);
}

/** `rm -rf dist` was agreed to for the project: after `cd ~` it is another folder. */
const meansFolder = (pattern: CommandPattern): boolean =>
  pattern.kind === 'exact' && !/(^|[\s'"=])[~/$]/.test(pattern.text);

/** A rule covers the addresses that its command is given; those that the shell itself reaches need a rule on all commands. */
function coversAddress(
  { tool, pattern }: Extract<RuleSubject, { kind: 'command' }>,
  { by }: NetworkEffect,
  { commands, request }: Surroundings,
): boolean {
  if (request.tool !== tool) return false;
  const command = by && commands[by.command];
  return command === undefined ? pattern.kind === 'any' : coversCommand(pattern, command, commands);
}

/** A rule allows the command itself, or was written for it together with its wrapper. */
function coversCommand(pattern: CommandPattern, command: CommandEffect, commands: readonly CommandEffect[]): boolean {
  if (allowsCommand(pattern, command)) return true;
  const wrapper = command.wrappedBy === undefined ? undefined : commands[command.wrappedBy];
  return wrapper !== undefined && allowsCommand(pattern, wrapper) && coversWrapped(pattern, wrapper, command);
}
