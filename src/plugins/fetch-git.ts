// Fetches a commit of a git repository into a new folder. Git runs no program that the repository names: no hooks, no
// submodules, no other transports, no filters that are set up in the repository; it asks no questions.
import type { ChildProcess } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicMs } from '../platform/clock.js';
import { messageOf } from '../platform/message-of.js';
import { startProcess } from '../platform/shell/start-process.js';
import { visible } from '../platform/text/visible.js';
import { PluginProblem } from './plugin-problem.js';
import { describeSource, type PluginSource } from './plugin-source.js';

const MAX_MS = 300_000; // a large repository over a slow line
const MAX_BYTES = 512 * 1024 * 1024; // a plugin has at most 128 MB; git keeps it compressed beside its files
const WATCH_MS = 100;
const MAX_OUTPUT = 64 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/** How much a fetch may take, all its steps together. */
export interface FetchLimits {
  bytes?: number;
  ms?: number;
}

export interface GitFetchOptions {
  env: Environment;
  signal?: AbortSignal | undefined;
  /** Default: 512 MB on disk, 5 minutes. */
  limits?: FetchLimits;
}

/** Throws `PluginProblem`. The caller removes the folder. */
export async function fetchGit(
  source: Extract<PluginSource, { source: 'git' }>,
  folder: string,
  { env, signal, limits: { bytes = MAX_BYTES, ms = MAX_MS } = {} }: GitFetchOptions,
): Promise<{ commit: string }> {
  const { url, ref, sha } = source;
  const until = monotonicMs() + ms;
  const refuse = (why: string): never => {
    throw new PluginProblem(`${describeSource(source)} can't be used: ${why}. Nothing of it was kept.`);
  };
  const git = async (...args: string[]): Promise<GitEnd> => {
    const end = await runGit(folder, args, env, { signal, until, bytes });
    // A step may have ended before its folder was measured.
    if (end.limit === 'bytes' || (await isLarger(folder, bytes)))
      refuse(`it takes more than ${megabytes(bytes)} on disk, which is the limit for a repository`);
    if (end.limit === 'time') refuse(`git took longer than ${ms / 1000} seconds, which is the limit`);
    return end;
  };
  const must = async (...args: string[]): Promise<string> => {
    const end = await git(...args);
    if (end.ok) return end.output;
    throw new PluginProblem(
      `${describeSource(source)} could not be fetched: ${end.why}. Check the address, the network, and that git can read it without a question.`,
    );
  };
  await must('init', '--quiet', '--template=', folder);
  const from = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const into = 'refs/helve/fetched';
  const wanted = sha ?? ref ?? 'HEAD';
  const shallow = await git(...from, '--depth=1', '--', url, `+${wanted}:${into}`);
  // Some servers give out no single commit by its id.
  if (!shallow.ok && sha !== undefined) await must(...from, '--', url, `+${ref ?? 'HEAD'}:${into}`);
  else if (!shallow.ok) await must(...from, '--', url, `+${wanted}:${into}`);
  await must('checkout', '--quiet', '--detach', sha ?? into);
  const commit = (await must('rev-parse', 'HEAD')).trim();
  if (sha !== undefined && commit !== sha) {
    throw new PluginProblem(`${describeSource(source)} gave the commit ${commit} instead. Nothing of it was used.`);
  }
  return { commit };
}

type GitEnd = ({ ok: true; output: string } | { ok: false; why: string }) & { limit?: 'bytes' | 'time' };

const megabytes = (bytes: number): string => `${Math.ceil(bytes / (1024 * 1024))} MB`;

/** Whether the files of the folder take more space than this. Files that git removes meanwhile count as none. */
async function isLarger(folder: string, most: number): Promise<boolean> {
  let bytes = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
      if (bytes > most) return true;
    }
  }
  return false;
}

/** Settings on the command line take precedence over those of every file. */
const safeSettings = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.sshCommand=', 'core.askPass=', 'core.autocrlf=false'],
  ...['protocol.allow=never', 'protocol.https.allow=always', 'protocol.ssh.allow=always', 'protocol.file.allow=always'],
  ...['submodule.recurse=false', 'fetch.recurseSubmodules=false', 'filter.lfs.smudge=', 'filter.lfs.process='],
  ...['filter.lfs.required=false', 'gc.auto=0', 'maintenance.auto=false', 'advice.detachedHead=false'],
].flatMap((setting) => ['-c', setting]);

function safeEnvironment(env: Environment): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(?:GIT_|SSH_ASKPASS)/.test(name) && name !== 'BASH_ENV' && name !== 'ENV',
    ),
  );
  return {
    ...kept,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CEILING_DIRECTORIES: '/',
  };
}

async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  { signal, until, bytes }: { signal: AbortSignal | undefined; until: number; bytes: number },
): Promise<GitEnd> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<GitEnd>();
  let child: ReturnType<typeof startProcess>;
  try {
    const all = ['-C', folder, ...safeSettings, ...args];
    // Not started in the folder: with "." in PATH, a file of the repository would be run instead of git.
    // In a process group of its own, so that the programs that git starts end with it.
    child = startProcess('git', all, {
      cwd: '/',
      env: safeEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    return { ok: false, why: `git can't be run: ${messageOf(error)}` };
  }
  const texts = { output: '', errors: '' };
  const collect = (name: keyof typeof texts) => (chunk: Buffer) => {
    if (texts[name].length < MAX_OUTPUT) texts[name] += chunk.toString();
  };
  child.stdout?.on('data', collect('output'));
  child.stderr?.on('data', collect('errors'));
  const stopped: { end?: GitEnd } = {};
  const stop = (end: GitEnd): void => {
    stopped.end ??= end;
    killGroup(child);
  };
  const timer = setTimeout(() => stop({ ok: false, why: 'it took too long', limit: 'time' }), until - monotonicMs());
  const onAbort = (): void => stop({ ok: false, why: 'it was cancelled' });
  let isMeasured = true;
  const watch = setInterval(() => {
    if (!isMeasured) return;
    isMeasured = false;
    void isLarger(folder, bytes).then((isTooLarge) => {
      isMeasured = true;
      if (isTooLarge) stop({ ok: false, why: 'it is too large', limit: 'bytes' });
    });
  }, WATCH_MS);
  signal?.addEventListener('abort', onAbort, { once: true });
  child.on('error', (error) => resolve({ ok: false, why: `git can't be run: ${messageOf(error)}` }));
  // It has ended before its folder is removed, so that it can't write there any more.
  child.on('close', (code) => {
    if (stopped.end) return resolve(stopped.end);
    if (code === 0) return resolve({ ok: true, output: texts.output });
    const lines = texts.errors.split('\n').filter((line) => line.trim() !== '');
    const why = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0] ?? `git ended with ${code}`;
    resolve({ ok: false, why: visible(why).slice(0, 300).replace(/\.$/, '') });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal?.removeEventListener('abort', onAbort);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return; // it did not start
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}
