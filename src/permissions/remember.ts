// The rules that "always" saves: they would have allowed exactly the parts that were asked about.
import { dirname, relative, sep } from 'node:path';
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';
import {
  type Decision,
  type DecisionRequest,
  decisionBases,
  irreversibleRisk,
  type Risk,
  type RiskKind,
  type TrailEntry,
} from '../contract/permission.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isInside } from '../platform/files/paths.js';
import { allowsCommand, parseCommandPattern } from './match-command.js';
import { escapePath, thisPathStyle } from './match-path.js';
import { hidesHost, hostOf } from './match-url.js';
import { coversHighRisk } from './risks/prefix-risks.js';
import { secretAt } from './risks/secret-names.js';
import { familyOf, isFileTool, namesIn } from './tool-names.js';

const MAX_RULES = 5; // more would not be read before saying yes
const MAX_RULE_CHARS = 200;

interface RulesFor {
  /** As written and resolved. Rules name files in it by relative paths. */
  project: readonly string[];
  /** As written and resolved. Rules name other files in it below `~`. */
  home?: readonly string[];
  tools: ToolTable;
  /** What the call puts at risk. */
  risks?: readonly Risk[];
}

/**
 * The one rule about what may be remembered: nothing that can't be undone, that reaches others or that takes files
 * away. What `rm -rf dist` deletes, undo restores, but a rule would also allow it when `dist` holds something else.
 */
function whyAskedAgain(risks: readonly Risk[]): string | undefined {
  const others = risks.find(({ kind }) => kind === 'publishes' || kind === 'remote_change');
  if (others) return `no rule is offered for what ${riskWords[others.kind]}`;
  const lost = irreversibleRisk(risks);
  if (lost && !/^(downloaded_code|network)$/.test(lost.kind)) return "no rule is offered for what can't be undone";
  const isLost = risks.some(
    ({ kind, undoable }) => undoable === 'perhaps' || (undoable === false && /^(deletes|overwrites)$/.test(kind)),
  );
  if (isLost) return 'no rule is offered for what undo may not restore';
  const risk = risks.find(({ level }) => level === 'high') ?? risks.find(({ kind }) => kind === 'deletes');
  return risk && `no rule is offered for what ${riskWords[risk.kind]}`;
}

/** What a call with such a risk does, in general: a rule would hold for later calls too. */
const riskWords: Readonly<Record<RiskKind, string>> = {
  rewrites_history: "can't be undone",
  remote_change: 'changes something on another machine',
  publishes: 'publishes or pushes',
  downloaded_code: 'runs code that it downloads',
  secrets: 'reads or changes keys or passwords',
  privileges: 'changes rights, users, services or disks',
  deletes: 'deletes files',
  overwrites: 'replaces files',
  startup: 'can run programs later',
  writes_outside: 'a command writes outside the project',
  network: 'sends data to others',
  unknown: 'is not known before it runs',
};

/**
 * The rules to offer with the question, one for each part that needs it. Empty if a rule could not help or could not be
 * shown in full: parts that ask in every mode, unknown effects, programs that run whatever they are given.
 */
export function suggestRules(
  request: DecisionRequest,
  { behavior, trail = [] }: Decision,
  context: RulesFor,
): string[] {
  if (behavior !== 'ask' || whyAskedAgain(context.risks ?? []) !== undefined) return [];
  const asking = answersOf(trail).filter((entry) => entry.behavior === 'ask');
  const rules = asking.map((entry) => {
    const effect = request.effects[entry.effect ?? -1];
    return entry.basis === 'default' && effect ? rulesFor(effect, request, context) : undefined;
  });
  const all = [...new Set(rules.flatMap((some) => some ?? ['']))];
  const isComplete = all.length > 0 && all.length <= MAX_RULES && all.every((rule) => canBeShown(rule));
  return isComplete ? all : [];
}

/** Why there is no rule to offer, for the person; undefined if a rule, a hook or a check asks in any case. */
export function whyNoRule(
  request: DecisionRequest,
  { behavior, trail = [] }: Decision,
  context: RulesFor,
): string | undefined {
  if (behavior !== 'ask') return undefined;
  const asking = answersOf(trail).filter((entry) => entry.behavior === 'ask');
  if (asking.some(({ basis }) => basis === 'protected_path' || basis === 'critical_path')) {
    return 'no rule can allow this: Helve always asks about it';
  }
  if (asking.length === 0 || asking.some(({ basis }) => basis !== 'default')) return undefined;
  const again = whyAskedAgain(context.risks ?? []);
  if (again !== undefined) return again;
  for (const { effect: index } of asking) {
    const effect = request.effects[index ?? -1];
    if (!effect || rulesFor(effect, request, context)?.every(canBeShown)) continue;
    if (effect.kind === 'file' && effect.unresolved === undefined && tooBroad(effect, context)) {
      return `a rule for ${tooBroad(effect, context)} would cover everything in it`;
    }
    if (effect.kind === 'file' && effect.unresolved === undefined && coversSecrets(effect, context)) {
      return `a rule for ${effect.path} would cover the keys and passwords in it`;
    }
    if (effect.kind === 'file') return 'no rule can cover files that are not known before it runs';
    if (effect.kind !== 'command') return 'no rule can cover what is not known before it runs';
    const [name] = effect.argv ?? [];
    if (name === undefined) return 'no rule can cover words that are not known before it runs';
    if (name.includes('/')) return 'no rule is offered for a program that is named by its path';
    if (NEVER_REMEMBERED.test(name)) return `a rule for ${name} would cover everything that ${name} can do`;
    return /\n/.test(effect.text)
      ? 'no rule can cover a command of several lines'
      : 'no rule can cover this form of the command';
  }
  return 'it has too many parts for rules';
}

const canBeShown = (rule: string): boolean =>
  rule !== '' && rule.length <= MAX_RULE_CHARS && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(rule);

/** The strongest finding of each part. */
function answersOf(trail: readonly TrailEntry[]): TrailEntry[] {
  const answers = new Map<number | undefined, TrailEntry>();
  for (const entry of trail) {
    const known = answers.get(entry.effect);
    if (!known || decisionBases.indexOf(entry.basis) < decisionBases.indexOf(known.basis)) {
      answers.set(entry.effect, entry);
    }
  }
  return [...answers.values()];
}

function rulesFor(
  effect: Effect,
  { tool, effects }: DecisionRequest,
  { project, home = [], tools, risks = [] }: RulesFor,
): string[] | undefined {
  switch (effect.kind) {
    case 'file': {
      if (effect.unresolved !== undefined || tooBroad(effect, { project, home }) !== undefined) return undefined;
      if (coversSecrets(effect, { project, home })) return undefined;
      if (effect.removes && effect.by?.as === 'operand' && isUndone(effect.by.command, effects, risks)) return [];
      const [access] = namesIn(tools, effect.access === 'read' ? 'read' : 'edit');
      const names = [...new Set([effect.path, effect.real])]; // a symlink needs a rule for its path and one for its target
      return [...new Set(names.map((name) => `${access}(${pathPattern(name, { project, home })})`))];
    }
    case 'command': {
      const [shell] = namesIn(tools, 'command');
      const rule = commandRule(effect, risks);
      return rule === undefined ? undefined : [`${shell}(${rule})`];
    }
    case 'network': {
      if (familyOf(tools, tool) === 'search') return [tool];
      if (effect.by) return []; // the rule for its command covers it
      const host = hidesHost(effect.url) ? undefined : hostOf(effect.url);
      const [fetcher] = namesIn(tools, 'domain');
      return host === undefined ? undefined : [`${fetcher}(domain:${host})`];
    }
    case 'unknown':
      return familyOf(tools, tool) === 'command' || isFileTool(tools, tool) ? undefined : [tool];
    case 'session':
      return undefined;
  }
}

/**
 * The root of the file system, the home folder, or the project that a command writes below, in words: a rule for it
 * would be a rule for everything.
 */
function tooBroad(
  { path, real, access, by }: FileEffect,
  { project, home = [] }: Pick<RulesFor, 'project' | 'home'>,
): string | undefined {
  const names = [path, real];
  if (names.some((name) => dirname(name) === name)) return 'the root of the file system';
  if (names.some((name) => home.includes(name))) return 'your home folder';
  if (by && access === 'write' && names.some((name) => project.includes(name))) return 'the project';
  return undefined;
}

/** Whether a rule for a folder that is read or listed would allow reading keys and passwords below it. */
function coversSecrets(
  { pattern: _, ...effect }: FileEffect,
  { project, home = [] }: Pick<RulesFor, 'project' | 'home'>,
): boolean {
  if (effect.access !== 'read' || !(effect.tree || effect.listing)) return false;
  return secretAt({ ...effect, tree: true }, { workspace: project, home, style: thisPathStyle() }) !== undefined;
}

/** `./x` means x in the project and nowhere else, wherever the project is on another machine. */
function pathPattern(path: string, { project, home }: { project: readonly string[]; home: readonly string[] }): string {
  const below = (folders: readonly string[]): string | undefined => {
    const folder = folders.find((name) => name !== path && isInside(name, path));
    return folder === undefined ? undefined : escapePath(relative(folder, path).replaceAll(sep, '/'));
  };
  const [inProject, inHome] = [below(project), below(home)];
  if (inProject !== undefined) return `./${inProject}`;
  return inHome === undefined ? `/${escapePath(path)}` : `~/${inHome}`;
}

/**
 * A prefix if the program is known to have subcommands and no command that begins like this is a high risk, else the
 * exact command.
 */
function commandRule(command: CommandEffect, risks: readonly Risk[]): string | undefined {
  const { argv, text } = command;
  const [name] = argv ?? [];
  if (!argv || name === undefined) return undefined;
  const isFile = runsFile(argv);
  if (NEVER_REMEMBERED.test(name) && !isFile && !isUndoneRemoval(command, risks)) return undefined;
  const count = isFile ? 0 : subCommandWords(argv);
  const first = argv.slice(0, count);
  const isPlain = count > 0 && first.length === count && first.every((word) => /^[\w@.:/+][\w@.:/+-]*$/.test(word));
  const isPrefix = isPlain && !coversHighRisk(first);
  const specifier = isPrefix ? `${first.join(' ')}:*` : text.replace(/[*\\]/g, (special) => `\\${special}`);
  // A rule that would not allow this command is useless.
  const pattern = parseCommandPattern(specifier);
  return pattern && pattern.kind !== 'any' && allowsCommand(pattern, command) ? specifier : undefined;
}

/** Their very words may be remembered, if undo restores what they delete. */
const REMOVERS = /^(?:rm|rmdir|unlink)$/;

const isUndoneRemoval = ({ argv, text }: CommandEffect, risks: readonly Risk[]): boolean =>
  REMOVERS.test(argv?.[0] ?? '') && risks.some(({ kind, part }) => kind === 'deletes' && part === text);

/** The rule for such a command covers the files that it names. */
const isUndone = (command: number, effects: readonly Effect[], risks: readonly Risk[]): boolean => {
  const found = effects.filter((effect) => effect.kind === 'command')[command];
  return found !== undefined && isUndoneRemoval(found, risks);
};

/** Programs that run, delete or send whatever they are given. A path instead of a name may be any program. */
export const NEVER_REMEMBERED =
  /\/|^(?:[a-z]*sh|python[\d.]*|pypy\d*|node|nodejs|deno|bun|ruby|perl|php|lua|tclsh|osascript|awk|gawk|mawk|Rscript|java|eval|exec|source|\.|command|builtin|env|xargs|parallel|find|sudo|doas|su|pkexec|chroot|unshare|nsenter|runuser|setsid|nohup|timeout|watch|flock|ionice|nice|stdbuf|time|script|expect|tmux|screen|at|batch|crontab|systemd-run|rm|rmdir|unlink|shred|dd|mkfs.*|kill|pkill|killall|shutdown|reboot|curl|wget|ssh|scp|rsync|nc|ncat|socat)$/;

/**
 * Whether the command runs a file or a module of this machine, such as `node --test`, `python3 -m pytest` or
 * `./check.sh`: a rule for these very words covers nothing else. Code among the words, from standard input or from the
 * network is another matter.
 */
export function runsFile([name = '', ...words]: readonly string[]): boolean {
  if (words.some((word) => word.includes('://') || word === '-')) return false;
  if (name.includes('/')) return /^(?:\.\/)?[\w@][\w@.+-]*(?:\/[\w@][\w@.+-]*)*$/.test(name);
  if (!INTERPRETER.test(name) || words.length === 0) return false;
  const operand = words.findIndex((word) => !word.startsWith('-'));
  const options = operand === -1 ? words : words.slice(0, operand);
  return !options.some((option) => /^-[a-z]*[ceEpr]|^--(?:eval|print|command|import|require|loader)/.test(option));
}

const INTERPRETER = /^(?:bash|sh|zsh|dash|python[\d.]*|node|ruby|perl|php|lua|Rscript|java)$/;

/** How many words identify the command: three for `npm run dev`. 0 if the program is not known. */
export function subCommandWords(argv: readonly string[]): number {
  const [name = '', toolchain] = argv;
  if (name === 'cargo' && toolchain?.startsWith('+')) return 1 + subCommandWords([name, ...argv.slice(2)]);
  for (let length = 2; length > 0; length -= 1) {
    const key = argv.slice(0, length).join(' ');
    const words = Object.hasOwn(subCommands, key) ? subCommands[key] : undefined;
    if (words !== undefined) return words;
  }
  return 0;
}

const subCommands: Readonly<Record<string, number>> = {
  git: 2,
  'git remote': 3,
  'git stash': 3,
  'git submodule': 3,
  'git worktree': 3,
  'git config': 3,
  gh: 3,
  npm: 2,
  'npm run': 3,
  pnpm: 2,
  'pnpm run': 3,
  yarn: 2,
  'yarn run': 3,
  'bun run': 3,
  cargo: 2,
  go: 2,
  make: 2,
  just: 2,
  docker: 2,
  'docker compose': 3,
  kubectl: 2,
  terraform: 2,
  dotnet: 2,
  gradle: 2,
  mvn: 2,
  pip: 2,
  pip3: 2,
  uv: 2,
  poetry: 2,
  'poetry run': 3,
  bundle: 2,
  'bundle exec': 3,
  brew: 2,
  mkdir: 1,
  touch: 1,
  tsc: 1,
  eslint: 1,
  prettier: 1,
  biome: 2,
  vitest: 1,
  jest: 1,
  pytest: 1,
  ruff: 2,
  mypy: 1,
};
