// Runs git for Helve's own work on worktrees: argument arrays only, and without hooks, prompts, signatures and network.
import { messageOf } from '../message-of.js';
import { protectiveVariables } from '../shell/git-environment.js';
import { startProcess } from '../shell/start-process.js';

const TIMEOUT_MS = 10 * 60_000; // a checkout of a very large repository
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_CHARS = 2_000;

export type GitVariables = Readonly<Record<string, string | undefined>>;

export interface GitResult {
  /** Undefined if git could not be run or was killed. */
  code: number | undefined;
  output: string;
  /** What it said on stderr, shortened. */
  errors: string;
}

export interface GitOptions {
  input?: string;
  env?: Readonly<Record<string, string>>;
  /** Of the output: `latin1` has a character for each byte. */
  encoding?: 'utf8' | 'latin1';
}

/** Another repository must not be used in place of the one of the folder. */
const REDIRECTIONS = [
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY'],
  ...['GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_NAMESPACE', 'GIT_PREFIX', 'GIT_CONFIG_NOSYSTEM'],
];

const OWN_SETTINGS = [
  ...['-c', 'commit.gpgSign=false', '-c', 'submodule.recurse=false', '-c', 'core.quotePath=false'],
  ...['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', '-c', 'advice.detachedHead=false'],
];

export class OwnGit {
  readonly #env: NodeJS.ProcessEnv;

  /** `fetchesLfs`: the user's git-lfs may download the content of large files. */
  constructor(env: GitVariables, { fetchesLfs = false } = {}) {
    const inherited = Object.fromEntries(Object.entries(env).filter(([name]) => !REDIRECTIONS.includes(name)));
    this.#env = {
      ...inherited,
      ...protectiveVariables(env),
      LC_ALL: 'C',
      LANGUAGE: '',
      GIT_EDITOR: 'true',
      ...(!fetchesLfs && { GIT_LFS_SKIP_SMUDGE: '1' }),
    };
  }

  /** Runs git in a folder. Never rejects. */
  async run(folder: string, args: readonly string[], { input, env, encoding }: GitOptions = {}): Promise<GitResult> {
    const { promise, resolve } = Promise.withResolvers<GitResult>();
    const fail = (error: unknown): void =>
      resolve({ code: undefined, output: '', errors: `git can't be run: ${messageOf(error)}` });
    let child: ReturnType<typeof startProcess>;
    try {
      // Not started in the folder: with "." in PATH, a file of the project would be run instead of git.
      child = startProcess('git', ['-C', folder, ...OWN_SETTINGS, ...args], {
        cwd: '/',
        env: { ...this.#env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      fail(error);
      return await promise;
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const [output, errors]: [Buffer[], Buffer[]] = [[], []];
    let size = 0;
    const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
      else child.kill('SIGKILL');
    };
    child.stdout?.on('data', collect(output));
    child.stderr?.on('data', collect(errors));
    child.stdin?.on('error', () => {}); // git has ended without reading all of it
    child.stdin?.end(input ?? '');
    child.on('error', fail);
    child.on('close', (code) => {
      const said = Buffer.concat(errors).toString().trim().slice(0, MAX_ERROR_CHARS);
      const why = said === '' && code === null ? 'git was ended before it was done' : said;
      resolve({ code: code ?? undefined, output: Buffer.concat(output).toString(encoding), errors: why });
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The output without the last line end; undefined if git failed. */
  async ask(
    folder: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string | undefined> {
    const { code, output } = await this.run(folder, args, { env });
    return code === 0 ? output.replace(/\n$/, '') : undefined;
  }

  /** Like `ask`, and throws what git said if it failed. */
  async must(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { code, output, errors } = await this.run(folder, args, options);
    if (code === 0) return output.replace(/\n$/, '');
    throw new Error(`git ${args[0]} failed: ${errors.replace(/^(?:fatal|error): /, '') || 'it gave no reason'}`);
  }
}

/** The fields of an output that ends each with NUL. */
export const fieldsOf = (output: string): string[] => output.split('\0').filter((field) => field !== '');
