import { startProcess } from '../shell/start-process.js';
import { WorktreeProblem } from './worktree-problem.js';

const KEPT_BYTES = 16 * 1024; // the end of the output, which names the failure

export interface SetUp {
  /** A command for bash, as it is written in settings. */
  command: string;
  timeoutMs: number;
}

/** Runs the set-up command in a new worktree. Throws `WorktreeProblem` with the end of its output if it fails. */
export async function runSetUp(
  { command, timeoutMs }: SetUp,
  { folder, env, signal }: { folder: string; env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const child = startProcess('bash', ['-c', command], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that what it has started ends with it
  });
  let output = Buffer.alloc(0);
  const collect = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]).subarray(-KEPT_BYTES);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const end = (why: string): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // it has ended meanwhile
    }
    resolve(why);
  };
  const timer = setTimeout(() => end(`it took longer than ${timeoutMs / 1000} s and was stopped`), timeoutMs);
  const onAbort = (): void => end('it was interrupted');
  signal?.addEventListener('abort', onAbort, { once: true });
  child.on('error', (error) => resolve(error.message));
  child.on('exit', (code, killed) =>
    resolve(code === 0 ? undefined : code === null ? `it was ended by ${killed}` : `it ended with status ${code}`),
  );
  const why = await promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', onAbort);
  child.stdout?.destroy(); // something that it left running may hold the pipe
  child.stderr?.destroy();
  if (why === undefined) return;
  const said = output.toString().trim();
  throw new WorktreeProblem(
    `The set-up command of the worktree ("worktree.setup": ${command}) failed: ${why}.${said === '' ? ' It printed nothing.' : ` The end of its output:\n${said}`}`,
  );
}
