// The before-images of a whole workspace, saved before a command runs. One file for each would take most of the time
// that a command waits, so they are appended to a pack, with an index beside it:
//
//   journal/packs/<session>-<id>.pack     contents
//   journal/packs/<session>-<id>.index    a line for each: SHA-256, offset, length
//
// The index is written after the contents, and a content is valid only if it matches its hash: the process may be
// killed at any point in between. After a power failure the last entries may be missing.
import { closeSync, constants, fstatSync, ftruncateSync, futimesSync, openSync, statSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { randomHex } from '../crypto.js';
import { beforeImagePath, type JournalFolders, readBeforeImageFile } from './journal.js';
import { indexPath, type PackEntry, packEntries, packPath, readAt, readIndex } from './pack-index.js';

const BATCH_BYTES = 4_000_000;
const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** An open pack that contents are appended to. Synchronous, since most contents are small. */
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

  /** The total size of all contents in it. */
  get bytes(): number {
    return this.#bytes;
  }

  has(hash: string): boolean {
    return this.#known.has(hash);
  }

  /**
   * The pack owns the bytes from now on. They are in the file after the next `flush`; if that fails, close the pack.
   */
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
      ftruncateSync(this.#pack, this.#bytes - this.#waitingBytes); // a partial entry is useless, and the disk may be full
      throw error;
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#lines = [];
  }

  /** Marks the pack as in use, so that it is not cleaned up. False if it has already been removed. */
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

/** Reads before-images from packs and from single files. Pack indexes are read on first use. */
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

  /** Undefined if it has been removed or is incomplete. */
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

/** Shrinks the pack of an ended session to the contents that its changes need, or removes it. */
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
