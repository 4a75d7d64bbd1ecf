// What a snapshot of a workspace says. Two files of the session in the store, which only grow:
//
//   workspace/<generation>/tree      a line for each snapshot: what has changed since the one before
//   workspace/<generation>/content   parts of files, each stored once
//
// A line begins with a newline, so that one that a kill has cut off ends there, and it is ignored. The contents that a line
// names are stored before it. Paths have a character for each byte (latin1): names need not be text.
import * as z from 'zod';
import { parseJson } from '../../platform/parse-json.js';

export const PART_OF_FILE_BYTES = 1024 * 1024;

/** Below the workspace; every segment is a plain name. */
const path = z.string().refine((value) => value.split('/').every((name) => !/^(?:|\.|\.\.)$|\0/.test(name)));
const mode = z.int().min(0).max(0o7777);
const count = z.int().nonnegative();

/** Position and size in the content file, and the SHA-256 of the bytes. */
const part = z.tuple([count, count, z.string().regex(/^[0-9a-f]{64}$/)]);

const treeEntry = z.discriminatedUnion('kind', [
  z.object({ path, kind: z.literal('file'), mode, mtimeMs: z.number(), parts: z.array(part) }),
  z.object({ path, kind: z.literal('folder'), mode }),
  z.object({ path, kind: z.literal('link'), target: z.string() }),
]);

export type StoredEntry = z.output<typeof treeEntry>;
export type ContentPart = z.output<typeof part>;

const base = z.object({
  /** The commit that was checked out at first; entries that are as in it are not stored. */
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** Where the session works, on every worker. */
  root: z.string(),
});

export type WorkspaceBase = z.output<typeof base>;

const line = z.object({
  base: base.optional(),
  set: z.array(treeEntry).default([]),
  /** Removed, with all below them. */
  gone: z.array(path).default([]),
});

export type TreeLine = z.input<typeof line>;

/** What all lines say together: how the workspace differs from the commit. */
export interface StoredTree {
  base: WorkspaceBase | undefined;
  entries: Map<string, StoredEntry>;
  /** Entries of the commit that are not in the workspace. */
  gone: Set<string>;
  /** How many snapshots there are. */
  snapshots: number;
}

export const emptyTree = (): StoredTree => ({ base: undefined, entries: new Map(), gone: new Set(), snapshots: 0 });

export const lineBytes = (written: TreeLine): Buffer => Buffer.from(`\n${JSON.stringify(written)}\n`);

/** Adds the line of another snapshot. One that was cut off changes nothing. */
export function addLine(tree: StoredTree, text: string): void {
  if (text === '') return;
  const { data } = line.safeParse(parseJson(text));
  if (!data) return;
  tree.base ??= data.base;
  tree.snapshots += 1;
  // What was below a folder that is gone, or that another kind of entry has replaced.
  removeBelow(
    tree.entries,
    new Set([...data.gone, ...data.set.filter(({ kind }) => kind !== 'folder').map(({ path }) => path)]),
  );
  for (const name of data.gone) {
    tree.entries.delete(name);
    tree.gone.add(name);
  }
  for (const entry of data.set) tree.entries.set(entry.path, entry);
}

/** Removes all entries below these paths. */
function removeBelow(entries: Map<string, unknown>, paths: ReadonlySet<string>): void {
  if (paths.size === 0) return;
  for (const name of entries.keys()) if (foldersOf(name).some((folder) => paths.has(folder))) entries.delete(name);
}

/** The folders that a path is in, outermost first. */
export function foldersOf(name: string): string[] {
  const folders: string[] = [];
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) folders.push(name.slice(0, end));
  return folders;
}
