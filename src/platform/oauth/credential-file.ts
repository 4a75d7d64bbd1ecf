import { lstat, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.js';
import { readPrivateFile, reserveRoom, withLock, writePrivateFile } from '../files/private-file.js';
import { parseJson } from '../parse-json.js';
import { errorClause } from '../text/clause.js';
import { AuthProblem } from './auth-problem.js';

const ROOM_BYTES = 64 * 1024; // several times what a sign-in with its list of models takes
const LOCK_WAIT_MS = 60_000; // longer than the token requests of another process may take

/** Checks a stored value; `problem` is a clause that contains nothing of it. */
export type ReadCredential<Credential> = (value: unknown) => { credential: Credential } | { problem: string };

/** A credential in a private file of its own. */
export class CredentialFile<Credential> {
  readonly path: string;
  readonly #check: ReadCredential<Credential>;
  #freeRoom: (() => Promise<void>) | undefined;

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
    await this.#freeRoom?.();
    try {
      if (credential === undefined) await unlink(this.path);
      else await writePrivateFile(this.path, `${JSON.stringify(credential)}\n`);
    } catch (error) {
      if (credential === undefined && codeOf(error) === 'ENOENT') return;
      const isFolder = await lstat(this.path).then(
        (stats) => stats.isDirectory(),
        () => false,
      );
      if (!isFolder) throw error;
      throw new AuthProblem(`${this.path} is a folder. Move it away, then try again.`, { cause: error });
    }
  }

  /** Runs the work while no other process renews or replaces this credential. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    return await withLock(`${this.path}.lock`, work, { waitMs: LOCK_WAIT_MS });
  }

  /**
   * Runs work that gets a credential and writes it, while no other process does. Without room for it, the work is not
   * begun: a server may replace the old credential when it sends the new one, which would then be lost with this process.
   */
  async lockedWithRoom<T>(work: () => Promise<T>): Promise<T> {
    let hasBegun = false;
    try {
      return await this.locked(async () => {
        this.#freeRoom = await reserveRoom(this.path, ROOM_BYTES);
        hasBegun = true;
        try {
          return await work();
        } finally {
          await this.#freeRoom();
          this.#freeRoom = undefined;
        }
      });
    } catch (error) {
      if (hasBegun || codeOf(error) === undefined) throw error;
      throw new AuthProblem(
        `New tokens could not be saved in ${dirname(this.path)} (${errorClause(error)}), so none were requested. Free space there, or make the folder writable, then try again.`,
        { cause: error },
      );
    }
  }

  /** Changes whenever the file is written or removed. */
  async stamp(): Promise<string> {
    const stats = await stat(this.path, { bigint: true }).catch(() => undefined);
    return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : '';
  }
}
