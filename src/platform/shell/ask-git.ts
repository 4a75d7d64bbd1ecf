// Queries git: never through a shell, with a limit on time and output.
import { messageOf } from '../message-of.js';
import { startProcess } from './start-process.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024; // the index of a very large repository

export type GitAnswer = { ok: true; output: string } | { ok: false; why: string };

/** Git's output for these arguments in a folder. */
export async function askGit(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<GitAnswer> {
  const { promise, resolve } = Promise.withResolvers<GitAnswer>();
  // Not started in the folder: with "." in PATH, a file of the project would be run instead of git.
  let child: ReturnType<typeof startProcess>;
  try {
    child = startProcess('git', ['-C', folder, ...args], { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    return { ok: false, why: `git can't be run: ${messageOf(error)}` };
  }
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    resolve({ ok: false, why: 'git does not answer' });
  }, TIMEOUT_MS);
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else child.kill('SIGKILL');
  };
  child.stdout?.on('data', collect(output));
  child.stderr?.on('data', collect(errors));
  child.on('error', (error) => resolve({ ok: false, why: `git can't be run: ${messageOf(error)}` }));
  child.on('close', (code) => {
    if (code === 0 && size <= MAX_BYTES) resolve({ ok: true, output: Buffer.concat(output).toString() });
    else resolve({ ok: false, why: Buffer.concat(errors).toString().split('\n')[0]?.slice(0, 300) || 'git failed' });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
