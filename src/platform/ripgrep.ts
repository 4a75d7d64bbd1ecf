import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const MAX_OUTPUT_BYTES = 32 * 1024 * 1024; // far more than a model can use, far less than memory
const MAX_ERROR_CHARS = 4_000;
const DEFAULT_TIMEOUT_MS = 20_000; // a person would have given up on a search by then

export interface RipgrepOptions {
  /** Where it runs. Globs are relative to it. */
  cwd: string;
  /** What to search, relative to `cwd`. Required: without it ripgrep searches its standard input instead. */
  path: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  maxOutputBytes?: number;
  timeoutMs?: number;
}

export interface RipgrepOutput {
  /** Whole records only: what was cut off in the middle is dropped. */
  text: string;
  /** Why there may be more than `text` holds; undefined when it is all. */
  stopped: 'too much output' | 'took too long' | undefined;
  /** Files that could not be read, in ripgrep's words. */
  unreadable: readonly string[];
}

/** Ripgrep can't be started, or did not accept its arguments; the message carries its own words. */
export class RipgrepFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RipgrepFailure';
  }
}

/** Runs ripgrep with these arguments. No match is an empty text, not a failure. */
export async function runRipgrep(args: readonly string[], options: RipgrepOptions): Promise<RipgrepOutput> {
  const { cwd, path, env, signal, maxOutputBytes = MAX_OUTPUT_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const program = await findRipgrep(env);
  signal.throwIfAborted();
  const child = spawn(program, ['--no-config', '--color=never', ...args, '--', path], {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(new RipgrepFailure(`ripgrep (${program}) could not be started.`, { cause })));
    child.once('close', resolve);
  });

  let stopped: RipgrepOutput['stopped'];
  const stop = (why?: RipgrepOutput['stopped']): void => {
    stopped ??= why;
    child.kill('SIGKILL'); // it holds nothing that a gentler end would save
  };
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (stopped) return;
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxOutputBytes) stop('too much output');
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
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

  const output = Buffer.concat(chunks).toString('utf8');
  if (stopped) return { text: wholeRecords(output.slice(0, maxOutputBytes)), stopped, unreadable: [] };
  const complaints = complaint.split('\n').filter((line) => line !== '');
  // 0: found, 1: found nothing. On 2 a file that could not be read is no reason to hide what was found in the others.
  const failed = exitCode !== 0 && exitCode !== 1;
  if (failed && !(exitCode === 2 && complaints.length > 0 && complaints.every(isAboutAFile))) {
    throw new RipgrepFailure(complaint.trim() || `ripgrep ended with code ${exitCode} and said nothing.`);
  }
  return { text: output, stopped, unreadable: complaints };
}

const isAboutAFile = (line: string): boolean => /\(os error \d+\)$/.test(line);

function wholeRecords(output: string): string {
  return output.slice(0, Math.max(output.lastIndexOf('\n'), output.lastIndexOf('\0')) + 1);
}

export async function findRipgrep(env: RipgrepOptions['env']): Promise<string> {
  if (env['USE_BUILTIN_RIPGREP'] !== '0') {
    try {
      const { rgPath } = await import('@vscode/ripgrep'); // throws where its binary for this platform is not installed
      return rgPath;
    } catch {
      // the system's does as well
    }
  }
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  // A relative entry would let the folder that is searched bring its own program.
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const program = join(folder, name);
    try {
      await access(program, constants.X_OK);
      return program;
    } catch {
      // not here
    }
  }
  throw new RipgrepFailure(
    'ripgrep was not found: neither the package @vscode/ripgrep nor a program "rg" on PATH. ' +
      'Install ripgrep (for example "apt install ripgrep" or "brew install ripgrep"), or reinstall helve with its optional dependencies.',
  );
}
