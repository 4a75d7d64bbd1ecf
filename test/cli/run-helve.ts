import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, realpath, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const helve = resolve('bin/helve.cjs');

export interface HelveRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface HelveOptions {
  cwd?: string;
  input?: string;
  env?: Readonly<Record<string, string>>;
  /** How many files it may have open, itself and all that it starts. */
  descriptorLimit?: number;
  /** Called once it runs, with a way to send a signal. */
  onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs the built command line as a person would, with an environment of its own and no key. */
export async function runHelve(args: readonly string[], options: HelveOptions = {}): Promise<HelveRun> {
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  const { descriptorLimit } = options;
  const limited = descriptorLimit && ['-c', `ulimit -n ${descriptorLimit}; exec "$@"`, 'bash', process.execPath];
  const child = spawn(limited ? '/bin/bash' : process.execPath, [...(limited || []), helve, ...args], {
    cwd: options.cwd ?? home,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: tmpdir(), IS_SANDBOX: '1', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  options.onStart?.((signal) => child.kill(signal));
  child.stdin.on('error', () => {}); // a run that ends early does not read all of it
  child.stdin.end(options.input ?? '');
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    options.onOutput?.(text, (signal) => child.kill(signal));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => done({ code, signal, stdout, stderr }));
  });
}

/**
 * Lets runs with this new data folder use the code that V8 has compiled for runs with others. Compiling is a third of the
 * work of a short command.
 */
export function shareCode(dataFolder: string): void {
  const shared = join(tmpdir(), 'compiled-code');
  mkdirSync(shared, { recursive: true });
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  if (!existsSync(join(dataFolder, 'cache'))) symlinkSync(shared, join(dataFolder, 'cache'));
}

/** Whether a process is at work; one that has ended and was not yet fetched by its parent is not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves when a file of that name appears in the folder. */
export async function fileAppears(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  if (existsSync(join(folder, name))) return;
  for await (const { filename } of watcher) if (filename === name) return;
}

export const emptyFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'helve-folder-')));

export const jsonLines = (text: string): Array<Record<string, unknown>> =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
