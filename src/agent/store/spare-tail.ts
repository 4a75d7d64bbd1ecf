// Keeps the end of a session's file while the data folder can't be written. It is written to the spare folder at once, so
// that a kill loses nothing; a record of the process next to it keeps other processes from moving it meanwhile.
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { openFlags } from '../../platform/files/private-files.js';
import { makeSpareFolder } from '../../platform/files/spare-folder.js';
import { type ProcessIdentity, thisProcess } from '../../platform/journal/process-identity.js';
import type { Unwritten } from './append-log.js';
import { sessionsFolder } from './session-folder.js';
import { agentFoldersIn, removeEmptyFolders, tailName } from './spare-records.js';

const OWNER = 'owner.json';

interface Kept {
  path: string;
  descriptor: number;
  offset: number;
  /** Bytes that an earlier process has kept in the same file. */
  before: number;
  bytes: number;
}

export class SpareTail {
  readonly #dataFolder: string;
  readonly #folder: string;
  #kept: Kept | undefined;

  /** `folder`: the folder of the session or child agent in the data folder. */
  constructor(dataFolder: string, folder: string) {
    this.#dataFolder = dataFolder;
    this.#folder = folder;
  }

  /** Keeps the part of the end that is not kept yet. Throws if the temporary folder can't be written. */
  keep({ bytes, offset }: Unwritten, owner: ProcessIdentity): void {
    const isOther = this.#kept && (this.#kept.offset !== offset || this.#kept.bytes > bytes.length);
    if (isOther) this.drop();
    this.add({ bytes: bytes.subarray(this.#kept?.bytes ?? 0), offset }, owner);
  }

  /** Appends to the end. */
  add({ bytes, offset }: Unwritten, owner: ProcessIdentity): void {
    if (bytes.length === 0) return;
    const kept = this.#kept ?? this.#open(offset, owner);
    this.#kept = kept;
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(kept.descriptor, bytes, written);
      kept.bytes += bytes.length;
    } catch (error) {
      ftruncateSync(kept.descriptor, kept.before + kept.bytes);
      throw error;
    }
  }

  /** Removes the end once the data folder has all of it. Data of an earlier process under the same name stays. */
  drop(): void {
    if (!this.#kept) return;
    const { path, descriptor, before } = this.#kept;
    this.#kept = undefined;
    ftruncateSync(descriptor, before);
    closeSync(descriptor);
    rmSync(join(dirname(path), OWNER), { force: true });
    if (before === 0) rmSync(path, { force: true });
    removeEmptyFolders(dirname(path), dirname(dirname(path)));
  }

  /** To be called at the end of the session: other processes may move the data then. */
  release(): void {
    if (!this.#kept) return;
    const { path, descriptor } = this.#kept;
    this.#kept = undefined;
    fsyncSync(descriptor);
    closeSync(descriptor);
    rmSync(join(dirname(path), OWNER), { force: true });
  }

  #open(offset: number, owner: ProcessIdentity): Kept {
    const folder = join(makeSpareFolder(this.#dataFolder), relative(sessionsFolder(this.#dataFolder), this.#folder));
    mkdirPrivate(folder);
    const at = new Date().toISOString();
    const record = { token: randomHex(12), owner, sessionId: '', callId: '', at, locks: [], files: [] };
    writeFileSync(join(folder, OWNER), JSON.stringify(record), { mode: 0o600 });
    const path = join(folder, tailName(offset));
    const descriptor = openSync(path, openFlags.append, 0o600);
    return { path, descriptor, offset, before: fstatSync(descriptor).size, bytes: 0 };
  }
}

/** Whether a running process still appends to the kept data of a session. Removes records of ended processes. */
export async function isSpareInUse(spare: string): Promise<boolean> {
  const { inspectRecord } = await import('../../platform/journal/lock.js');
  const ours = await thisProcess();
  for (const folder of [spare, ...agentFoldersIn(spare)]) {
    const path = join(folder, OWNER);
    const { state } = await inspectRecord(path, ours);
    if (state === 'running') return true;
    if (state === 'ended') rmSync(path, { force: true });
  }
  return false;
}
