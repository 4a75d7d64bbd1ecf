// Mirrors of repositories: one bare repository for each address, shared by the workspaces of this machine. A workspace reads
// its objects and never writes to it.
//
//   <workspaces>/.mirrors/<hash of the address>.git
//   <workspaces>/.mirrors/<hash of the address>.lock    while one process fetches
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, randomHex } from '../../platform/crypto.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { withLock } from '../../platform/files/private-file.js';
import { sharedRound } from '../../platform/shared-round.js';
import type { GitRun } from '../../platform/shell/run-git.js';
import { clause } from '../../platform/text/clause.js';
import { withoutSecrets } from './repository-address.js';
import { firstLine, type RepositoryGit } from './repository-git.js';
import { WorkspaceProblem } from './workspace-problem.js';

const LOCK_WAIT_MS = 11 * 60_000; // longer than a fetch may take
const UNUSED_MS = 7 * 24 * 3_600_000;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const ALL_REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

export interface MirrorsOptions {
  folder: string;
  git: RepositoryGit;
  /** Of one fetch. */
  timeoutMs?: number | undefined;
}

export class Mirrors {
  readonly #options: MirrorsOptions;

  constructor(options: MirrorsOptions) {
    this.#options = options;
  }

  pathOf(url: string): string {
    return join(this.#options.folder, `${hashOf(Buffer.from(url)).slice(0, 32)}.git`);
  }

  /** The commit that the ref leads to now, fetched. Default: the branch that the server names. Rejects with `WorkspaceProblem`. */
  async fetched(url: string, ref = 'HEAD'): Promise<string> {
    return await sharedRound(`mirror ${this.pathOf(url)} ${ref}`, () => this.#locked(url, () => this.#fetch(url, ref)));
  }

  /** Fetches the commit if it is not here. Rejects with `WorkspaceProblem`. */
  async hold(url: string, commit: string): Promise<void> {
    if (!(await this.#has(url, commit))) await this.fetched(url, commit);
  }

  /** Removes mirrors that were not used for a week, apart from those that workspaces read. */
  removeUnused(isRead: (mirror: string) => boolean): void {
    for (const name of namesIn(this.#options.folder)) {
      const path = join(this.#options.folder, name);
      const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (Date.now() - mtimeMs > UNUSED_MS && !isRead(path)) rmSync(path, { recursive: true, force: true });
    }
  }

  async #has(url: string, commit: string): Promise<boolean> {
    const path = this.pathOf(url);
    if (!existsSync(path)) return false;
    touch(path);
    return await this.#options.git.local(path, [`--git-dir=${path}`, 'cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      () => false,
    );
  }

  async #locked<Value>(url: string, work: () => Promise<Value>): Promise<Value> {
    const { folder } = this.#options;
    mkdirPrivate(folder);
    return await withLock(this.pathOf(url).replace(/git$/, 'lock'), work, { waitMs: LOCK_WAIT_MS });
  }

  async #fetch(url: string, ref: string): Promise<string> {
    const { git, timeoutMs } = this.#options;
    const path = this.pathOf(url);
    if (!existsSync(path)) {
      const draft = `${path}.${randomHex(6)}`;
      await git.local('/', ['init', '--quiet', '--bare', '--template=', draft]);
      renameSync(draft, path);
    }
    touch(path);
    const name = `refs/helve/${hashOf(Buffer.from(ref)).slice(0, 20)}`;
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    let fetched = await git.fetch(path, [url, `+${ref}:${name}`], limit);
    // A server may give out branches and tags only, and the commit is perhaps in one of them.
    if (fetched.code !== 0 && COMMIT.test(ref)) fetched = await git.fetch(path, [url, ...ALL_REFS], limit);
    if (fetched.code !== 0) throw problemOf(url, ref, fetched);
    const wanted = COMMIT.test(ref) ? ref : name;
    try {
      return await git.local(path, [`--git-dir=${path}`, 'rev-parse', '--verify', '--quiet', `${wanted}^{commit}`]);
    } catch {
      throw missingRef(url, ref);
    }
  }
}

const missingRef = (url: string, ref: string): WorkspaceProblem =>
  new WorkspaceProblem(
    `The repository ${withoutSecrets(url)} has no branch, tag or commit ${ref}, so the session has nothing to work on. Check --ref, and send the prompt to a new session.`,
  );

function problemOf(url: string, ref: string, { code, errors }: GitRun): WorkspaceProblem {
  if (/couldn't find remote ref|not our ref|unadvertised object/.test(errors)) return missingRef(url, ref);
  const needsCredentials =
    /authentication failed|could not read (?:username|password)|terminal prompts disabled|permission denied|askpass|returned error: 40[13]|host key verification/i;
  const address = withoutSecrets(url);
  if (needsCredentials.test(errors)) {
    return new WorkspaceProblem(
      `The repository ${address} gives this worker no access: ${clause(firstLine(errors))}. Set up a git credential helper, or an SSH key without a passphrase and the key of the host, for the user that runs the workers. Then send a prompt to the session again.`,
    );
  }
  const why = code === undefined && errors === '' ? 'it took too long' : clause(firstLine(errors));
  return new WorkspaceProblem(
    `The repository ${address} could not be fetched: ${why}. Check the address, and that workers reach it. Then send a prompt to the session again.`,
  );
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

/** The mirror that a workspace reads; undefined if there is none. */
export function mirrorOf(workspace: string): string | undefined {
  try {
    return readFileSync(join(workspace, '.git/objects/info/alternates'), 'utf8')
      .trim()
      .replace(/\/objects$/, '');
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.git'));
  } catch {
    return []; // there is none yet
  }
}
