import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import {
  type FileList,
  type FileMatches,
  type FileQuery,
  MAX_OUTPUT_BYTES,
  SEARCH_TIMEOUT_MS,
  SEPARATOR,
  SearchFailure,
  type SearchOptions,
  type SearchOutcome,
  type TextMatches,
  type TextQuery,
  VERSION_CONTROL,
} from './search/query.js';
import { startProcess } from './shell/start-process.js';
import { globFilter } from './text/glob-matcher.js';

const MAX_ERROR_CHARS = 100_000; // one short line for each unreadable file

export interface RipgrepOptions extends SearchOptions {
  /** The working directory. Globs are relative to it. */
  cwd: string;
  /** The paths to search, relative to `cwd`. Required: without a path ripgrep searches its standard input. */
  path: string;
}

export interface RipgrepOutcome {
  stopped: SearchOutcome['stopped'];
  /** Unreadable files, in ripgrep's words. */
  complaints: readonly string[];
}

/** No working ripgrep was found. */
export class RipgrepMissing extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RipgrepMissing';
  }
}

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
      ? { files, ...toldOf(outcome) }
      : { files: files.map(() => query.file ?? ''), ...toldOf(outcome, query.file) };
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
    if (query.file !== undefined) return { files: underName(query.file, found), ...toldOf(outcome, query.file) };
    return { files: found, ...toldOf(outcome) };
  });
}

/** A single file has one entry, whatever name ripgrep was given for it. */
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

interface Group extends FileMatches {
  lines: string[];
}

const NO_LINES: string[] = []; // shared by all files whose lines are not wanted

interface Groups {
  readonly groups: Map<string, FileMatches>;
  /** Receives complete records. */
  take(output: string): void;
  /** The end of the output. */
  finish(): void;
}

/** Parses ripgrep's output for each file. A path ends with NUL, so that no name can be mistaken for something else. */
function groupsByFile(
  { mode }: TextQuery,
  isWanted: (file: string) => boolean,
  onFiles: SearchOptions['onFiles'],
): Groups {
  const groups = new Map<string, Group>();
  let current: Group = { lines: [], matches: 0 };
  let lastPath = '';
  const group = (path: string): Group => {
    const file = withoutDot(path);
    const known = groups.get(file);
    if (known) return known;
    const started: Group = { lines: mode === 'content' ? [] : NO_LINES, matches: 0 };
    if (isWanted(file)) groups.set(file, started);
    return started;
  };
  const takeNames = (output: string): void => {
    const found = output.split('\0').filter(Boolean).map(withoutDot).filter(isWanted);
    for (const file of found) groups.set(file, { lines: NO_LINES, matches: 1 });
    onFiles?.(found);
  };
  const takeLines = (output: string): void => {
    for (let at = 0; at < output.length; ) {
      const end = lineEnd(output, at);
      const split = output.indexOf('\0', at);
      if (split === -1 || split > end) {
        const own = record(output, at, end);
        const binary = BINARY.exec(own)?.[1];
        if (binary !== undefined || own === SEPARATOR || split === -1) {
          if (binary !== undefined) Object.assign(group(binary), { lines: [], matches: 1, isBinary: true });
          else if (own === SEPARATOR) current.lines.push(own);
          at = end + 1;
          continue;
        }
      }
      // A name may contain newlines: it ends at the NUL, and only a newline after that ends the record.
      const path = output.slice(at, split);
      const last = split < end ? end : lineEnd(output, split);
      const told = record(output, split + 1, last);
      at = last + 1;
      if (path !== lastPath) {
        lastPath = path;
        current = group(path);
      }
      if (mode === 'count') current.matches += Number(told);
      else {
        if (isMatch(told)) current.matches += 1;
        current.lines.push(told);
      }
    }
  };
  return {
    groups,
    take: mode === 'files_with_matches' ? takeNames : takeLines,
    finish() {
      // Ripgrep also writes a separator before the next file, which belongs to neither.
      for (const { lines } of groups.values()) if (lines.at(-1) === SEPARATOR) lines.pop();
    },
  };
}

const BINARY = /^(.*): binary file matches \(found /;

/** Without the \r that ripgrep leaves in place, or ends its own lines with. */
const record = (text: string, from: number, end: number): string =>
  text.slice(from, text[end - 1] === '\r' ? end - 1 : end);

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/** A match has a colon after its line number, context a dash. */
function isMatch(line: string): boolean {
  for (let at = 0; ; at += 1) {
    const code = line.charCodeAt(at);
    if (code < 48 || code > 57 || Number.isNaN(code)) return code === 58;
  }
}

const withoutDot = (path: string): string => (path.startsWith('./') ? path.slice(2) : path);

const toldOf = ({ stopped, complaints }: RipgrepOutcome, file?: string): SearchOutcome => ({
  stopped,
  unreadable: complaints.map(
    (line) => file ?? withoutDot(/^(?:rg: )?(.*?): .*\(os error \d+\)$/.exec(line)?.[1] ?? line),
  ),
});

/**
 * Runs ripgrep with these arguments. `onRecords` gets the output as it arrives, in complete records: a truncated
 * record is dropped. Finding nothing is not a failure.
 */
export async function runRipgrep(
  args: readonly string[],
  options: RipgrepOptions,
  onRecords: (text: string) => void,
): Promise<RipgrepOutcome> {
  const { cwd, path, env, signal, maxOutputBytes = MAX_OUTPUT_BYTES, timeoutMs = SEARCH_TIMEOUT_MS } = options;
  const program = findRipgrep(env);
  signal.throwIfAborted();
  const child = startProcess(program, ['--no-config', '--color=never', ...args, '--', path], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(startFailure(program, cause)));
    child.once('close', resolve);
  });

  let stopped: RipgrepOutcome['stopped'];
  let isStopping = false;
  const stop = (why?: RipgrepOutcome['stopped']): void => {
    stopped ??= why;
    isStopping = true;
    child.kill('SIGKILL'); // it has no state that a graceful end would save
  };
  const endOfRecords = args.includes('--files') || args.includes('--files-with-matches') ? endOfNames : endOfLines;
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    if (stopped) return;
    const taken = chunk.subarray(0, maxOutputBytes - size);
    size += chunk.length;
    if (size > maxOutputBytes) stop('too much output');
    rest = rest.length === 0 ? taken : Buffer.concat([rest, taken]);
    const end = endOfRecords(rest);
    if (end > 0) onRecords(rest.toString('utf8', 0, end));
    rest = rest.subarray(end);
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(0, MAX_ERROR_CHARS);
  });

  const timer = setTimeout(() => stop('took too long'), timeoutMs);
  const onAbort = (): void => stop();
  signal.addEventListener('abort', onAbort, { once: true });
  let exitCode: number | null;
  try {
    exitCode = await ended;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();

  if (!stopped && rest.length > 0) onRecords(rest.toString('utf8'));
  const complaints = complaint.split('\n').filter((line) => line !== '');
  if (stopped) return { stopped, complaints: complaints.filter(isAboutAFile) };
  // 0: found, 1: found nothing. With 2, an unreadable file is no reason to hide results from the others.
  if (exitCode === 0 || exitCode === 1) return { stopped, complaints };
  if (exitCode !== 2 && !isStopping) {
    throw new RipgrepMissing(
      `ripgrep (${program}) ended with code ${exitCode}: ${complaint.trim() || 'it said nothing'}.`,
    );
  }
  if (complaints.some(isAboutAFile) && complaints.every((line) => isAboutAFile(line) || isNotice(line))) {
    return { stopped, complaints: complaints.filter(isAboutAFile) };
  }
  throw new SearchFailure(complaint.trim().replace(/^rg: /, '') || 'ripgrep refused the search and did not say why.');
}

const [NUL, NEWLINE] = [0, 10];

/** The length of the complete records, each of which is a name and its NUL. */
const endOfNames = (output: Buffer): number => output.lastIndexOf(NUL) + 1;

/**
 * The same for records of a name, its NUL and a line. A name may contain newlines, so only one after a NUL ends a
 * record.
 */
function endOfLines(output: Buffer): number {
  for (let name = output.lastIndexOf(NUL); name !== -1; name = name === 0 ? -1 : output.lastIndexOf(NUL, name - 1)) {
    const end = output.indexOf(NEWLINE, name) + 1;
    if (end > 0) return end;
  }
  return 0;
}

/**
 * A program that is missing, for another platform or not executable counts as absent; an argument that is too long
 * does not.
 */
function startFailure(program: string, cause: NodeJS.ErrnoException): Error {
  if (cause.code === 'E2BIG') {
    return new SearchFailure('The pattern is too long for the system to pass on. Search for a part of it.', { cause });
  }
  return new RipgrepMissing(`ripgrep (${program}) can't be started (${cause.code ?? cause.message}).`, { cause });
}

const isAboutAFile = (line: string): boolean => /\(os error \d+\)$/.test(line);

/** An ignore file with a line that ripgrep can't parse, for example: the search continues without it. */
const isNotice = (line: string): boolean => /^rg: .*: line \d+: /.test(line);

const NAME = process.platform === 'win32' ? 'rg.exe' : 'rg';

/**
 * Throws if none was installed for this platform. Loading the package, which would report the same, takes
 * milliseconds.
 */
function packagedRipgrep(): string {
  const inPackage = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
  return inPackage.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${NAME}`);
}

/** The program: the one from the package, or the system's if `USE_BUILTIN_RIPGREP` is 0 or ours is missing. */
export function findRipgrep(env: SearchOptions['env']): string {
  if (!['0', 'false', 'no', 'off'].includes((env['USE_BUILTIN_RIPGREP'] ?? '').toLowerCase())) {
    try {
      const program = packagedRipgrep();
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // fall back to the system's
    }
  }
  // A relative PATH entry would let the searched folder provide its own program.
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const program = join(folder, NAME);
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // not in this folder
    }
  }
  throw new RipgrepMissing(
    'ripgrep was not found: neither the package @vscode/ripgrep nor a program "rg" on PATH. ' +
      'Install ripgrep (for example "apt install ripgrep" or "brew install ripgrep"), or reinstall helve with its optional dependencies.',
  );
}
