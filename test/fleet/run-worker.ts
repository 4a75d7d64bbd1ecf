// Workers of a fleet as processes of their own, with a fake model server.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { vi } from 'vitest';
import { emptyFolder, runHelve, shareCode } from '../cli/run-helve.js';

export interface FleetPlace {
  /** Of the database. */
  url: string;
  /** Of the fake model server. */
  model: string;
  /** The folder that the sessions work in. */
  root: string;
  /** Of the model. */
  key?: string;
  env?: Readonly<Record<string, string>>;
  /** Default: that of this repository. */
  program?: string;
}

export interface TestWorker {
  readonly process: ChildProcess;
  readonly dataFolder: string;
  stderr(): string;
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string | null>;
}

export async function startWorker(
  place: FleetPlace,
  flags: readonly string[] = [],
  { trusts = true }: { trusts?: boolean } = {},
): Promise<TestWorker> {
  const dataFolder = await emptyFolder();
  shareCode(dataFolder);
  const options = [...(trusts ? ['--trust'] : []), '--silence', '1', ...flags];
  const child = spawn(process.execPath, [place.program ?? resolve('bin/helve.cjs'), 'worker', ...options], {
    cwd: place.root,
    env: {
      PATH: process.env['PATH'],
      HOME: dataFolder,
      TMPDIR: tmpdir(),
      IS_SANDBOX: '1',
      HELVE_HOME: dataFolder,
      HELVE_DATABASE: place.url,
      ANTHROPIC_API_KEY: place.key ?? 'key',
      ANTHROPIC_BASE_URL: place.model,
      HELVE_MODEL: 'anthropic/claude-sonnet-4-5',
      ...place.env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const isStarted = (): boolean => said.includes('takes up to');
  const known = (): boolean => isStarted() || child.exitCode !== null;
  await vi.waitUntil(known, { timeout: 20_000, interval: 20 }).catch(() => {});
  if (!isStarted()) throw new Error(`The worker did not start: ${said}`);
  return { process: child, dataFolder, stderr: () => said, ended };
}

/** Runs `helve fleet` and returns what it prints. */
export async function helveFleet({ url, root }: FleetPlace, ...args: readonly string[]): Promise<string> {
  const run = await runHelve(['fleet', ...args], { cwd: root, env: { HELVE_DATABASE: url } });
  if (run.code !== 0) throw new Error(run.stderr);
  return run.stdout.trim();
}
