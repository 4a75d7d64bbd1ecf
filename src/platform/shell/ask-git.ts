// Queries git for facts about a folder.
import { runGit } from './run-git.js';

const TIMEOUT_MS = 5_000;

export type GitAnswer = { ok: true; output: string } | { ok: false; why: string };

/** Git's output for these arguments in a folder. */
export async function askGit(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<GitAnswer> {
  const { code, output, errors } = await runGit(folder, args, { env, timeoutMs: TIMEOUT_MS });
  if (code === 0) return { ok: true, output: output.toString() };
  return { ok: false, why: errors.split('\n')[0]?.slice(0, 300) || 'git failed' };
}
