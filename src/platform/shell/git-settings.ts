// Repository settings that make git start a program or read a file even if it only prints. The user's global settings
// are trusted; a repository's own are not.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInside } from '../files/paths.js';
import type { GitRepository, GitSetting } from './git-repository.js';

const MAX_ATTRIBUTE_BYTES = 1024 * 1024;

export interface RepositoryJudgement {
  /** Why read-only git commands are not harmless in it. */
  why?: string;
  /** Why they are harmless only with the protective variables. */
  needsVariables?: string;
  /** It has only standard settings: no filters, drivers, submodules or other special features. */
  isPlain: boolean;
}

/** The verdict on a repository's own configuration, hooks and attributes for read-only commands. */
export function judgeRepository(repository: GitRepository): RepositoryJudgement {
  const { settings } = repository;
  const own = settings.filter(({ scope }) => scope === 'local' || scope === 'worktree');
  const starting = own.find((setting) => startsProgram(setting));
  const reading = own.find((setting) => readsElsewhere(setting, repository));
  const why =
    (starting && `${named(starting)}, by which git may start a program`) ??
    (reading && `${named(reading)}, by which git reads another file or folder`) ??
    strayWorkTree(repository);
  const switchedOff = own.find(isSwitchedOff);
  const needsVariables =
    (switchedOff && `${named(switchedOff)}, by which git may start a program`) ??
    (hookOfIndex(repository) ? 'the repository has a hook post-index-change, which git may run' : undefined);
  const isPlain = own.every(isPlainSetting) && needsVariables === undefined && !usesDrivers(repository);
  return { isPlain, ...(why !== undefined && { why }), ...(needsVariables && { needsVariables }) };
}

const named = ({ key, file }: GitSetting): string => `the repository's configuration ${file ?? ''} has ${key}`;

/** Section and name; a subsection may contain anything. */
function partsOf(key: string): { section: string; subsection: string | undefined; name: string } {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const subsection = first < last ? key.slice(first + 1, last) : undefined;
  return { section: key.slice(0, first), subsection, name: key.slice(last + 1) };
}

const isTrue = (value: string): boolean => !/^(false|no|off|0|)$/i.test(value);

/** Programs that read-only commands start and that no variable switches off. */
function startsProgram({ key, value }: GitSetting): boolean {
  const { section, name } = partsOf(key);
  switch (section) {
    case 'diff':
      return /^(textconv|command|external)$/.test(name);
    case 'filter':
      return /^(clean|smudge|process)$/.test(name);
    case 'merge': // --remerge-diff merges
      return name === 'driver';
    case 'gpg':
      return /^(program|defaultkeycommand)$/.test(name);
    case 'core':
      return name === 'alternaterefscommand';
    case 'alias': // deprecated commands may be shadowed
      return name === 'whatchanged' || partsOf(key).subsection === 'whatchanged';
    case 'pretty':
      return checksSignatures(value);
    case 'format':
      return name === 'pretty' && checksSignatures(value);
    case 'branch':
    case 'tag':
      return name === 'sort' && value.includes('signature');
    default:
      return false;
  }
}

const checksSignatures = (value: string): boolean => /%G|signature/.test(value);

// Files that git reads and whose lines it may print, for example in an error.
const fileSettings = /^(blame\.ignorerevsfile|mailmap\.file|core\.excludesfile|core\.attributesfile|diff\.orderfile)$/;
const lastName = /(?<![\w.-])[\w.-]*$/;
const usualFiles = /ignore-?revs|mailmap|gitignore|gitattributes|order/i;

function readsElsewhere({ key, value }: GitSetting, { workTree }: GitRepository): boolean {
  if (/^mailmap\.blob$/.test(key)) return false; // an object of the repository
  if (!fileSettings.test(key) || value === '') return false;
  if (!usualFiles.test(lastName.exec(value)?.[0] ?? '') || /^[~%]/.test(value)) return true;
  const path = resolve(workTree, value);
  try {
    return !isInside(workTree, realpathSync.native(path));
  } catch {
    return !isInside(workTree, path); // missing: git only complains
  }
}

/**
 * A `.git` that is a symlink or a file, or `core.worktree`, must point to a repository that knows this working tree.
 */
function strayWorkTree({ root, workTree, gitFolder, commonFolder, settings }: GitRepository): string | undefined {
  if (workTree !== root) return `git takes ${workTree} for the working tree of ${root}`;
  const isOrdinary = gitFolder === join(root, '.git') && !isLink(gitFolder) && commonFolder === gitFolder;
  if (isOrdinary) return undefined;
  const back = textOf(join(gitFolder, 'gitdir'))?.trim(); // of a worktree
  const leadsBack = back !== undefined && sameFile(resolve(gitFolder, back), join(root, '.git'));
  const tree = settings.findLast(({ key }) => key === 'core.worktree')?.value; // of a submodule
  const isOwnTree = tree !== undefined && sameFile(resolve(gitFolder, tree), root);
  if (leadsBack || isOwnTree) return undefined;
  return `${join(root, '.git')} leads to the repository ${gitFolder}, which does not lead back`;
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function sameFile(one: string, other: string): boolean {
  try {
    return realpathSync.native(one) === realpathSync.native(other);
  } catch {
    return false;
  }
}

/** Programs that the protective variables switch off. */
function isSwitchedOff({ key, value }: GitSetting): boolean {
  const { section, name } = partsOf(key);
  if (key === 'core.fsmonitor' || key === 'log.showsignature') return isTrue(value);
  if (section === 'remote') return name === 'promisor' && isTrue(value);
  return key === 'extensions.partialclone';
}

/** The only hook that a read-only command may run, when it refreshes the index. */
function hookOfIndex({ settings, commonFolder, workTree }: GitRepository): boolean {
  const set = settings.findLast(({ key, scope }) => key === 'core.hookspath' && scope !== 'command');
  if (set && set.scope !== 'local' && set.scope !== 'worktree') return false; // the user's own
  const folder = set === undefined ? join(commonFolder, 'hooks') : resolve(workTree, set.value);
  return lstatSync(join(folder, 'post-index-change'), { throwIfNoEntry: false }) !== undefined;
}

// Settings that git itself writes into a new repository, and settings that are only data for read-only commands.
const plainCore =
  /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|longpaths|protecthfs|protectntfs|hidedotfiles|fscache)$/;
const plainRemote = /^(url|pushurl|fetch|push|mirror|tagopt|prune|skipfetchall|gh-resolved|pruneTags)$/i;
const plainSections =
  /^(branch|user|author|committer|color|pull|push|init|rerere|gc|gui|lfs|advice|rebase|i18n|column)$/;

function isPlainSetting({ key, value }: GitSetting): boolean {
  const { section, name } = partsOf(key);
  if (section === 'core') return plainCore.test(name);
  if (section === 'remote') return plainRemote.test(name);
  if (section === 'extensions') return /^(objectformat|refstorage)$/.test(name);
  if (section === 'merge' || section === 'diff') return /^(conflictstyle|ff|renames|algorithm)$/.test(name);
  return plainSections.test(section) && !isSwitchedOff({ key, value, scope: 'local' });
}

/** Whether attributes name drivers for which some configuration, including the user's own, has a program. */
function usesDrivers({ settings, commonFolder, workTree }: GitRepository): boolean {
  const drivers = new Set(
    settings.flatMap(({ key }) => {
      const { section, subsection, name } = partsOf(key);
      const isProgram = /^(textconv|command|clean|smudge|process|driver)$/.test(name);
      return subsection !== undefined && isProgram && /^(diff|filter|merge)$/.test(section) ? [subsection] : [];
    }),
  );
  if (drivers.size === 0) return false;
  const texts = [join(workTree, '.gitattributes'), join(commonFolder, 'info', 'attributes')].map(textOf);
  return texts.some((text) =>
    [...(text ?? '').matchAll(/\b(?:diff|filter|merge)=(\S+)/g)].some(([, name]) => drivers.has(name ?? '')),
  );
}

function textOf(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > MAX_ATTRIBUTE_BYTES) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
