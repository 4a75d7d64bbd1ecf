// Runs git for Helve's own work on worktrees: argument arrays only, and without hooks, prompts, signatures and network.
import { protectiveVariables } from '../shell/git-environment.js';
import { runGit } from '../shell/run-git.js';

const TIMEOUT_MS = 10 * 60_000; // a checkout of a very large repository
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
    const options = { env: { ...this.#env, ...env }, input, timeoutMs: TIMEOUT_MS };
    const ran = await runGit(folder, [...OWN_SETTINGS, ...args], options);
    return { code: ran.code, output: ran.output.toString(encoding), errors: ran.errors.slice(0, MAX_ERROR_CHARS) };
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
