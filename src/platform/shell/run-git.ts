// Runs git: never through a shell, with a limit on time and output.
import { messageOf } from '../message-of.js';
import { signalGroup } from './process-group.js';
import { startProcess } from './start-process.js';

const MAX_BYTES = 64 * 1024 * 1024; // the index of a very large repository

export interface RunGitOptions {
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  input?: string | undefined;
  /** Without a terminal that git or ssh could ask on; the programs that git has started end with it. */
  isDetached?: boolean;
}

export interface GitRun {
  /** Undefined if git could not be run, or was killed. */
  code: number | undefined;
  output: Buffer;
  /** What it said on stderr, or why it could not be run. */
  errors: string;
}

/** Never rejects. */
export async function runGit(
  folder: string,
  args: readonly string[],
  { env, timeoutMs, input, isDetached = false }: RunGitOptions,
): Promise<GitRun> {
  const { promise, resolve } = Promise.withResolvers<GitRun>();
  const notRun = (error: unknown): GitRun => ({
    code: undefined,
    output: Buffer.alloc(0),
    errors: `git can't be run: ${messageOf(error)}`,
  });
  let child: ReturnType<typeof startProcess>;
  try {
    // Not started in the folder: with "." in PATH, a file of the project would be run instead of git.
    child = startProcess('git', ['-C', folder, ...args], {
      ...{ cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'] },
      detached: isDetached,
    });
  } catch (error) {
    return notRun(error);
  }
  const kill = (): void => {
    if (isDetached && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  };
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  let size = 0;
  const timer = setTimeout(() => {
    kill();
    resolve({ code: undefined, output: Buffer.alloc(0), errors: 'git does not answer' });
  }, timeoutMs);
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else kill();
  };
  child.stdout?.on('data', collect(output));
  child.stderr?.on('data', collect(errors));
  child.stdin?.on('error', () => {}); // git has ended without reading all of it
  child.stdin?.end(input ?? '');
  child.on('error', (error) => resolve(notRun(error)));
  child.on('close', (code) => {
    const said = Buffer.concat(errors).toString().trim();
    const isWhole = code !== null && size <= MAX_BYTES;
    const why = said === '' && !isWhole ? 'git was ended before it was done' : said;
    resolve({ code: isWhole ? code : undefined, output: Buffer.concat(output), errors: why });
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
