import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolFailure } from '../contract/failure.js';
import type { ToolContext } from '../contract/tool-context.js';
import { cutPath, resolveIn } from '../platform/files/paths.js';
import type { RipgrepOptions, RipgrepOutput } from '../platform/ripgrep.js';
import { pathFailure, realTarget } from './path-failure.js';
import { refusal } from './refusal.js';
import { isMissing, locate } from './target-file.js';

/** Hidden files are searched, what .gitignore names is not, whether or not the folder is a repository. */
export const SEARCH_ARGS = ['--hidden', '--no-require-git'] as const;

/** After all other globs, since the last one that matches decides. */
export const NO_VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj'].map((name) => `--glob=!**/${name}`);

/** Where a search runs, and what of it is searched: a folder, or one file in it. */
export interface SearchRoot {
  folder: string;
  path: string;
}

/** Fails when nothing is at the path. */
export async function searchRoot(path: string, context: Pick<ToolContext, 'cwd'>): Promise<SearchRoot> {
  const absolute = resolveIn(context.cwd, path);
  const real = await realTarget(absolute, context);
  try {
    const stats = await stat(real);
    if (stats.isDirectory()) return { folder: real, path: './' };
    if (stats.isFile()) return { folder: dirname(real), path: `./${basename(real)}` };
  } catch (error) {
    if (!isMissing(error)) throw pathFailure(error, absolute, context.cwd);
    const { shown } = await locate(path, context);
    throw refusal(
      `${shown} does not exist (the working directory is ${context.cwd}). Check the path, or leave it out to search the working directory.`,
      error,
    );
  }
  throw refusal(
    `${cutPath(path)} is neither a directory nor a regular file, so it can't be searched. Choose another path.`,
  );
}

export async function search(
  args: readonly string[],
  { folder, path }: SearchRoot,
  { env, signal }: Pick<ToolContext, 'env' | 'signal'>,
  options: Pick<RipgrepOptions, 'timeoutMs'> = {},
): Promise<RipgrepOutput> {
  const { RipgrepFailure, runRipgrep } = await import('../platform/ripgrep.js'); // for the first search, not for the start
  try {
    return await runRipgrep(args, { cwd: folder, path, env, signal, ...options });
  } catch (error) {
    if (!(error instanceof RipgrepFailure)) throw error;
    throw new ToolFailure(`The search failed. ${error.message}`, { cause: error });
  }
}

/** The files below the root that are not ignored, relative to it. A glob that names files brings ignored ones back, so
 * what it finds has to be looked up here. */
export async function filesNotIgnored(
  root: SearchRoot,
  context: Pick<ToolContext, 'env' | 'signal'>,
): Promise<{ files: Set<string>; stopped: RipgrepOutput['stopped'] }> {
  const { text, stopped } = await search(['--files', '--null', ...SEARCH_ARGS, ...NO_VERSION_CONTROL], root, context);
  return { files: new Set(text.split('\0').filter(Boolean).map(withoutDot)), stopped };
}

export const withoutDot = (path: string): string => path.replace(/^\.\//, '');

/** Newest first, by name where two are of one age. */
export async function newestFirst(folder: string, files: readonly string[]): Promise<string[]> {
  const dated: Array<{ file: string; modified: bigint }> = [];
  const pending = [...files];
  const work = async (): Promise<void> => {
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      dated.push({ file, modified: await modifiedAt(join(folder, file)) });
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  return dated
    .sort((one, other) => Number(other.modified - one.modified) || (one.file < other.file ? -1 : 1))
    .map(({ file }) => file);
}

async function modifiedAt(path: string): Promise<bigint> {
  try {
    return (await stat(path, { bigint: true })).mtimeNs;
  } catch {
    return 0n; // gone meanwhile, or a link that leads nowhere
  }
}

export const stoppedNotice = (stopped: RipgrepOutput['stopped']): string =>
  stopped
    ? `PARTIAL result: the search was stopped because it ${stopped === 'took too long' ? 'took too long' : 'found too much'}. Search a smaller part.`
    : '';
