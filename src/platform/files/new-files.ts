// What a command does that makes files and nothing else: nothing is lost by it, so there is nothing to keep before it.
import { readFileSync } from 'node:fs';
import { randomHex } from '../crypto.js';
import { hashOf, journalFolders, makeJournal, recordChange } from './journal.js';
import { partsOf, sideOf } from './snapshot-changes.js';
import { entryAt } from './workspace-tree.js';

const MAX_READ_BYTES = 10_000_000; // a larger one is known by its time stamps, as in pictures of the workspace

export interface NewFiles {
  dataFolder: string;
  sessionId: string;
  callId: string;
  /** When the call began. */
  at: string;
  /** Where nothing was then, by real path. */
  paths: readonly string[];
}

/** Lists those that are there by now as the work of the call. */
export async function recordNewFiles({ dataFolder, sessionId, callId, at, paths }: NewFiles): Promise<void> {
  const parts = paths.flatMap((path) => {
    const entry = entryAt(path);
    if (entry?.kind !== 'file') return [];
    const content =
      entry.size > MAX_READ_BYTES ? { why: 'it is too large to be read' } : { hash: hashOf(readFileSync(path)) };
    return partsOf(path, sideOf(undefined, undefined), sideOf(entry, content), []);
  });
  if (parts.length === 0) return;
  const folders = journalFolders(dataFolder);
  await makeJournal(folders);
  const files = parts.map(({ file }) => file);
  await recordChange(folders, sessionId, { change: randomHex(12), callId, at, files, seen: {} });
}
