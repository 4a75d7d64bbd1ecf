// Records commands that only create new files: they overwrite nothing, so no before-images are needed.
import { readFileSync } from 'node:fs';
import { hashOf, randomHex } from '../crypto.js';
import { claimantOf } from '../journal/claim-change.js';
import { type JournalFolders, journalFolders, makeJournal, recordChange, saveBeforeImage } from '../journal/journal.js';
import { JournaledChanges } from '../journal/journaled-changes.js';
import { type RunningCommand, RunningCommands } from '../journal/running-commands.js';
import { IN_BACKGROUND, INTERRUPTED, type Part, partsOf, sideOf, unclaimedIn } from './snapshot-changes.js';
import { entryAt } from './workspace-tree.js';

const MAX_READ_BYTES = 10_000_000; // a larger file is identified by its timestamps, as in snapshots of the workspace

export interface NewFiles {
  dataFolder: string;
  sessionId: string;
  callId: string;
  /** Real paths at which nothing exists before the call. */
  paths: readonly string[];
}

/** Call it before the command. The returned function lists the files that exist by then as changes of the call. */
export async function watchNewFiles({
  dataFolder,
  sessionId,
  callId,
  paths,
}: NewFiles): Promise<(isLeft: boolean) => Promise<void>> {
  const folders = journalFolders(dataFolder);
  const at = new Date().toISOString();
  await makeJournal(folders);
  const commands = new RunningCommands(folders, sessionId);
  await commands.begin(
    callId,
    { paths: paths.map((real) => ({ real, tree: false })), isExact: true },
    { newFilesSince: at },
  );
  return async (isLeft) => {
    try {
      await record(folders, commands, { sessionId, callId, paths, at, notes: isLeft ? [IN_BACKGROUND] : [] });
    } finally {
      commands.end(callId);
    }
  };
}

/** Lists the files that a command created before its Helve was killed. Returns their paths. */
export async function recoverNewFiles(
  folders: JournalFolders,
  file: string,
  { sessionId, callId, writes, newFilesSince: at }: RunningCommand,
): Promise<string[]> {
  if (at === undefined) return [];
  const commands = new RunningCommands(folders, sessionId);
  commands.takeOver(file);
  const paths = writes.paths.map(({ real }) => real);
  return await record(folders, commands, { sessionId, callId, paths, at, notes: [INTERRUPTED] });
}

interface About {
  sessionId: string;
  callId: string;
  paths: readonly string[];
  at: string;
  notes: readonly string[];
}

/** Returns the files that it lists. */
async function record(
  folders: JournalFolders,
  commands: RunningCommands,
  { sessionId, callId, paths, at, notes }: About,
): Promise<string[]> {
  const writes = { paths: paths.map((real) => ({ real, tree: false })), isExact: true };
  const journaled = new JournaledChanges(folders, commands);
  journaled.beforeLook();
  const found = paths.map((path) => ({ path, after: sideAt(path) }));
  const beside = journaled.afterLook();
  const parts: Part[] = [];
  const unclaimed: Part[] = [];
  for (const { path, after } of found) {
    const compared = partsOf(path, sideOf(undefined, undefined), after, journaled.of(path, after));
    if (compared.parts.length === 0) continue;
    const claimant = claimantOf(path, { isFolder: false }, { own: [{ writes }], beside, sessionId });
    if (claimant === 'unclaimed') unclaimed.push(...compared.parts);
    else parts.push(...compared.parts);
  }
  if (parts.length === 0 && unclaimed.length === 0) return [];
  await makeJournal(folders);
  if (beside.length > 0) await keepWritten(folders, [...parts, ...unclaimed]);
  const seen = { ...(notes.length > 0 && { notes: [...notes] }), ...unclaimedIn(unclaimed) };
  for (const earlierThan of new Set(parts.length === 0 ? [undefined] : parts.map((part) => part.earlierThan))) {
    const files = parts.filter((part) => part.earlierThan === earlierThan).map(({ file }) => file);
    const place = earlierThan === undefined ? {} : { earlierThan };
    await recordChange(folders, sessionId, { change: randomHex(12), callId, at, files, seen, ...place });
  }
  return parts.map(({ file }) => file.real);
}

/** A command of another session may remove or move the files before they are scanned. */
async function keepWritten(folders: JournalFolders, parts: readonly Part[]): Promise<void> {
  for (const { file } of parts) {
    try {
      const bytes = file.after === null ? undefined : readFileSync(file.real);
      if (bytes && hashOf(bytes) === file.after) await saveBeforeImage(folders, bytes, file.after);
    } catch {
      // already removed, or the disk is full: undo of the other command says that there is no copy
    }
  }
}

function sideAt(path: string): ReturnType<typeof sideOf> {
  const entry = entryAt(path);
  if (entry?.kind !== 'file') return sideOf(undefined, undefined);
  const isLarge = entry.size > MAX_READ_BYTES;
  return sideOf(entry, isLarge ? { why: 'it is too large to be read' } : { hash: hashOf(readFileSync(path)) });
}
