// Adds effects that the text alone does not show: the repository determines whether git is harmless and which files
// it prints, its configuration defines aliases, and the disk determines what a copied tree contains.
import { lstatSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { isInside } from '../files/paths.js';
import { messageOf } from '../message-of.js';
import { copiedNames } from './copied-trees.js';
import type { FoundAccess, FoundCommand, FoundFacts } from './findings.js';
import { programName, runsProtected } from './git-environment.js';
import { judgeFolder } from './git-programs.js';
import type { GitRepositories } from './git-repository.js';
import type { RepositoryJudgement } from './git-settings.js';
import { helveSettingsWrites } from './own-cli.js';
import type { Parser } from './parse-command.js';
import { expandAlias, gitCommands, gitWords } from './programs/git-words.js';
import { findProgram } from './programs/index.js';
import { quoteWord, type ShellField } from './programs/program.js';
import { sshAddresses } from './programs/transfers.js';
import { walkCommand } from './walk-command.js';

const MAX_ALIASES = 10; // aliases that expand to one another

export interface CompletionContext {
  cwd: string;
  home: string | undefined;
  /** The project's folders; without them the whole repository counts as read if git prints it. */
  workspace: readonly string[] | undefined;
  parser: Parser;
  repositories: GitRepositories;
}

/** A failed lookup must not let a command through. */
export async function completeFindings(findings: FoundFacts, surroundings: CompletionContext): Promise<FoundFacts> {
  try {
    return await lookedUp(findings, surroundings);
  } catch (error) {
    const why = `what it touches can't be looked up: ${messageOf(error)}`;
    return { ...findings, unknown: [...findings.unknown, why] };
  }
}

async function lookedUp(findings: FoundFacts, surroundings: CompletionContext): Promise<FoundFacts> {
  const all = await withAliases(findings, surroundings);
  const judged = await withRepositories(all, surroundings);
  const commands = judged.commands.map(withAddresses);
  const files = [
    ...judged.files,
    ...helveSettingsWrites(judged.commands, surroundings.cwd),
    ...copiedNames(judged.commands, judged.files),
  ];
  return { ...judged, commands, files };
}

/** Programs without a table may connect to the addresses that they are given. */
function withAddresses(command: FoundCommand): FoundCommand {
  const { words, why, network } = command;
  const name = programName(words.map(({ value }) => value)) ?? '';
  if (why === undefined || network !== undefined) return command;
  const found = /^(ssh|mosh)$/.test(name)
    ? sshAddresses(words.slice(1))
    : findProgram(name) === undefined || /^(npm|pnpm|yarn|http|httpie|rsync|xdg-open|open)$/.test(name)
      ? words
          .slice(1)
          .flatMap(({ value = '' }) => /^(?:--?[\w-]+=)?([a-z][a-z0-9+.-]*:\/\/[^\s/]+.*)$/is.exec(value)?.[1] ?? [])
      : [];
  return found.length === 0 ? command : { ...command, network: found.filter((url) => !/^file:/i.test(url)) };
}

const isGit = ({ words }: FoundCommand): boolean => programName(words.map(({ value }) => value)) === 'git';

/** The directories in which a git command looks for its repository; undefined if they are unknown. */
function foldersOf({ words, directories }: FoundCommand): readonly string[] | undefined {
  const { folder } = gitWords(words.slice(1));
  if (folder === undefined || folder.value === '') return directories;
  const { value } = folder;
  if (value === undefined) return undefined;
  return isAbsolute(value) ? [value] : directories?.map((directory) => `${directory}/${value}`);
}

/** Adds the expansions of git's configured aliases, so that rules see what runs. */
async function withAliases(findings: FoundFacts, surroundings: CompletionContext): Promise<FoundFacts> {
  const { commands, files, network, unknown, movesDirectory, observesMachine } = findings;
  const all: GrowingFindings = {
    commands: [...commands],
    files: [...files],
    network: [...network],
    unknown: [...unknown],
    movesDirectory,
    observesMachine,
  };
  for (let index = 0; index < all.commands.length; index += 1) {
    if (all.commands.length - findings.commands.length > MAX_ALIASES) {
      all.unknown.push('its aliases lead to too many commands');
      return all;
    }
    const command = all.commands[index];
    if (command === undefined || !isGit(command)) continue;
    const { rest, globals } = gitWords(command.words.slice(1));
    const [subcommand, ...after] = rest;
    const name = subcommand?.value;
    if (name === undefined || gitCommands.has(name)) continue;
    const setElsewhere = command.assigns.find((assigned) => /^(GIT_CONFIG|HOME$|XDG_CONFIG_HOME$)/.test(assigned.name));
    if (setElsewhere) all.unknown.push(`what git ${name} stands for is not known: ${setElsewhere.name} is set`);
    for (const folder of foldersOf(command) ?? [surroundings.cwd]) {
      await addAlias(all, { index, name, globals, after, folder }, surroundings);
    }
  }
  return all;
}

interface GrowingFindings extends FoundFacts {
  commands: FoundCommand[];
  files: FoundAccess[];
  network: string[];
  unknown: string[];
}

interface Alias {
  index: number;
  name: string;
  globals: readonly ShellField[];
  after: readonly ShellField[];
  folder: string;
}

async function addAlias(
  all: GrowingFindings,
  alias: Alias,
  { home, parser, repositories }: CompletionContext,
): Promise<void> {
  const { index, name, globals, after, folder } = alias;
  const settings = await repositories.settings(folder);
  const value = settings.findLast(({ key }) => isAlias(key, name))?.value;
  if (value === undefined) return;
  const started = expandAlias(value, globals, after);
  if (started === undefined) {
    all.unknown.push(`which command the alias ${name} stands for is not known`);
    return;
  }
  const text = 'script' in started ? started.script : started.words.map(asTyped).join(' ');
  const inside = walkCommand(text, { cwd: folder, home }, parser);
  const first = all.commands.length;
  const moved = (position: number | undefined): number => (position === undefined ? index : position + first);
  all.commands.push(...inside.commands.map((found) => ({ ...found, wrappedBy: moved(found.wrappedBy) })));
  all.files.push(
    ...inside.files.map((file) => (file.by ? { ...file, by: { ...file.by, command: moved(file.by.command) } } : file)),
  );
  all.network.push(...inside.network);
  all.unknown.push(...inside.unknown);
}

const isAlias = (key: string, name: string): boolean =>
  key.toLowerCase() === `alias.${name.toLowerCase()}` || key === `alias.${name}.command`;

const asTyped = ({ value, text }: ShellField): string => (value === undefined ? text : quoteWord(value));

/** Git is harmless only if no repository that it may use configures programs to start. */
async function withRepositories(findings: FoundFacts, surroundings: CompletionContext): Promise<FoundFacts> {
  const { commands, unknown, network } = findings;
  const judgements = await Promise.all(commands.map((command) => judgeCommand(command, surroundings)));
  const judged = commands.map((command, index) => {
    const judgement = judgements[index];
    if (judgement === undefined) return command;
    const needsWalls = command.needsWalls || !judgement.isPlain;
    return withWhy({ ...command, ...(needsWalls && { needsWalls }) }, judgement.why);
  });
  const isProtected =
    unknown.length === 0 &&
    network.length === 0 &&
    runsProtected(
      judged.map(({ words, why }) => ({
        harmless: why === undefined,
        program: programName(words.map(({ value }) => value)),
      })),
    );
  const final = isProtected
    ? judged
    : judged.map((command, index) => withWhy(command, judgements[index]?.needsVariables));
  const shown = await Promise.all(
    findings.files.map((file) => shownBesides(file, file.by && final[file.by.command], surroundings)),
  );
  const files = findings.files.map((file) => withoutTree(file, file.by && final[file.by.command]));
  return { ...findings, commands: final, files: [...files, ...shown.flat()] };
}

/** A pathspec may be a folder; if it is a file, nothing lies below it. */
function withoutTree(file: FoundAccess, command: FoundCommand | undefined): FoundAccess {
  const { access, tree, path, ...rest } = file;
  if (access !== 'read' || !tree || path === undefined || !command || !isGit(command)) return file;
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? { ...rest, access, path } : file;
}

const withWhy = (command: FoundCommand, why: string | undefined): FoundCommand =>
  command.why !== undefined || why === undefined ? command : { ...command, why };

async function judgeCommand(
  command: FoundCommand,
  { repositories }: CompletionContext,
): Promise<RepositoryJudgement | undefined> {
  if (!isGit(command) || command.why !== undefined) return undefined;
  const { rest } = gitWords(command.words.slice(1));
  if (/^(version|help)$/.test(rest[0]?.value ?? 'version')) return undefined;
  const folders = foldersOf(command);
  if (folders === undefined) return { isPlain: false, why: 'in which directory git runs is not known' };
  try {
    const all = await Promise.all(folders.map((folder) => judgeFolder(folder, repositories)));
    const why = all.find((one) => one.why !== undefined)?.why;
    const needsVariables = all.find((one) => one.needsVariables !== undefined)?.needsVariables;
    return {
      isPlain: all.every(({ isPlain }) => isPlain),
      ...(why !== undefined && { why }),
      ...(needsVariables !== undefined && { needsVariables }),
    };
  } catch (error) {
    return {
      isPlain: false,
      why: `its repository can't be looked at: ${error instanceof Error ? error.message : error}`,
    };
  }
}

/**
 * Git resolves some paths from the top of the working tree, which may lie above the directory: `HEAD:a` is one, and
 * without pathspecs it means the whole tree. A name that is not a file may be a revision, which contains every file.
 */
async function shownBesides(
  file: FoundAccess,
  command: FoundCommand | undefined,
  { repositories, workspace }: CompletionContext,
): Promise<FoundAccess[]> {
  const { access, path, tree, listing } = file;
  if (access !== 'read' || path === undefined || listing || !command || !isGit(command)) return [];
  const folders = foldersOf(command) ?? [];
  const besides = await Promise.all(
    folders.map(async (folder): Promise<FoundAccess[]> => {
      const around = await repositories.lookUp(folder);
      if (around.kind !== 'repository') return [];
      const top = around.repository.workTree;
      const from = resolve(folder);
      const isWhole = tree && resolve(path) === from;
      const whole = tree && (isWhole || !exists(path)) && !sameFolder(top, from) ? [{ ...file, path: top }] : [];
      const ambiguous = tree && !isWhole && !exists(path) && sameFolder(top, from) ? [{ ...file, path: from }] : [];
      const twin =
        isInside(from, path) && !isWhole ? [{ ...file, path: join(top, relative(from, resolve(path))) }] : [];
      return [...whole, ...ambiguous, ...(sameFolder(top, from) ? [] : twin)];
    }),
  );
  return besides.flat().map((each) => ({ ...each, path: withinWorkspace(each.path ?? path, path, workspace) }));
}

/** A repository may reach beyond the project; then only its part in the project counts. */
function withinWorkspace(top: string, path: string, workspace: readonly string[] | undefined): string {
  if (workspace === undefined || workspace.some((folder) => isInside(folder, top))) return top;
  return workspace.find((folder) => isInside(folder, path) && isInside(top, folder)) ?? path;
}

const exists = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

/** Whether a folder, possibly reached through symlinks, is the other one, which is a real path. */
function sameFolder(real: string, folder: string): boolean {
  try {
    return realpathSync.native(folder) === real;
  } catch {
    return folder === real;
  }
}
