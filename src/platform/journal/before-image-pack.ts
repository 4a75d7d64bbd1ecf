// The contents of a whole workspace, kept before a command runs. A file for each of them would take most of the time
// that a command waits, so they stand one after the other in a pack, with a list beside it:
//
//   journal/packs/<session>-<id>.pack     contents
//   journal/packs/<session>-<id>.index    a line for each: SHA-256, where it begins, how long it is
//
// The list is written after the contents, and a content counts only if it has its hash: a process may be killed at any
// point between. After a power cut the last of them may be missing.
import { closeSync, constants, fstatSync, ftruncateSync, futimesSync, openSync, statSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { randomHex } from '../crypto.js';
import { beforeImagePath, type JournalFolders, readBeforeImageFile } from './journal.js';
import { indexPath, type PackEntry, packEntries, packPath, readAt, readIndex } from './pack-index.js';

const BATCH_BYTES = 4_000_000;
const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Where contents are added to. Everything is done at once: most of them are small. */
export class BeforeImagePack {
  readonly name: string;
  readonly #path: string;
  readonly #pack: number;
  readonly #index: number;
  readonly #known = new Set<string>();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lines: string[] = [];
  #bytes = 0;

  constructor(folders: JournalFolders, sessionId: string) {
    this.name = `${sessionId}-${randomHex(6)}`;
    this.#path = packPath(folders, this.name);
    this.#pack = openSync(this.#path, NEW_FILE, 0o600);
    try {
      this.#index = openSync(indexPath(folders, this.name), NEW_FILE, 0o600);
    } catch (error) {
      closeSync(this.#pack);
      throw error;
    }
  }

  /** Of all contents in it. */
  get bytes(): number {
    return this.#bytes;
  }

  has(hash: string): boolean {
    return this.#known.has(hash);
  }

  /** The bytes are the pack's own from now on. They are in the file after the next `flush`; where that fails, it is to be closed. */
  add(hash: string, bytes: Uint8Array): void {
    if (this.#known.has(hash)) return;
    this.#known.add(hash);
    this.#lines.push(`${hash} ${this.#bytes} ${bytes.length}\n`);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#waitingBytes >= BATCH_BYTES) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    try {
      writeAll(this.#pack, Buffer.concat(this.#waiting));
      writeAll(this.#index, Buffer.from(this.#lines.join('')));
    } catch (error) {
      ftruncateSync(this.#pack, this.#bytes - this.#waitingBytes); // a part of it is of no use, and the disk may be full
      throw error;
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#lines = [];
  }

  /** Marks it as in use, so that it is not cleaned away. False where that has happened already. */
  touch(): boolean {
    const now = new Date();
    futimesSync(this.#pack, now, now);
    futimesSync(this.#index, now, now);
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === fstatSync(this.#pack).ino;
  }

  close(): void {
    closeSync(this.#pack);
    closeSync(this.#index);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Contents that are kept, wherever that is. The lists of packs are read when they are first needed. */
export class BeforeImageReader {
  readonly #folders: JournalFolders;
  #packs: Promise<Map<string, PackEntry>> | undefined;

  constructor(folders: JournalFolders) {
    this.#folders = folders;
  }

  async has(hash: string): Promise<boolean> {
    if (statSync(beforeImagePath(this.#folders, hash), { throwIfNoEntry: false })) return true;
    return (await this.#entries()).has(hash);
  }

  /** Undefined where it is not there any more, or not whole. */
  async read(hash: string): Promise<Buffer | undefined> {
    const image = await readBeforeImageFile(this.#folders, hash);
    if (image) return image;
    const entry = (await this.#entries()).get(hash);
    return entry && readAt(this.#folders, entry, hash);
  }

  #entries(): Promise<Map<string, PackEntry>> {
    this.#packs ??= packEntries(this.#folders);
    return this.#packs;
  }
}

/** Makes the pack of a session that has ended as small as it can be: with what its changes need, or none at all. */
export async function shrinkPack(folders: JournalFolders, name: string, needed: ReadonlySet<string>): Promise<void> {
  const all = new Map<string, PackEntry>();
  await readIndex(folders, name, all);
  const entries = [...all].filter(([hash]) => needed.has(hash));
  if (entries.length === all.size && all.size > 0) return;
  if (entries.length > 0) {
    const small = new BeforeImagePack(folders, name);
    try {
      for (const [hash, entry] of entries) {
        const bytes = readAt(folders, entry, hash);
        if (bytes) small.add(hash, bytes);
      }
      small.flush();
    } finally {
      small.close();
    }
  }
  for (const path of [indexPath(folders, name), packPath(folders, name)]) await rm(path, { force: true });
}
