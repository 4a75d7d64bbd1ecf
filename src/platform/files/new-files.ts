// What a command does that makes files and nothing else: nothing is lost by it, so there is nothing to keep before it.
import { readFileSync } from 'node:fs';
import { randomHex } from '../crypto.js';
import { hashOf, journalFolders, listChanges, makeJournal, recordChange } from './journal.js';
import { IN_BACKGROUND, partsOf, sideOf } from './snapshot-changes.js';
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
  /** Whether others worked beside it: then what they have made there is theirs. */
  isLeft: boolean;
}

/** Lists those that are there by now as the work of the call. */
export async function recordNewFiles({ dataFolder, sessionId, callId, at, paths, isLeft }: NewFiles): Promise<void> {
  const meanwhile = isLeft ? (await listChanges(dataFolder, sessionId)).filter((change) => change.at >= at) : [];
  const parts = paths.flatMap((path) => {
    const entry = entryAt(path);
    if (entry?.kind !== 'file') return [];
    const content =
      entry.size > MAX_READ_BYTES ? { why: 'it is too large to be read' } : { hash: hashOf(readFileSync(path)) };
    return partsOf(path, sideOf(undefined, undefined), sideOf(entry, content), meanwhile);
  });
  if (parts.length === 0) return;
  const folders = journalFolders(dataFolder);
  await makeJournal(folders);
  const seen = isLeft ? { notes: [IN_BACKGROUND] } : {};
  for (const earlierThan of new Set(parts.map((part) => part.earlierThan))) {
    const files = parts.filter((part) => part.earlierThan === earlierThan).map(({ file }) => file);
    const place = earlierThan === undefined ? {} : { earlierThan };
    await recordChange(folders, sessionId, { change: randomHex(12), callId, at, files, seen, ...place });
  }
}
