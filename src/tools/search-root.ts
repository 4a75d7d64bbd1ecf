import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { ToolFailure } from '../contract/failure.js';
import type { ToolContext } from '../contract/tool-context.js';
import { elidedPath, isMissing, resolveIn } from '../platform/files/paths.js';
import { pseudoFoldersBelow } from '../platform/files/pseudo-file-system.js';
import type {
  FileList,
  FileQuery,
  SearchOptions,
  SearchOutcome,
  TextMatches,
  TextQuery,
} from '../platform/search/query.js';
import { counted } from '../platform/text/counted.js';
import { pathFailure, realTarget } from './path-failure.js';
import { refusal } from './refusal.js';
import { locate } from './target-file.js';

const MAX_NAMED = 5; // skipped folders

/** Where a search runs: a folder, and the one file in it if only that is searched. */
export interface SearchRoot {
  folder: string;
  file?: string;
}

/** Throws if nothing is at the path, or something other than what was approved. */
export async function searchRoot(path: string, context: Pick<ToolContext, 'cwd' | 'approved'>): Promise<SearchRoot> {
  const absolute = resolveIn(context.cwd, path);
  const real = await realTarget(absolute, context);
  checkApproved(path, real, context.approved);
  try {
    const stats = await stat(real);
    if (stats.isDirectory()) return { folder: real };
    if (stats.isFile()) return { folder: dirname(real), file: basename(real) };
  } catch (error) {
    if (!isMissing(error)) throw pathFailure(error, absolute, context.cwd);
    const { shown } = await locate(path, context);
    throw refusal(`${shown} does not exist (the working directory is ${context.cwd}).`, {
      advice: 'Check the path, or leave it out to search the working directory.',
      cause: error,
    });
  }
  throw refusal(`${elidedPath(path)} is neither a directory nor a regular file, so it can't be searched.`, {
    advice: 'Choose another path.',
  });
}

/** The file system may have changed since the approval: a symlink may lead elsewhere now. */
export function checkApproved(path: string, real: string, approved: ToolContext['approved']): void {
  if (!approved || approved.some((effect) => effect.kind === 'file' && effect.tree && effect.real === real)) return;
  throw refusal(`${elidedPath(path)} leads elsewhere than when the call was approved. Nothing was read.`, {
    advice: 'Send it again.',
  });
}

/** A name on one line: one with a line break or the like is written as JSON, so that it can't look like another. */
export const nameOnOneLine = (name: string): string =>
  /[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;

/** Pseudo file systems, which no search enters: as globs, and as names for a notice. */
export function leftOutOf({ folder, file }: SearchRoot): { globs: string[]; names: string[] } {
  const names = file === undefined ? pseudoFoldersBelow(folder) : [];
  const globs = names.map((name) => `!/${relative(folder, name).replace(/[*?[\]{}!\\]/g, '\\$&')}`);
  return { globs, names };
}

type Searching = Pick<ToolContext, 'env' | 'signal'>;

export const listFiles = (
  query: FileQuery,
  context: Searching,
  { timeoutMs, onFiles }: Pick<SearchOptions, 'timeoutMs' | 'onFiles'> = {},
): Promise<FileList> =>
  explained(context, timeoutMs, async (options) => {
    const { listFiles } = await import('../platform/search/search.js'); // lazy: needed for the first search, not at startup
    return await listFiles(query, { ...options, onFiles });
  });

export const searchText = (
  query: TextQuery,
  context: Searching,
  onFile: (file: string) => void,
): Promise<TextMatches> =>
  explained(context, undefined, async (options) => {
    const { searchText } = await import('../platform/search/search.js');
    return await searchText(query, { ...options, onFiles: (files) => files.forEach(onFile) });
  });

async function explained<T>(
  { env, signal }: Searching,
  timeoutMs: number | undefined,
  work: (options: SearchOptions) => Promise<T>,
): Promise<T> {
  try {
    return await work({ env, signal, ...(timeoutMs !== undefined && { timeoutMs }) });
  } catch (error) {
    const { SearchFailure } = await import('../platform/search/query.js');
    if (!(error instanceof SearchFailure)) throw error;
    throw new ToolFailure(`The search failed. ${error.message}${hintFor(error.message)}`, {
      problem: `The search failed. ${error.message}`,
      cause: error,
    });
  }
}

/** What to do about it, in terms of this tool's parameters. */
function hintFor(message: string): string {
  if (message.includes('the literal "\\n" is not allowed')) return '\nSet multiline to match across lines.';
  if (message.includes('unrecognized file type:')) return '\nUse glob to choose files by name, for example "*.ext".';
  if (/regex parse error|PCRE2/.test(message)) {
    return '\nFix the expression; to match a sign such as ( [ { . * + ? literally, put a backslash before it.';
  }
  return '';
}

/** Files of a folder with their modification times. */
export class DatedFiles {
  readonly #folder: string;
  readonly #files: Array<{ file: string; modified: number }> = [];

  constructor(folder: string) {
    this.#folder = folder.endsWith('/') ? folder : `${folder}/`;
  }

  get count(): number {
    return this.#files.length;
  }

  add(file: string): void {
    this.#files.push({ file, modified: modifiedAt(`${this.#folder}${file}`) });
  }

  /** By name if two have the same time. */
  newestFirst(): string[] {
    return this.#files
      .sort((one, other) => other.modified - one.modified || (one.file < other.file ? -1 : 1))
      .map(({ file }) => file);
  }
}

/** Synchronous: for ten thousand files this takes a tenth of the time of async calls. */
function modifiedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0; // no permission
  }
}

/** Notices about a search that did not see everything. */
export function partialNotices({
  stopped,
  unreadable,
  leftOut,
}: {
  stopped: SearchOutcome['stopped'];
  unreadable: number;
  /** Folders that were skipped. */
  leftOut: readonly string[];
}): string[] {
  const notices = [];
  if (leftOut.length > 0) {
    const verb = leftOut.length === 1 ? 'was' : 'were';
    const some = leftOut.slice(0, MAX_NAMED).join(', ');
    const more = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : '';
    notices.push(`${some}${more} ${verb} not searched: the system makes up the files there as they are read.`);
  }
  if (unreadable > 0) {
    notices.push(`${counted(unreadable, 'file or directory', 'files or directories')} could not be read.`);
  }
  if (stopped) {
    const why = stopped === 'took too long' ? 'took too long' : 'found too much';
    notices.push(`PARTIAL result: the search was stopped because it ${why}. Search a smaller part.`);
  }
  return notices;
}
