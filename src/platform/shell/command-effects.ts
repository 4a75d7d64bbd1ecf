// Computes the effects of a shell command before it runs: one for each simple command that could run, the files it
// would touch, and an `unknown` for anything undetermined. Permissions, the scheduler and `explain` share the result.
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { CommandEffect, ContainerEngine, Effect, FileEffect } from '../../contract/effect.js';
import { codeOf } from '../error-code.js';
import { fileIdentity, isInside, realPathAsWritten } from '../files/paths.js';
import { lazy } from '../lazy.js';
import { messageOf } from '../message-of.js';
import { isHarmlessAssignment } from './assignments.js';
import { completeFindings } from './complete-findings.js';
import { containerEngine } from './container-engine.js';
import { type LinkBudget, linkBudget, linksInGlob, linksInTree, targetOf } from './find-links.js';
import { type FindSystemProgram, systemPrograms } from './find-system-program.js';
import { Findings, type FoundAccess, type FoundCommand, type FoundFacts } from './findings.js';
import { createGitRepositories } from './git-repository.js';
import { loadParser, type Parser } from './parse-command.js';
import { leadsThroughProcess } from './process-links.js';
import { walkCommand } from './walk-command.js';

const MAX_REMEMBERED = 200; // commands; the gate, permissions and explain query the same few
const MAX_REMEMBERED_CHARS = 10_000; // longer ones are rare, and would fill the cache

export interface CommandContext {
  /** The working directory of the command, absolute. */
  cwd: string;
  /** The project's folders. */
  workspace?: readonly string[];
  /** The value of `~` and `$HOME`; without it they count as unknown. */
  home?: string;
}

export interface CommandAnalyzer {
  /** The effects of the command, in order. The analysis of the text is cached; real paths are resolved each time. */
  effects(command: string, place: CommandContext): Promise<Effect[]>;
  /** Loads the parser before the first command. */
  preload(): Promise<void>;
}

export interface CommandAnalyzerOptions {
  /** The PATH for programs. Default: that of this process. */
  path?: string;
  /** The environment of commands; git is queried with it. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>>;
}

export function createCommandAnalyzer({
  env = process.env,
  path = env['PATH'] ?? '',
}: CommandAnalyzerOptions = {}): CommandAnalyzer {
  const isSystemProgram = systemPrograms(path);
  const repositories = createGitRepositories(env);
  const remembered = new Map<string, Findings>();
  const load = lazy(loadParser);

  return {
    async preload() {
      await load();
    },

    async effects(command, { cwd, home, workspace }) {
      const key = JSON.stringify([command, cwd, home]);
      let findings = remembered.get(key);
      if (findings === undefined) {
        findings = findingsOf(command, { cwd, home }, await load());
        if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
        if (command.length <= MAX_REMEMBERED_CHARS) remembered.set(key, findings);
      }
      const surroundings = { cwd, home, workspace, parser: await load(), repositories };
      return await toEffects(await completeFindings(findings, surroundings), { isSystemProgram, env, home });
    },
  };
}

/** An error in the analysis must not let a command through: its effect is then `unknown`. */
function findingsOf(command: string, place: { cwd: string; home: string | undefined }, parser: Parser): Findings {
  try {
    return walkCommand(command, place, parser);
  } catch (error) {
    const why = `it can't be analysed: ${messageOf(error)}`;
    const words = [{ text: command, value: command, mayBeOption: false, splits: false }];
    const findings = new Findings();
    findings.command({ words, why, assigns: [] });
    findings.isUnknown(why);
    findings.movesDirectory = true;
    return findings;
  }
}

interface Surroundings {
  isSystemProgram: FindSystemProgram;
  env: Readonly<Record<string, string | undefined>>;
  home: string | undefined;
}

async function toEffects(
  { commands: found, files: named, network, unknown, movesDirectory, observesMachine }: FoundFacts,
  { isSystemProgram, env, home }: Surroundings,
): Promise<Effect[]> {
  const problems = [...unknown];
  const commands = found.map((command): FoundCommand => {
    const isSystem = command.isSystemCandidate === true && isSystemProgram(valuesOf(command));
    const observes = command.observes ?? (observesMachine ? 'machine' : undefined);
    return {
      ...command,
      isSystemCandidate: isSystem,
      ...(isSystem && { needsWalls: true }),
      ...(observes && { observes }),
    };
  });
  const files = named.filter(({ ofCandidate, by }) => !ofCandidate || commands[by?.command ?? -1]?.isSystemCandidate);
  const lookUp = realNames();
  const touched = await Promise.all(files.map((file) => resolved(file, lookUp)));
  problems.push(...touched.filter((effect) => typeof effect === 'string'));
  const effects = touched.filter((effect) => typeof effect === 'object');
  const budget = linkBudget();
  const linked = touched.flatMap((effect, index) =>
    typeof effect === 'object' && followed(files[index], effect) ? behindLinks(effect, budget) : [],
  );
  problems.push(...linked.filter((effect) => typeof effect === 'string'));
  const writesDirectory = movesDirectory || problems.length > 0;
  return [
    ...commands.map((command) => commandEffect(command, engineOf(command, commands, { env, home }))),
    ...effects,
    ...linked.filter((effect) => typeof effect === 'object'),
    ...network.map((url): Effect => ({ kind: 'network', url })),
    ...commands.flatMap(({ network: urls = [] }, command) =>
      urls.map((url): Effect => ({ kind: 'network', url, by: { command } })),
    ),
    ...problems.map((why): Effect => ({ kind: 'unknown', why })),
    { kind: 'session', access: 'read', what: 'cwd' },
    ...(writesDirectory ? [{ kind: 'session', access: 'write', what: 'cwd' } as const] : []),
  ];
}

/**
 * Whether symlinks among the files of an effect are followed: through a glob or a list of names, or because of an
 * option.
 */
const followed = (file: FoundAccess | undefined, { listing }: FileEffect): boolean =>
  file?.followsLinks === true || (file?.chosen === true && !listing);

const valuesOf = ({ words }: FoundCommand): string[] => words.flatMap(({ value }) => value ?? []);

/** They start programs as another user, or in another place, with other variables. */
const CLEARING = /(^|\/)(sudo|doas|su|runuser|pkexec|chroot)$/;

/** A script that `DOCKER_HOST=… sh -c` runs gets the variables of the shell that runs it. */
function engineOf(
  command: FoundCommand,
  commands: readonly FoundCommand[],
  { env, home }: Pick<Surroundings, 'env' | 'home'>,
): ContainerEngine | undefined {
  const { engineVariables, words } = command;
  const name = words[0]?.value;
  if (!engineVariables || name === undefined) return undefined;
  const set = new Map(engineVariables);
  for (let outer = commands[command.wrappedBy ?? -1]; outer; outer = commands[outer.wrappedBy ?? -1]) {
    if (CLEARING.test(outer.words[0]?.value ?? '')) return undefined;
    for (const { name: variable, value } of outer.assigns) if (!set.has(variable)) set.set(variable, value);
  }
  return containerEngine(name, set, { env, home });
}

function commandEffect(command: FoundCommand, engine: ContainerEngine | undefined): CommandEffect {
  const { words, why, assigns, wrappedBy, observes, isSystemCandidate } = command;
  // Confinement never frees a command that is known not to be harmless; it may free one that no table knows.
  const needsWalls = command.needsWalls && (why === undefined || isSystemCandidate);
  const values = words.map(({ value }) => value ?? null);
  const argv = values.filter((value) => value !== null);
  return {
    kind: 'command',
    text: words.flatMap(({ text }) => text || []).join(' '), // words from standard input have no text
    ...(argv.length === values.length ? { argv } : { words: values }),
    harmless: why === undefined,
    ...(why !== undefined && { why }),
    ...(assigns.length > 0 && { assigns: assigns.map(({ name }) => name) }),
    ...(why !== undefined && !assigns.every(isHarmlessAssignment) && { assignsUnsafely: true }),
    ...(wrappedBy !== undefined && { wrappedBy }),
    ...(needsWalls && { needsWalls }),
    ...(observes && { observes }),
    ...(engine && { engine }),
  };
}

/**
 * The targets of symlinks that a glob, or a list of names from another command, reaches outside itself. A command
 * that walks a tree itself follows no symlinks.
 */
function behindLinks(effect: FileEffect, budget: LinkBudget): Array<FileEffect | string> {
  const { path, real, pattern, tree, unresolved } = effect;
  if (unresolved !== undefined || (pattern === undefined && !tree)) return [];
  if (dirname(real) === real) return []; // nothing lies outside the root
  const links = pattern === undefined ? linksInTree(real, budget) : linksInGlob(pattern, budget);
  if (links === undefined) return [`${pattern ?? path} stands for more names than can be looked at`];
  return links.flatMap((link): FileEffect[] => {
    const target = targetOf(link);
    // A tree covers everything in it under any name; a glob covers only the names that it matches.
    if (target === undefined || (pattern === undefined && isInside(real, target))) return [];
    const { identity: _, pattern: __, ...rest } = effect;
    return [{ ...rest, path: link, real: target }];
  });
}

type LookUp = (path: string) => Promise<{ real: string; identity: string | undefined }>;

function realNames(): LookUp {
  const found = new Map<string, ReturnType<LookUp>>();
  return (path) => {
    let answer = found.get(path);
    if (answer === undefined) {
      answer = realName(path);
      found.set(path, answer);
    }
    return answer;
  };
}

async function realName(path: string): Promise<{ real: string; identity: string | undefined }> {
  const found = realNameAtOnce(path);
  if (found) return found;
  const real = await realPathAsWritten(path);
  return { real, identity: fileIdentity(real) };
}

/**
 * The common cases synchronously, since each await costs more than the rest of the analysis: an existing file, and a
 * missing file in an existing folder.
 */
function realNameAtOnce(path: string): { real: string; identity: string | undefined } | undefined {
  try {
    let there = path;
    let missing = '';
    while (lstatSync(there, { throwIfNoEntry: false }) === undefined) {
      if (path.includes('..')) return undefined;
      missing = join(basename(there), missing);
      there = dirname(there);
    }
    if (missing !== '') return { real: join(realpathSync.native(there), missing), identity: undefined };
    const real = realpathSync.native(path);
    const { dev, ino } = statSync(real, { bigint: true });
    return { real, identity: `${dev}:${ino}` };
  } catch {
    return undefined; // a dangling symlink, or a missing folder: resolved step by step
  }
}

/** The effect, the reason why it is unreliable, or undefined for a name that no file can have. */
async function resolved(file: FoundAccess, lookUp: LookUp): Promise<FileEffect | string | undefined> {
  try {
    return await fileEffect(file, lookUp);
  } catch (error) {
    if (codeOf(error) === 'ENAMETOOLONG') return undefined;
    return `where ${file.text} leads can't be told: ${messageOf(error)}`;
  }
}

async function fileEffect(file: FoundAccess, lookUp: LookUp): Promise<FileEffect> {
  const { access, path, text, tree, listing, removes, replaces, found, pattern, by } = file;
  const kinds = { ...(removes && { removes }), ...(replaces && { replaces }), ...(found && { found }) };
  const flags = { ...(tree && { tree }), ...kinds, ...(listing && { listing }) };
  const anywhere = (): FileEffect => {
    const root = resolve('/');
    const name = text || 'standard input';
    return { kind: 'file', access, path: root, real: root, ...flags, tree: true, unresolved: name, ...(by && { by }) };
  };
  if (path === undefined) return anywhere();
  const { real, identity } = await lookUp(path);
  if (real !== path && leadsThroughProcess(path)) return anywhere();
  return {
    kind: 'file',
    access,
    path: resolve(path),
    real,
    ...(identity !== undefined && { identity }),
    ...flags,
    ...(pattern !== undefined && { pattern }),
    ...(by && { by }),
  };
}
