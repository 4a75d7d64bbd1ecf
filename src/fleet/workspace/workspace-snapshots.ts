// Snapshots of a workspace in the store. A snapshot has what changed since the one before: new and changed files by their
// content, modes, links, folders, and what is gone. Contents are stored in parts, each once. A snapshot counts once its line
// is stored, and its contents are stored before.

import { hashOf } from '../../platform/crypto.js';
import { Slots } from '../../platform/slots.js';
import { type AppendedBytes, PART_BYTES, type RecordStore, type SessionOwner } from '../store/record-store.js';
import { OBJECTS, type ScannedEntry, scanWorkspace } from './scan-workspace.js';
import { pathIn, readParts } from './tree-files.js';
import {
  addLine,
  type ContentPart,
  foldersOf,
  lineBytes,
  PART_OF_FILE_BYTES,
  type StoredEntry,
  type StoredTree,
  type TreeLine,
} from './tree-format.js';
import { WorkspaceProblem } from './workspace-problem.js';

const MAX_APPEND_BYTES = 4 * PART_BYTES;

export interface SnapshotFiles {
  tree: string;
  content: string;
}

export interface WorkspaceSnapshotsOptions {
  root: string;
  store: RecordStore;
  owner: SessionOwner;
  files: SnapshotFiles;
  stored: StoredTree;
  /** The lengths of the files. */
  sizes: { tree: number; content: number };
  /** The workspace as it is stored. */
  scanned: Map<string, ScannedEntry>;
  /** Of all contents that were ever stored for the session. */
  maxBytes: number;
}

export class WorkspaceSnapshots {
  readonly #options: WorkspaceSnapshotsOptions;
  readonly #turns = new Slots(1);
  /** By hash, those that are stored. */
  readonly #parts = new Map<string, ContentPart>();
  readonly #sizes: { tree: number; content: number };
  #known: Map<string, ScannedEntry>;
  /** Contents that `#flush` stores. Small files share a record. */
  #waiting: Array<{ position: number; pieces: Buffer[]; size: number }> = [];
  #waitingBytes = 0;

  constructor(options: WorkspaceSnapshotsOptions) {
    this.#options = options;
    this.#known = options.scanned;
    this.#sizes = { ...options.sizes };
    for (const entry of options.stored.entries.values()) {
      if (entry.kind === 'file') for (const part of entry.parts) this.#parts.set(part[2], part);
    }
  }

  get stored(): StoredTree {
    return this.#options.stored;
  }

  get scanned(): Map<string, ScannedEntry> {
    return this.#known;
  }

  get sizes(): { tree: number; content: number } {
    return this.#sizes;
  }

  /** Resolves once everything that the workspace has now is stored. */
  async take(): Promise<void> {
    await this.#turns.run(() => this.#take(), new AbortController().signal);
  }

  /** Stores a line, such as that of the commit that the session starts from. */
  async append(line: TreeLine): Promise<void> {
    const { store, owner, files, stored } = this.#options;
    const bytes = lineBytes(line);
    const parts: AppendedBytes[] = [];
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      parts.push({ file: files.tree, position: this.#sizes.tree + at, bytes: bytes.subarray(at, at + PART_BYTES) });
    }
    await store.append(owner, parts);
    this.#sizes.tree += bytes.length;
    addLine(stored, bytes.toString().trim());
  }

  async #take(): Promise<void> {
    const { root } = this.#options;
    const now = await scanWorkspace(root, { skipped: OBJECTS });
    const set: StoredEntry[] = [];
    await this.#compare(now, set);
    // Read after the branches that refer to them.
    const objects = now.has('.git') ? await scanWorkspace(root, { from: OBJECTS }) : new Map<string, ScannedEntry>();
    await this.#compare(objects, set);
    for (const [path, entry] of objects) now.set(path, entry);
    const gone = [...this.#known.keys()].filter((path) => !now.has(path));
    const removed = new Set(gone);
    const topmost = gone.filter((path) => !foldersOf(path).some((folder) => removed.has(folder)));
    if (set.length > 0 || topmost.length > 0) {
      await this.#flush();
      await this.append({ set, gone: topmost });
    }
    this.#known = now;
  }

  /** Stores the contents of entries that have changed, and adds what a snapshot says of them. */
  async #compare(now: Map<string, ScannedEntry>, set: StoredEntry[]): Promise<void> {
    for (const [path, entry] of now) {
      const before = this.#known.get(path);
      if (before?.stamp !== undefined && before.stamp === entry.stamp && before.mode === entry.mode) continue;
      if (entry.kind === 'folder') {
        if (before?.kind !== 'folder' || before.mode !== entry.mode)
          set.push({ path, kind: 'folder', mode: entry.mode });
      } else if (entry.kind === 'link') {
        if (before?.kind !== 'link' || before.target !== entry.target)
          set.push({ path, kind: 'link', target: entry.target });
      } else {
        const parts = await this.#partsOf(path);
        if (!parts)
          now.delete(path); // gone meanwhile
        else if (!this.#isStored(path, entry, parts))
          set.push({ path, kind: 'file', mode: entry.mode, mtimeMs: entry.mtimeMs, parts });
      }
    }
  }

  #isStored(path: string, { mode, mtimeMs }: ScannedEntry, parts: readonly ContentPart[]): boolean {
    const stored = this.#options.stored.entries.get(path);
    return (
      stored?.kind === 'file' &&
      stored.mode === mode &&
      stored.mtimeMs === mtimeMs &&
      JSON.stringify(stored.parts) === JSON.stringify(parts)
    );
  }

  /** Undefined if the file is not there any more. */
  async #partsOf(path: string): Promise<ContentPart[] | undefined> {
    const parts: ContentPart[] = [];
    const reading = readParts(pathIn(this.#options.root, path), PART_OF_FILE_BYTES);
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) return next.value ? parts : undefined;
      parts.push(this.#part(next.value));
      if (this.#waitingBytes >= MAX_APPEND_BYTES) await this.#flush();
    }
  }

  #part(bytes: Buffer): ContentPart {
    const { maxBytes } = this.#options;
    const hash = hashOf(bytes);
    const known = this.#parts.get(hash);
    if (known) return known;
    const at = this.#sizes.content;
    if (at + bytes.length > maxBytes) {
      throw new WorkspaceProblem(
        `The snapshots of the workspace have more than ${Math.floor(maxBytes / 1_000_000)} MB, so the last one was not stored, and the session goes back to the one before. Send a prompt that says so, or start the workers with a higher --workspace-limit.`,
      );
    }
    const part: ContentPart = [at, bytes.length, hash];
    this.#parts.set(hash, part);
    const last = this.#waiting.at(-1);
    if (last && last.size + bytes.length <= PART_BYTES) {
      last.pieces.push(bytes);
      last.size += bytes.length;
    } else this.#waiting.push({ position: at, pieces: [bytes], size: bytes.length });
    this.#sizes.content += bytes.length;
    this.#waitingBytes += bytes.length;
    return part;
  }

  async #flush(): Promise<void> {
    const { store, owner, files } = this.#options;
    const appended = this.#waiting.map(({ position, pieces }) => ({
      file: files.content,
      position,
      bytes: Buffer.concat(pieces),
    }));
    [this.#waiting, this.#waitingBytes] = [[], 0];
    if (appended.length > 0) await store.append(owner, appended);
  }
}
