// Runs git for workspaces: argument arrays only. Nothing that a repository or its server says makes git start a program or
// ask a person: no hooks, filters, submodules or remote helpers, no terminal, and a limit on time.
import { protectiveVariables } from '../../platform/shell/git-environment.js';
import { type GitRun, runGit } from '../../platform/shell/run-git.js';
import { ALLOWED_PROTOCOLS } from './repository-address.js';

const FETCH_MS = 10 * 60_000;
const LOCAL_MS = 10 * 60_000; // a checkout of a very large repository

type Variables = Readonly<Record<string, string | undefined>>;

/** What git and ssh need of the worker's environment to reach a repository, with the credentials that were set up there. */
const OF_WORKER =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|XDG_CONFIG_HOME|SSH_AUTH_SOCK|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|GIT_SSL_\w+|GIT_CONFIG_\w+|GIT_SSH\w*)$/i;

const SETTINGS = Object.entries({
  'core.autocrlf': 'false', // the same bytes on every worker
  'core.symlinks': 'true',
  'core.protectHFS': 'true', // refuses names such as .GIT, also on file systems that tell them apart
  'core.protectNTFS': 'true',
  'core.quotePath': 'false',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'advice.detachedHead': 'false',
  'credential.interactive': 'false',
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '60',
}).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

export class RepositoryGit {
  readonly #worker: NodeJS.ProcessEnv;

  /** `env`: of the worker. */
  constructor(env: Variables) {
    this.#worker = Object.fromEntries(Object.entries(env).filter(([name]) => OF_WORKER.test(name)));
  }

  /** Without network, and without the configuration of the user and the system. Rejects if git fails. */
  async local(folder: string, args: readonly string[], env: Variables = {}): Promise<string> {
    const ran = await runGit(folder, [...SETTINGS, ...args], {
      env: {
        PATH: this.#worker['PATH'],
        HOME: '/nonexistent',
        ...protectiveVariables(),
        LC_ALL: 'C',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_ATTR_NOSYSTEM: '1',
        ...env,
      },
      timeoutMs: LOCAL_MS,
    });
    if (ran.code !== 0) throw new Error(`git ${args[0]} failed: ${firstLine(ran.errors)}`);
    return ran.output.toString('latin1').replace(/\n$/, '');
  }

  /** Talks to the server of a repository, with the credentials of the worker's user. Never rejects, and never asks. */
  async fetch(gitFolder: string, args: readonly string[], { timeoutMs = FETCH_MS } = {}): Promise<GitRun> {
    const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--force'];
    return await runGit(gitFolder, [...SETTINGS, `--git-dir=${gitFolder}`, 'fetch', ...flags, '--', ...args], {
      env: {
        ...this.#worker,
        ...protectiveVariables(this.#worker),
        LC_ALL: 'C',
        GIT_ALLOW_PROTOCOL: ALLOWED_PROTOCOLS,
        GIT_ASKPASS: 'false', // a program that fails
        SSH_ASKPASS: 'false',
        SSH_ASKPASS_REQUIRE: 'never',
        GCM_INTERACTIVE: 'never',
        GIT_SSH_COMMAND: this.#worker['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes -o ConnectTimeout=30',
      },
      timeoutMs,
      isDetached: true, // ssh would ask on the terminal of the worker
    });
  }
}

/** The first line that git has said. */
export const firstLine = (errors: string): string =>
  (errors.split('\n')[0] ?? '').replace(/^(?:fatal|error): /, '').slice(0, 500) || 'it gave no reason';
