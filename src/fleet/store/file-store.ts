// Records of sessions in the data folder, where the engine writes them.
//
//   sessions/<id>/…                the files of a session; see docs/sessions.md
//   sessions/<id>/epoch            of the last claim
//   journal/sessions/<id>.jsonl    its changes of files, which is the file `changes.jsonl` of the session here
import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isSessionId, type SessionFolder, sessionFolder, sessionsFolder } from '../../agent/store/session-folder.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { readPrivateFile, withLock, writePrivateFile } from '../../platform/files/private-file.js';
import { openFlags } from '../../platform/files/private-files.js';
import { journalFolders } from '../../platform/journal/journal.js';
import { Slots } from '../../platform/slots.js';
import {
  type AppendedBytes,
  assertFileName,
  PART_BYTES,
  type RecordStore,
  SessionLost,
  type SessionOwner,
  type StoredSession,
  WrongPosition,
} from './record-store.js';

/** The changes of files that `helve undo` reads. */
export const CHANGES = 'changes.jsonl';

/** What the fleet keeps of a session beside its records. The engine has none of it in its folder. */
const OF_FLEET: readonly string[] = ['workspace/0/tree', 'workspace/0/content', 'images/index', 'images/content'];

/** The files that the engine has in its folder. */
export const recordsAmong = (files: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...files].filter(([file]) => !OF_FLEET.includes(file)));

/** Files that grow, in the folder of a session or of a child agent. */
const GROWING: ReadonlySet<string> = new Set(['session.jsonl', 'audit.jsonl', 'spending.jsonl']);

export class FileStore implements RecordStore {
  readonly #dataFolder: string;
  /** In the order in which they came, which the lock between processes does not promise. */
  readonly #turns = new Slots(1);

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  async claim(sessionId: string): Promise<SessionOwner> {
    const folder = sessionFolder(this.#dataFolder, sessionId);
    mkdirPrivate(folder.path);
    return await this.#alone(folder, async () => {
      const epoch = epochOf(folder) + 1;
      await writePrivateFile(join(folder.path, 'epoch'), String(epoch));
      return { sessionId, epoch };
    });
  }

  async append(owner: SessionOwner, appended: readonly AppendedBytes[]): Promise<void> {
    const folder = sessionFolder(this.#dataFolder, owner.sessionId);
    if (epochOf(folder) !== owner.epoch) throw new SessionLost(owner);
    await this.#alone(folder, async () => {
      if (epochOf(folder) !== owner.epoch) throw new SessionLost(owner);
      const sizes = new Map<string, number>();
      for (const { file, position, bytes } of appended) {
        const size = sizes.get(file) ?? sizeOf(this.#path(folder, file));
        if (position !== size) throw new WrongPosition(owner, { file, position, bytes });
        sizes.set(file, size + bytes.length);
      }
      for (const { file, bytes } of appended) appendTo(this.#path(folder, file), bytes);
    });
  }

  async files(sessionId: string): Promise<ReadonlyMap<string, number>> {
    const folder = sessionFolder(this.#dataFolder, sessionId);
    const found = new Map<string, number>();
    const add = (file: string): void => {
      const size = sizeOf(this.#path(folder, file));
      if (size > 0) found.set(file, size);
    };
    const look = (below: string): void => {
      for (const name of GROWING) add(`${below}${name}`);
      for (const name of namesIn(join(folder.path, below, 'results'))) {
        if (!/\.[0-9a-f]{12}$/.test(name)) add(`${below}results/${name}`); // such a name is that of an unfinished file
      }
    };
    look('');
    for (const name of namesIn(join(folder.path, 'agents')).filter(isSessionId)) look(`agents/${name}/`);
    for (const file of [CHANGES, ...OF_FLEET]) add(file);
    return found;
  }

  async *read(sessionId: string, file: string, from = 0): AsyncIterable<Uint8Array> {
    const path = this.#path(sessionFolder(this.#dataFolder, sessionId), file);
    if (sizeOf(path) <= from) return;
    const descriptor = openSync(path, openFlags.read);
    try {
      for (let position = from; ; ) {
        const part = Buffer.allocUnsafe(Math.min(PART_BYTES, Math.max(1, fstatSync(descriptor).size - position)));
        const count = readSync(descriptor, part, 0, part.length, position);
        if (count === 0) return;
        yield part.subarray(0, count);
        position += count;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  async sessions(): Promise<StoredSession[]> {
    return namesIn(sessionsFolder(this.#dataFolder))
      .filter(isSessionId)
      .flatMap((sessionId) => {
        const folder = sessionFolder(this.#dataFolder, sessionId);
        const writtenAt = statSync(folder.file, { throwIfNoEntry: false })?.mtime;
        return writtenAt ? [{ sessionId, epoch: epochOf(folder), writtenAt }] : [];
      });
  }

  async remove(sessionId: string): Promise<void> {
    const folder = sessionFolder(this.#dataFolder, sessionId);
    rmSync(folder.path, { recursive: true, force: true });
    rmSync(this.#path(folder, CHANGES), { force: true });
  }

  #path({ id, path }: SessionFolder, file: string): string {
    assertFileName(file);
    return file === CHANGES ? join(journalFolders(this.#dataFolder).sessions, `${id}.jsonl`) : join(path, file);
  }

  async #alone<Value>({ path }: SessionFolder, work: () => Promise<Value>): Promise<Value> {
    const locked = async (): Promise<Value> => await withLock(join(path, 'epoch.lock'), work);
    return await this.#turns.run(locked, new AbortController().signal);
  }
}

const epochOf = ({ path }: SessionFolder): number => Number(readPrivateFile(join(path, 'epoch')) ?? 0);

/** 0 if there is no such file. */
const sizeOf = (path: string): number => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : 0;
};

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // there is none
  }
}

function appendTo(path: string, bytes: Uint8Array): void {
  mkdirPrivate(dirname(path));
  const descriptor = openSync(path, openFlags.append, 0o600);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
