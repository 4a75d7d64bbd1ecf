// The journal: data that Helve keeps outside the project so that every change of a file is atomic and can be undone.
//
//   journal/open/<token>.json      a change in progress: its process and files. Removed when the change is done.
//   journal/open/<token>.plan      the data for a rollback; only if the change is more than a single rename
//   journal/open/<token>.held      placeholders of a sandbox in the project; see placeholder-journal.ts
//   journal/open/<token>.undo      marks the changes in progress as parts of one undo; see undo-marker.ts
//   journal/open/<token>.claim     the process that takes over for one that died in the middle
//   journal/locks/<hash>           one for each file that is being changed; a hard link to the `.json` file
//   journal/images/<sha256>        before-images of files
//   journal/packs/                 before-images of whole workspaces; see before-image-pack.ts
//   journal/sessions/<id>.jsonl    the completed changes, oldest first
//   journal/commands/              messages between sessions while their commands run; see running-commands.ts
//
// Before-images and packs are kept for 30 days, up to 1 GB in total: beyond that the oldest are removed first, except
// those used within the last hour. The first session that makes a call on a day does this, beside its work. A session's
// list is removed 30 days after its last entry.
import { closeSync, constants, fstatSync, lstatSync, openSync, statSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf, randomHex } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { writeWhole } from '../files/atomic-write.js';
import { type FsyncStrategy, immediateFsync } from '../files/deferred-fsync.js';
import { mkdirPrivate } from '../files/mkdir-private.js';
import { OpenedFile } from '../files/open-file.js';
import { WriteFailure } from '../files/write-failure.js';
import { parseJson } from '../parse-json.js';
import { isCleanUpDue } from './clean-up-marker.js';
import { packEntries, readAt } from './pack-index.js';
import { type RecordedChange, recordedChange } from './recorded-change.js';
import { notifyRunningCommands } from './running-commands.js';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
const KEPT_BYTES = 1_000_000_000;
const IN_USE_MS = 3_600_000;
const MARKED_MS = 60_000; // for so long the time of the last mark is good enough

export interface JournalFolders {
  top: string;
  open: string;
  locks: string;
  beforeImages: string;
  packs: string;
  sessions: string;
  commands: string;
}

export function journalFolders(dataFolder: string): JournalFolders {
  const top = join(dataFolder, 'journal');
  const below = (name: string): string => join(top, name);
  return {
    top,
    open: below('open'),
    locks: below('locks'),
    beforeImages: below('images'),
    packs: below('packs'),
    sessions: below('sessions'),
    commands: below('commands'),
  };
}

/** Creates the folders with access for the current user only: before-images are as secret as the files themselves. */
export async function makeJournal({ top, ...below }: JournalFolders): Promise<void> {
  mkdirPrivate(top);
  const stats = lstatSync(top);
  const uid = process.getuid?.();
  if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid)) {
    throw new WriteFailure(
      'EACCES',
      `${top} is not a folder of our own, so what files hold can't be kept there before they are changed. Nothing was changed. Ask the user to look at it, or to set HELVE_HOME to another folder.`,
    );
  }
  for (const folder of Object.values(below)) mkdirPrivate(folder);
}

export const beforeImagePath = (folders: JournalFolders, hash: string): string => join(folders.beforeImages, hash);

/** Saves the bytes under their hash. */
export async function saveBeforeImage(
  folders: JournalFolders,
  bytes: Uint8Array,
  hash: string,
  toDisk: FsyncStrategy = immediateFsync,
): Promise<void> {
  const path = beforeImagePath(folders, hash);
  try {
    await writeNew(path, bytes, toDisk);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await markAsUsed(path);
    if (await readBeforeImageFile(folders, hash)) return;
    // Another process is writing it right now, or was interrupted while it did.
    const whole = `${path}.${randomHex(6)}`;
    await writeNew(whole, bytes);
    await rename(whole, path);
  }
}

/** Keeps it from being cleaned up. */
async function markAsUsed(path: string): Promise<void> {
  const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs > MARKED_MS) await utimes(path, new Date(), new Date()).catch(() => {});
}

/**
 * The before-image with that hash; undefined if it has been removed or is incomplete. To read many, use
 * `BeforeImageReader`.
 */
export async function readBeforeImage(folders: JournalFolders, hash: string): Promise<Buffer | undefined> {
  const image = await readBeforeImageFile(folders, hash);
  if (image) return image;
  const entry = (await packEntries(folders)).get(hash);
  return entry && readAt(folders, entry, hash);
}

/** The same for one that has a file of its own. */
export async function readBeforeImageFile(folders: JournalFolders, hash: string): Promise<Buffer | undefined> {
  try {
    const descriptor = openSync(beforeImagePath(folders, hash), 'r');
    try {
      const bytes = await new OpenedFile(descriptor, fstatSync(descriptor)).readFile();
      return hashOf(bytes) === hash ? bytes : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Creates a private file; on failure no partial file is left behind. */
export async function writeNew(
  path: string,
  content: string | Uint8Array,
  toDisk: FsyncStrategy = immediateFsync,
): Promise<void> {
  const file = openSync(path, newFile, 0o600);
  try {
    await writeWhole(file, typeof content === 'string' ? Buffer.from(content) : content);
  } catch (error) {
    closeSync(file);
    await rm(path, { force: true }).catch(() => {}); // report the first error
    throw error;
  }
  await toDisk.take(file);
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Appends to the session's list, and notifies sessions with running commands, so that they do not claim the change. */
export async function recordChange(
  folders: JournalFolders,
  sessionId: string,
  change: RecordedChange,
  toDisk: FsyncStrategy = immediateFsync,
): Promise<void> {
  notifyRunningCommands(folders, change); // first: after a crash in between, the recovery appends to the list
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(sessionPath(folders, sessionId), flags, 0o600);
  try {
    // A single write, so that lines of two processes don't interleave; the leading newline ends a line that a power
    // failure cut off.
    await writeWhole(file, Buffer.from(`\n${JSON.stringify(change)}\n`));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  await toDisk.take(file);
}

/** A change, and its byte offset in the list. */
export type ListedChange = RecordedChange & { position: number };

/** The changes of a session, or of one of its calls, oldest first. */
export async function listChanges(dataFolder: string, sessionId: string, callId?: string): Promise<ListedChange[]> {
  const path = sessionPath(journalFolders(dataFolder), sessionId);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  return inOrder(sessionChanges(text)).filter((change) => callId === undefined || change.callId === callId);
}

/** Parses a session's list; each change is returned once. */
export function sessionChanges(text: string): ListedChange[] {
  const changes = new Map<string, ListedChange>(); // a takeover after a crash may have listed one twice
  let position = 0;
  for (const line of text.split('\n')) {
    const change = parsedChange(line);
    if (change && !changes.has(change.change)) changes.set(change.change, { ...change, position });
    position += Buffer.byteLength(line) + 1;
  }
  return [...changes.values()];
}

/** In the order in which they were made, which is almost always the order in which they were recorded. */
function inOrder(changes: readonly ListedChange[]): ListedChange[] {
  const ordered: ListedChange[] = [];
  for (const change of changes) {
    const next = change.earlierThan === undefined ? -1 : ordered.findIndex((one) => one.change === change.earlierThan);
    ordered.splice(next === -1 ? ordered.length : next, 0, change);
  }
  return ordered;
}

/** Undefined if the line was truncated by a power failure. */
const parsedChange = (line: string): RecordedChange | undefined =>
  line === '' ? undefined : recordedChange.safeParse(parseJson(line)).data;

/** The sessions that have changed files, most recent first. */
export async function listSessions(dataFolder: string): Promise<Array<{ sessionId: string; changedAt: Date }>> {
  const { sessions } = journalFolders(dataFolder);
  const names = await readdir(sessions).catch(() => []); // no journal yet
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith('.jsonl'))
      .map(async (name) => ({ sessionId: name.slice(0, -6), changedAt: (await stat(join(sessions, name))).mtime })),
  );
  return found.toSorted((one, other) => other.changedAt.getTime() - one.changedAt.getTime());
}

function sessionPath({ sessions }: JournalFolders, sessionId: string): string {
  if (!/^[\w-]{1,200}$/.test(sessionId)) throw new TypeError(`"${sessionId}" is not the id of a session.`);
  return join(sessions, `${sessionId}.jsonl`);
}

/** Removes data beyond the limits of age and size, at most once a day. */
export async function pruneJournal(
  folders: JournalFolders,
  now = Date.now(),
  /** Shrinks packs before anything is removed to save space. */
  shrink: (before: number) => Promise<void> = async () => {},
): Promise<void> {
  const due = await isCleanUpDue(join(folders.top, 'pruned'), now);
  if (!due) return;
  const { countedFrom } = due;
  await removeOld([folders.sessions], { now, countedFrom }, Number.POSITIVE_INFINITY);
  await shrink(now - IN_USE_MS).catch(() => {}); // otherwise it is removed when it is old
  await removeOld([folders.beforeImages, folders.packs], { now, countedFrom }, KEPT_BYTES);
}

async function removeOld(
  from: readonly string[],
  { now, countedFrom }: { now: number; countedFrom: number },
  keptBytes: number,
): Promise<void> {
  let left = keptBytes;
  for (const { path, size, mtimeMs } of await newestFirst(from)) {
    left -= size;
    const isOld = countedFrom - mtimeMs >= KEPT_MS;
    if (now - mtimeMs < IN_USE_MS || (!isOld && left >= 0)) continue;
    const { mtimeMs: latest } = await stat(path).catch(() => ({ mtimeMs: now })); // it may be in use again
    if (latest === mtimeMs) await rm(path, { force: true });
  }
}

async function newestFirst(from: readonly string[]): Promise<Array<{ path: string; size: number; mtimeMs: number }>> {
  const files = [];
  for (const folder of from) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined); // another process may be cleaning up too
      if (stats?.isFile()) files.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
    }
  }
  return files.toSorted((one, other) => other.mtimeMs - one.mtimeMs);
}
