// From a query to the arguments of ripgrep, and back to its answer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { globFilter } from '../text/glob-matcher.js';
import {
  type FileList,
  type FileMatches,
  type FileQuery,
  SearchFailure,
  type SearchOptions,
  type TextMatches,
  type TextQuery,
  VERSION_CONTROL,
} from './query.js';
import { groupsByFile, searchOutcome, withoutDot } from './ripgrep-output.js';
import { type RipgrepOptions, runRipgrep } from './run-ripgrep.js';

export async function listWithRipgrep(query: FileQuery, options: SearchOptions): Promise<FileList> {
  return await withQuery(query, options, async (args, where) => {
    const files: string[] = [];
    const isWanted = query.file === undefined ? filterFor(query) : () => true;
    const outcome = await runRipgrep(['--files', `--threads=${listingThreads()}`, ...args], where, (text) => {
      const found = text.split('\0').filter(Boolean).map(withoutDot).filter(isWanted);
      files.push(...found);
      options.onFiles?.(found);
    });
    return query.file === undefined
      ? { files, ...searchOutcome(outcome) }
      : { files: files.map(() => query.file ?? ''), ...searchOutcome(outcome, query.file) };
  });
}

/** One thread fewer than ripgrep's default: this process handles results at the same time, and needs a core too. */
const listingThreads = (): number => Math.max(1, Math.min(availableParallelism(), 12) - 1);

export async function searchWithRipgrep(query: TextQuery, options: SearchOptions): Promise<TextMatches> {
  return await withQuery(query, options, async (args, where) => {
    const all = [...textArguments(query), ...args, `--regexp=${query.pattern}`];
    const {
      groups: found,
      take,
      finish,
    } = groupsByFile(query, query.file === undefined ? filterFor(query) : () => true, options.onFiles);
    const outcome = await runRipgrep(all, where, take).catch(async (error: unknown) => {
      if (!(error instanceof SearchFailure && isAboutThePattern(error.message))) throw error;
      // Look-around, back-references and a literal "{" need the PCRE2 engine.
      return await runRipgrep(['--pcre2', ...all], where, take).catch((second: unknown) => {
        throw second instanceof SearchFailure ? explained(error, second) : second;
      });
    });
    finish();
    if (query.file !== undefined) return { files: underName(query.file, found), ...searchOutcome(outcome, query.file) };
    return { files: found, ...searchOutcome(outcome) };
  });
}

/** A single file has one entry, under any name that ripgrep was given for it. */
const underName = (file: string, found: ReadonlyMap<string, FileMatches>): Map<string, FileMatches> =>
  new Map([...found.values()].map((matches) => [file, matches]));

const isAboutThePattern = (message: string): boolean => /regex parse error|not supported|PCRE2/.test(message);

/** The first engine's error message, unless only the second supports what the pattern uses. */
const explained = (first: SearchFailure, second: SearchFailure): SearchFailure =>
  /not supported/.test(first.message) && !/not available/.test(second.message) ? second : first;

// A query's globs narrow what ignore files leave; ripgrep's own --glob would bring ignored files back. As an ignore
// file with inverted meaning, they are applied after all others. If another ignore file re-includes a file by name,
// ripgrep does not consult ours, so results are filtered again. Version control folders are excluded in the same way:
// as a --glob, each would be matched against every file, which takes a quarter of the time.
function filterFor({ globs }: FileQuery): (path: string) => boolean {
  const isWanted = globFilter(globs);
  return (path) => isWanted(path) && !(/(?:^|\/)\./.test(path) && IN_VERSION_CONTROL.test(path));
}

const IN_VERSION_CONTROL = new RegExp(`(?:^|/)(?:${VERSION_CONTROL.map((name) => `\\${name}`).join('|')})(?:/|$)`);

async function withQuery<T>(
  query: FileQuery,
  options: SearchOptions,
  work: (args: readonly string[], where: RipgrepOptions) => Promise<T>,
): Promise<T> {
  const { folder, file, globs, type, includeIgnored } = query;
  const args = ['--null', '--hidden', '--no-require-git'];
  if (includeIgnored) args.push('--no-ignore');
  const reached = query.opened ?? { folder, file };
  const where = { ...options, cwd: reached.folder, path: `./${reached.file ?? ''}` };
  if (file !== undefined) return await work(args, where);
  if (type !== undefined) args.push(`--type=${type}`);
  const rules = writeRules(globs);
  try {
    return await work(rules ? [...args, `--ignore-file=${rules.file}`] : args, where);
  } finally {
    rules?.remove();
  }
}

/** Synchronous: awaiting the creation of one small file would take longer. */
function writeRules(globs: readonly string[]): { file: string; remove: () => void } | undefined {
  // An ignore file can't contain these, and ripgrep ignores an empty alternative. The filter handles them later.
  const told = globs.some((glob) => /[\r\n]|\s$|\{,|,,|,\}|\{\}/.test(glob)) ? [] : globs;
  try {
    const folder = mkdtempSync(join(tmpdir(), 'helve-search-'));
    const file = join(folder, 'globs');
    writeFileSync(file, ignoreFileOf(told));
    return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
  } catch {
    return undefined; // no temporary folder: the filter does it instead
  }
}

function ignoreFileOf(globs: readonly string[]): string {
  const onlyLeavesOut = globs.every((glob) => glob.startsWith('!'));
  const lines = globs.map((glob) => (glob.startsWith('!') ? glob.slice(1).replace(/^[#!]/, '\\$&') : `!${glob}`));
  return `${[...(onlyLeavesOut ? [] : ['*', '!*/']), ...lines, ...VERSION_CONTROL].join('\n')}\n`;
}

function textArguments(query: TextQuery): string[] {
  const { mode, before, after, ignoreCase, multiline, onlyMatching, maxColumns } = query;
  const args = ['--with-filename', '--no-heading', '--crlf'];
  if (mode === 'files_with_matches') args.push('--files-with-matches');
  if (mode === 'count') args.push('--count-matches');
  if (mode === 'content') {
    args.push('--line-number', `--max-columns=${maxColumns}`, '--max-columns-preview');
    if (onlyMatching) args.push('--only-matching');
    else args.push(`--before-context=${before}`, `--after-context=${after}`);
  }
  if (ignoreCase) args.push('--ignore-case');
  if (multiline) args.push('--multiline', '--multiline-dotall');
  return args;
}
