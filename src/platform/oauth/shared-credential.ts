import { AuthProblem } from './auth-problem.js';
import type { CredentialFile } from './credential-file.js';

export interface SharedCredentialOptions<Credential> {
  file: CredentialFile<Credential>;
  /** Whether a stored credential may be used. Default: always. */
  applies?(credential: Credential): boolean;
  /** Called if a renewed credential could not be saved. This process goes on with it. */
  onUnsaved(error: unknown): void;
}

/** A credential that many calls and processes use: read again when its file changes, and renewed once for all of them. */
export class SharedCredential<Credential> {
  readonly #options: SharedCredentialOptions<Credential>;
  readonly #file: CredentialFile<Credential>;
  #read: { stamp: string; credential: Credential | undefined } | undefined;
  /** A credential that could not be saved. */
  #unsaved: { stamp: string; credential: Credential } | undefined;
  #renewing: Promise<void> | undefined;
  /** Why it can't be used, if there is more to say than that a sign-in is required. */
  problem: string | undefined;

  constructor(options: SharedCredentialOptions<Credential>) {
    this.#options = options;
    this.#file = options.file;
  }

  /** Whether the file has changed since it was last read. */
  async hasChanged(): Promise<boolean> {
    return (await this.#file.stamp()) !== (this.#read?.stamp ?? '');
  }

  /** Undefined if there is none that may be used. */
  async current(): Promise<Credential | undefined> {
    const stamp = await this.#file.stamp();
    if (this.#unsaved?.stamp === stamp) return this.#unsaved.credential;
    this.#unsaved = undefined;
    if (this.#read?.stamp !== stamp) {
      this.problem = undefined;
      this.#read = { stamp, credential: undefined };
      try {
        const credential = this.#file.read();
        const { applies = () => true } = this.#options;
        if (credential !== undefined && applies(credential)) this.#read = { stamp, credential };
      } catch (error) {
        if (!(error instanceof AuthProblem)) throw error;
        this.problem = error.message;
      }
    }
    return this.#read.credential;
  }

  /**
   * Runs the work while no other process renews it. Joins work that is running. The work has to look first whether
   * another process was faster.
   */
  async renew(work: () => Promise<void>): Promise<void> {
    this.#renewing ??= this.#file.lockedWithRoom(work).finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Waits for a renewal that is running: aborting it could lose a token that the server has already replaced. */
  async settled(): Promise<void> {
    await this.#renewing?.catch(() => {});
  }

  /** For the work of a renewal. The old token may be worthless already, so a new one that can't be saved is used here. */
  async save(credential: Credential | undefined): Promise<void> {
    try {
      await this.#file.write(credential);
      await this.current();
    } catch (error) {
      if (credential === undefined) throw error;
      this.#unsaved = { stamp: await this.#file.stamp(), credential };
      this.#options.onUnsaved(error);
    }
  }

  /** Replaces what is stored, under the lock. Rejects if it can't be saved. */
  async replace(credential: Credential | undefined): Promise<void> {
    await this.#file.locked(async () => {
      await this.#file.write(credential);
      this.#read = undefined;
      this.#unsaved = undefined;
    });
  }
}
