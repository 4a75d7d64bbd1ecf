// What `helve undo` needs of a session on another worker: the contents that files had before its changes. Two files of the
// session in the store:
//
//   images/content   the contents, one after the other
//   images/index     a line for each: SHA-256, position, length
import { BeforeImageReader } from '../../platform/journal/before-image-pack.js';
import { journalFolders, makeJournal, saveBeforeImage, sessionChanges } from '../../platform/journal/journal.js';
import { neededBeforeImages } from '../../platform/journal/recorded-change.js';
import { CHANGES, FileStore } from '../store/file-store.js';
import { type AppendedBytes, PART_BYTES, type RecordStore, type SessionOwner } from '../store/record-store.js';

const CONTENT = 'images/content';
const INDEX = 'images/index';
/** Of one session. Later changes can be undone on the worker that made them only. */
const MAX_BYTES = 256 * 1024 * 1024;

export interface BeforeImagesOptions {
  dataFolder: string;
  store: RecordStore;
  owner: SessionOwner;
  /** The lengths of the files in the store. */
  stored: ReadonlyMap<string, number>;
}

/** Copies before-images of a session to the store, each before the change that needs it is listed there. */
export class BeforeImages {
  readonly #options: BeforeImagesOptions;
  readonly #known = new Set<string>();
  readonly #sizes: { content: number; index: number };
  /** How much of the list of changes was read. */
  #read: number;

  private constructor(options: BeforeImagesOptions) {
    this.#options = options;
    const { stored } = options;
    this.#sizes = { content: stored.get(CONTENT) ?? 0, index: stored.get(INDEX) ?? 0 };
    this.#read = stored.get(CHANGES) ?? 0;
  }

  /** Also fetches those that are not on this worker. */
  static async open(options: BeforeImagesOptions): Promise<BeforeImages> {
    const images = new BeforeImages(options);
    const { dataFolder, store, owner, stored } = options;
    if (!stored.has(INDEX)) return images;
    const folders = journalFolders(dataFolder);
    await makeJournal(folders);
    const here = new BeforeImageReader(folders);
    for (const { hash, at, size } of linesIn(await allOf(store, owner.sessionId, INDEX))) {
      images.#known.add(hash);
      if (await here.has(hash)) continue;
      const bytes = await partOf(store, owner.sessionId, at, size);
      if (bytes.length === size) await saveBeforeImage(folders, bytes, hash);
    }
    return images;
  }

  /** Stores what the changes need that are listed up to this length. */
  async copy(listed: number): Promise<void> {
    if (listed <= this.#read) return;
    const { dataFolder, store, owner } = this.#options;
    const local = new FileStore(dataFolder);
    const added = await allOf(local, owner.sessionId, CHANGES, this.#read);
    const whole = added.subarray(0, listed - this.#read);
    const reader = new BeforeImageReader(journalFolders(dataFolder));
    for (const hash of new Set(sessionChanges(whole.toString()).flatMap(neededBeforeImages))) {
      if (hash === '' || this.#known.has(hash)) continue;
      this.#known.add(hash);
      const bytes = await reader.read(hash);
      if (!bytes || this.#sizes.content + bytes.length > MAX_BYTES) continue;
      const line = Buffer.from(`${hash} ${this.#sizes.content} ${bytes.length}\n`);
      await store.append(owner, [
        ...partsOf(bytes, this.#sizes.content),
        { file: INDEX, position: this.#sizes.index, bytes: line },
      ]);
      this.#sizes.content += bytes.length;
      this.#sizes.index += line.length;
    }
    this.#read = listed;
  }
}

function partsOf(bytes: Buffer, position: number): AppendedBytes[] {
  const parts: AppendedBytes[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    parts.push({ file: CONTENT, position: position + at, bytes: bytes.subarray(at, at + PART_BYTES) });
  }
  return parts;
}

async function allOf(store: RecordStore, sessionId: string, file: string, from = 0): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(store.read(sessionId, file, from)));
}

async function partOf(store: RecordStore, sessionId: string, at: number, size: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (size === 0) return Buffer.alloc(0);
  for await (const bytes of store.read(sessionId, CONTENT, at)) {
    parts.push(bytes);
    length += bytes.length;
    if (length >= size) break;
  }
  return Buffer.concat(parts).subarray(0, size);
}

function linesIn(index: Buffer): Array<{ hash: string; at: number; size: number }> {
  return index
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [, hash, at, size] = /^([0-9a-f]{64}) (\d+) (\d+)$/.exec(line) ?? [];
      return hash === undefined ? [] : [{ hash, at: Number(at), size: Number(size) }];
    });
}
