// Where the snapshots of a session are in the store, and what they say.
import type { RecordStore } from '../store/record-store.js';
import { addLine, emptyTree, type StoredTree } from './tree-format.js';
import type { SnapshotFiles } from './workspace-snapshots.js';

export const snapshotFiles: SnapshotFiles = { tree: 'workspace/0/tree', content: 'workspace/0/content' };

export interface StoredSnapshots {
  tree: StoredTree;
  /** The lengths of the files. */
  sizes: { tree: number; content: number };
}

export async function readSnapshots(
  store: RecordStore,
  sessionId: string,
  stored: ReadonlyMap<string, number>,
): Promise<StoredSnapshots> {
  const tree = emptyTree();
  const { tree: treeFile, content } = snapshotFiles;
  let rest: Uint8Array[] = [];
  for await (const bytes of store.read(sessionId, treeFile)) {
    let begin = 0;
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, begin)) {
      addLine(tree, Buffer.concat([...rest, bytes.subarray(begin, end)]).toString());
      [rest, begin] = [[], end + 1];
    }
    rest.push(bytes.subarray(begin));
  }
  return { tree, sizes: { tree: stored.get(treeFile) ?? 0, content: stored.get(content) ?? 0 } };
}

const NEW_LINE = 0x0a;
