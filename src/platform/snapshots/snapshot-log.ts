// The snapshot of a workspace on disk, kept while its session lives: if Helve is killed while a command runs, the
// next start uses it to find that command's changes. It is an append-only log of entries, and of commands that begin
// and end.
import { closeSync, openSync, renameSync, rmSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { textIn } from '../files/lenient-reads.js';
import { anyWrites, declaredPath, declaredWrites } from '../journal/declared-writes.js';
import type { JournalFolders } from '../journal/journal.js';
import { closeRecord, type OpenChange, openRecord, recordPath } from '../journal/lock.js';
import { parseJson } from '../parse-json.js';
import { emptyTree, Pace, type Tree, type TreeEntry } from './workspace-tree.js';

const FEW_LINES = 1_000; // not worth compacting

/** A saved copy of a file, and the state of the file that it was taken from. */
export interface KnownCopy {
  /** The file's state when it was read. */
  entry: TreeEntry;
  hash: string;
}

export const snapshotLogPath = ({ open }: JournalFolders, token: string): string => join(open, `${token}.picture`);

/** The workspace at the last scan. */
export interface SnapshotState {
  roots: readonly string[];
  pack: string;
  tree: Tree;
  known: ReadonlyMap<string, KnownCopy>;
  /** The file through which other sessions report their changes; see running-commands.ts. */
  commands: string | undefined;
}

/** Never fsynced: it has to survive the process, not the machine. */
export class SnapshotLog {
  readonly #folders: JournalFolders;
  readonly #record: OpenChange;
  #file: number;
  #hasAll = false;
  #lines = 0;

  private constructor(folders: JournalFolders, record: OpenChange) {
    this.#folders = folders;
    this.#record = record;
    this.#file = openSync(snapshotLogPath(folders, record.token), 'ax', 0o600);
  }

  static async begin(folders: JournalFolders, sessionId: string): Promise<SnapshotLog> {
    return new SnapshotLog(folders, await openRecord(folders, { sessionId }));
  }

  /** Records which commands run, and the entries that may have changed since the last write. */
  async update(state: SnapshotState, running: readonly OpenCommand[], touched: Iterable<string>): Promise<void> {
    const pace = new Pace();
    const { roots, pack, tree, known, commands } = state;
    if (this.#lines > FEW_LINES + 3 * tree.entries.size) this.#rewrite();
    const lines: string[] = [];
    for (const path of this.#hasAll ? touched : tree.entries.keys()) {
      const entry = tree.entries.get(path);
      const fact = known.get(path);
      lines.push(entry ? lineOf(path, entry, fact?.entry === entry ? fact.hash : undefined) : JSON.stringify([path]));
      await pace.breathe();
    }
    const { unreadable, unseen, named } = tree;
    lines.push(JSON.stringify({ roots, pack, unreadable, unseen, named, commands, running }));
    writeSync(this.#file, `${lines.join('\n')}\n`);
    this.#hasAll = true;
    this.#lines += lines.length;
    const now = new Date();
    utimesSync(recordPath(this.#folders, this.#record.token), now, now); // for processes that can't check that we are alive
  }

  #rewrite(): void {
    const path = snapshotLogPath(this.#folders, this.#record.token);
    closeSync(this.#file);
    this.#file = openSync(`${path}.new`, 'w', 0o600);
    renameSync(`${path}.new`, path);
    this.#hasAll = false;
    this.#lines = 0;
  }

  async end(): Promise<void> {
    closeSync(this.#file);
    rmSync(snapshotLogPath(this.#folders, this.#record.token), { force: true });
    await closeRecord(this.#folders, this.#record, []);
  }
}

function lineOf(path: string, entry: TreeEntry, hash: string | undefined): string {
  const { kind, ino, size, mtimeMs, ctimeMs, fullMode, settled, target } = entry;
  return JSON.stringify([path, kind, ino, size, mtimeMs, ctimeMs, fullMode, settled, target ?? null, hash ?? null]);
}

const entryLine = z.tuple([
  z.string(),
  z.enum(['file', 'folder', 'link']),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.boolean(),
  z.string().nullable(),
  z.string().nullable(),
]);

const openCommand = z.object({
  callId: z.string(),
  at: z.iso.datetime(),
  gaps: z.array(z.string()),
  isLeft: z.boolean(),
  writes: declaredWrites.default(anyWrites),
});

/** A command that was running when the log was written. */
export type OpenCommand = z.output<typeof openCommand>;

const stateLine = z.object({
  roots: z.array(z.string()),
  pack: z.string(),
  unreadable: z.array(z.string()),
  unseen: z.array(z.string()),
  named: z.array(declaredPath).default([]),
  commands: z.string().optional(),
  running: z.array(openCommand),
});

/** The last state that was written completely; undefined if there is none. */
export function readSnapshotLog(path: string): (SnapshotState & { running: OpenCommand[] }) | undefined {
  const lines = textIn(path).split('\n').map(parseJson);
  const end = lines.findLastIndex((line) => stateLine.safeParse(line).success);
  if (end === -1) return undefined;
  const { unreadable, unseen, named, commands, ...state } = stateLine.parse(lines[end]);
  const entries: Tree['entries'] = new Map();
  const known = new Map<string, KnownCopy>();
  for (const line of lines.slice(0, end)) {
    if (!Array.isArray(line)) continue;
    const found = entryLine.safeParse(line);
    if (!found.success) {
      entries.delete(String(line[0]));
      continue;
    }
    const [real, kind, ino, size, mtimeMs, ctimeMs, fullMode, settled, target, hash] = found.data;
    const mode = fullMode & 0o7777;
    const entry = { kind, ino, size, mtimeMs, ctimeMs, fullMode, mode, settled, target: target ?? undefined };
    entries.set(real, entry);
    if (hash === null) known.delete(real);
    else known.set(real, { entry, hash });
  }
  return { ...state, commands, known, tree: { ...emptyTree(), entries, unreadable, unseen, named } };
}
