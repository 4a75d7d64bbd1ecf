import { stat, unlink } from 'node:fs/promises';
import { codeOf } from '../error-code.js';
import { readPrivateFile, withLock, writePrivateFile } from '../files/private-file.js';
import { parseJson } from '../parse-json.js';
import { errorClause } from '../text/clause.js';
import { AuthProblem } from './auth-problem.js';

const LOCK_WAIT_MS = 60_000; // longer than the token requests of another process may take

/** Checks a stored value; `problem` is a clause that contains nothing of it. */
export type ReadCredential<Credential> = (value: unknown) => { credential: Credential } | { problem: string };

/** A credential in a private file of its own. */
export class CredentialFile<Credential> {
  readonly path: string;
  readonly #check: ReadCredential<Credential>;

  constructor(path: string, check: ReadCredential<Credential>) {
    this.path = path;
    this.#check = check;
  }

  /** Undefined if there is none. Throws if the file can't be relied on. */
  read(): Credential | undefined {
    let why: string;
    try {
      const text = readPrivateFile(this.path);
      if (text === undefined) return undefined;
      const read = this.#check(parseJson(text));
      if ('credential' in read) return read.credential;
      why = read.problem;
    } catch (error) {
      why = errorClause(error);
    }
    throw new AuthProblem(`${this.path} can't be relied on: ${why}. It is replaced by the next sign-in.`);
  }

  async write(credential: Credential | undefined): Promise<void> {
    if (credential !== undefined) {
      await writePrivateFile(this.path, `${JSON.stringify(credential)}\n`);
      return;
    }
    await unlink(this.path).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }

  /** Runs the work while no other process renews or replaces this credential. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    return await withLock(`${this.path}.lock`, work, { waitMs: LOCK_WAIT_MS });
  }

  /** Changes whenever the file is written or removed. */
  async stamp(): Promise<string> {
    const stats = await stat(this.path, { bigint: true }).catch(() => undefined);
    return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : '';
  }
}
