// Makes a workspace from a stored tree: in a folder that has the commit checked out, and that nothing else uses yet.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { hashOf } from '../../platform/crypto.js';
import type { RecordStore } from '../store/record-store.js';
import { bytesOf, pathIn, removeTree, statusOf } from './tree-files.js';
import { type ContentPart, foldersOf, type StoredEntry, type StoredTree } from './tree-format.js';
import { WorkspaceProblem } from './workspace-problem.js';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const WRITE = constants.O_WRONLY | constants.O_NOFOLLOW;
const MAX_GAP_BYTES = 16 * 1024 * 1024; // contents between two that are wanted are read until there are more of them
const AT_ONCE = 500;

export interface StoredContent {
  store: RecordStore;
  sessionId: string;
  /** The name of the content file. */
  content: string;
}

export async function restoreWorkspace(root: string, tree: StoredTree, from: StoredContent): Promise<void> {
  const isPlain = plainFolders(root);
  for (const path of tree.gone) if (isPlain(path)) removeTree(pathIn(root, path));
  const entries = [...tree.entries.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  let made = 0;
  for (const entry of entries) {
    make(root, entry, isPlain);
    made += 1;
    if (made % AT_ONCE === 0) await setImmediate();
  }
  await writeContents(root, entries, from);
  // Modes last: a folder may be read-only. Those below come before.
  for (const entry of entries.toReversed()) {
    if (entry.kind === 'folder') chmodSync(pathIn(root, entry.path), entry.mode);
    if (entry.kind === 'file') finish(pathIn(root, entry.path), entry);
  }
}

/** Whether a path is reached through folders only. Those that were so once stay so here, as nothing else writes. */
function plainFolders(root: string): (path: string) => boolean {
  const plain = new Set<string>();
  return (path) =>
    foldersOf(path).every((folder) => {
      if (!plain.has(folder) && statusOf(pathIn(root, folder))?.isDirectory()) plain.add(folder);
      return plain.has(folder);
    });
}

function make(root: string, entry: StoredEntry, isPlain: (path: string) => boolean): void {
  if (!isPlain(entry.path)) {
    throw new WorkspaceProblem(
      `The stored snapshot has ${JSON.stringify(entry.path)} in what is not a folder, so it was changed in the database. Restore the database from a backup.`,
    );
  }
  const path = pathIn(root, entry.path);
  const isFolder = statusOf(path)?.isDirectory() === true;
  if (entry.kind === 'folder') {
    if (isFolder) chmodSync(path, 0o700);
    else {
      removeTree(path);
      mkdirSync(path, 0o700);
    }
    return;
  }
  removeTree(path);
  if (entry.kind === 'link') symlinkSync(bytesOf(entry.target), path);
  else closeSync(openSync(path, CREATE, 0o600));
}

function finish(path: Buffer, { mode, mtimeMs }: Extract<StoredEntry, { kind: 'file' }>): void {
  const file = openSync(path, WRITE);
  try {
    const seconds = mtimeMs / 1_000 + 0.000_000_5; // a fraction has no exact value, and the time is rounded down
    futimesSync(file, seconds, seconds);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

interface WantedPart {
  part: ContentPart;
  path: string;
  /** In the file. */
  position: number;
}

/** Reads the contents once, from the first to the last. */
async function writeContents(root: string, entries: readonly StoredEntry[], from: StoredContent): Promise<void> {
  const wanted: WantedPart[] = entries.flatMap((entry) => {
    let position = 0;
    return (entry.kind === 'file' ? entry.parts : []).map((part) => {
      const here = { part, path: entry.path, position };
      position += part[1];
      return here;
    });
  });
  const reader = new ContentReader(from);
  for (const { part, path, position } of wanted.toSorted((one, other) => one.part[0] - other.part[0])) {
    const bytes = await reader.bytes(part);
    const file = openSync(pathIn(root, path), WRITE);
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(file, bytes, done, bytes.length - done, position + done);
    } finally {
      closeSync(file);
    }
  }
  await reader.close();
}

/** Reads parts in the order of their positions. */
class ContentReader {
  readonly #from: StoredContent;
  #reading: AsyncIterator<Uint8Array> | undefined;
  /** What has been read and may be wanted, and its position. */
  #bytes = Buffer.alloc(0);
  #position = 0;

  constructor(from: StoredContent) {
    this.#from = from;
  }

  async bytes(part: ContentPart): Promise<Buffer> {
    const [at, size, hash] = part;
    if (at > this.#position + this.#bytes.length + MAX_GAP_BYTES) await this.close();
    const { store, sessionId, content } = this.#from;
    if (!this.#reading) {
      this.#reading = store.read(sessionId, content, at)[Symbol.asyncIterator]();
      this.#position = at;
    }
    while (this.#position + this.#bytes.length < at + size) {
      const { value, done } = await this.#reading.next();
      if (done) break;
      const skipped = Math.min(at - this.#position, this.#bytes.length);
      this.#bytes = Buffer.concat([this.#bytes.subarray(skipped), value]);
      this.#position += skipped;
    }
    const begin = at - this.#position;
    const found = this.#bytes.subarray(begin, begin + size);
    if (hashOf(found) === hash) return found;
    throw new WorkspaceProblem(
      `The stored snapshot of the session ${sessionId} is damaged: bytes ${at} to ${at + size} of its contents are missing or were changed. Restore the database from a backup.`,
    );
  }

  async close(): Promise<void> {
    await this.#reading?.return?.();
    this.#reading = undefined;
    this.#bytes = Buffer.alloc(0);
  }
}
