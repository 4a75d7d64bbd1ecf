import { isExecutable } from '../files/lenient-reads.js';
import { startProcess } from '../shell/start-process.js';
import { findRipgrep } from './find-ripgrep.js';
import { MAX_OUTPUT_BYTES, SEARCH_TIMEOUT_MS, SearchFailure, type SearchOptions, type SearchOutcome } from './query.js';

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
    child.once('error', (cause) => reject(startFailure(program, cwd, cause)));
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
  if (stopped) return { stopped, complaints: complaints.filter(namesAFile) };
  // 0: found, 1: found nothing. With 2, an unreadable file is no reason to hide results from the others.
  if (exitCode === 0 || exitCode === 1) return { stopped, complaints };
  if (exitCode !== 2 && !isStopping) {
    throw broken(program, `ended with code ${exitCode} (${complaint.trim() || 'it said nothing'})`);
  }
  if (complaints.some(namesAFile) && complaints.every((line) => namesAFile(line) || isNotice(line))) {
    return { stopped, complaints: complaints.filter(namesAFile) };
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

function startFailure(program: string, cwd: string, cause: NodeJS.ErrnoException): SearchFailure {
  if (cause.code === 'E2BIG') {
    return new SearchFailure('The pattern is too long for the system to pass on. Search for a part of it.', { cause });
  }
  // Node reports a working directory that can't be entered as if the program were missing.
  if (!isExecutable(cwd)) return new SearchFailure(`The folder can't be entered (${cause.code}).`, { cause });
  return broken(program, `can't be started (${cause.code ?? cause.message})`, cause);
}

const broken = (program: string, what: string, cause?: unknown): SearchFailure =>
  new SearchFailure(
    `ripgrep, which searches need, ${what}: reinstall ${program}, or set USE_BUILTIN_RIPGREP=0 and put another "rg" on PATH.`,
    { cause },
  );

const namesAFile = (line: string): boolean => /\(os error \d+\)$/.test(line);

/** An ignore file with a line that ripgrep can't parse, for example: the search continues without it. */
const isNotice = (line: string): boolean => /^rg: .*: line \d+: /.test(line);
