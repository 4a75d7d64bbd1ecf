// What Helve keeps outside the project so that no change of a file is lost or without a way back:
//
//   journal/open/<token>.json      a change on its way: who makes it, of which files. Gone when it is done.
//   journal/open/<token>.plan      what is needed to take it back; only where one rename is not the whole change
//   journal/open/<token>.held      empty folders that a sandbox has put in a project for a while; see held-places.ts
//   journal/open/<token>.claim     whoever takes over for a process that ended in the middle
//   journal/locks/<hash>           one per file that is being changed; a second name of the `.json` file
//   journal/images/<sha256>        what files held before
//   journal/packs/                 the same for whole workspaces, from before commands; see image-pack.ts
//   journal/sessions/<id>.jsonl    the changes that were made, oldest first
//
// Images and packs are kept for 30 days, and up to 1 GB: beyond it the oldest go first, but none that was used in the last hour.
// That is looked after once a day, by the first engine that starts. A session's list goes when it was last added to
// 30 days ago.
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { lstat, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { randomHex, sha256 } from '../crypto.js';
import { writeWhole } from './atomic-write.js';
import { PRUNE_EVERY_MS } from './lazy-changes.js';
import { makeFolder } from './make-folder.js';
import { placesIn, readAt } from './pack-index.js';
import { type ToDisk, waited } from './to-disk.js';
import { codeOf, WriteFailure } from './write-failure.js';

const DAY_MS = 24 * 3_600_000;
const KEPT_MS = 30 * DAY_MS;
const KEPT_BYTES = 1_000_000_000;
const IN_USE_MS = 3_600_000;

export interface JournalFolders {
  top: string;
  open: string;
  locks: string;
  images: string;
  packs: string;
  sessions: string;
}

export function journalFolders(dataFolder: string): JournalFolders {
  const top = join(dataFolder, 'journal');
  const below = (name: string): string => join(top, name);
  return {
    top,
    open: below('open'),
    locks: below('locks'),
    images: below('images'),
    packs: below('packs'),
    sessions: below('sessions'),
  };
}

/** Makes the folders, for nobody but us: what files held is as secret as the files. */
export async function makeJournal({ top, ...below }: JournalFolders): Promise<void> {
  makeFolder(top);
  const stats = await lstat(top);
  const uid = process.getuid?.();
  if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid)) {
    throw new WriteFailure(
      'EACCES',
      `${top} is not a folder of our own, so what files hold can't be kept there before they are changed. Nothing was changed. Ask the user to look at it, or to set HELVE_HOME to another folder.`,
    );
  }
  for (const folder of Object.values(below)) makeFolder(folder);
}

export const hashOf = (bytes: Uint8Array): string => sha256().update(bytes).digest('hex');

export const imagePath = (folders: JournalFolders, hash: string): string => join(folders.images, hash);

/** Keeps the bytes under their hash. */
export async function saveImage(
  folders: JournalFolders,
  bytes: Uint8Array,
  hash: string,
  toDisk: ToDisk = waited,
): Promise<void> {
  const path = imagePath(folders, hash);
  try {
    await writeNew(path, bytes, toDisk);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await utimes(path, new Date(), new Date()).catch(() => {}); // in use again: not to be cleaned away
    if (await readImageFile(folders, hash)) return;
    // Another process is writing it this moment, or was cut off while it did.
    const whole = `${path}.${randomHex(6)}`;
    await writeNew(whole, bytes);
    await rename(whole, path);
  }
}

/** What was kept under the hash; undefined where it is not there any more, or not whole. For many, see `ImageReader`. */
export async function readImage(folders: JournalFolders, hash: string): Promise<Buffer | undefined> {
  const image = await readImageFile(folders, hash);
  if (image) return image;
  const place = (await placesIn(folders)).get(hash);
  return place && readAt(folders, place, hash);
}

/** The same where it has a file of its own. */
export async function readImageFile(folders: JournalFolders, hash: string): Promise<Buffer | undefined> {
  const bytes = await readFile(imagePath(folders, hash)).catch(() => undefined);
  return bytes && hashOf(bytes) === hash ? bytes : undefined;
}

/** A new private file; a part of one is not left behind. */
export async function writeNew(path: string, content: string | Uint8Array, toDisk: ToDisk = waited): Promise<void> {
  const file = openSync(path, newFile, 0o600);
  try {
    await writeWhole(file, typeof content === 'string' ? Buffer.from(content) : content);
  } catch (error) {
    closeSync(file);
    await rm(path, { force: true }).catch(() => {}); // the first error is the one to tell
    throw error;
  }
  await toDisk.take(file);
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const recordedOther = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder'), mode: z.number() }),
  /** A file whose content is not kept; `id` is the same as long as nobody has written it. */
  z.object({ kind: z.literal('unkept'), id: z.string(), why: z.string() }),
]);

export type RecordedOther = z.output<typeof recordedOther>;

/** One change of a file, as a session's list has it. */
const recordedFile = z.object({
  real: z.string(),
  /** SHA-256 of what it held, under which that is kept; null where there was no file. */
  before: hash.nullable(),
  /** SHA-256 of what it holds since; null where it was removed. */
  after: hash.nullable(),
  /** Mode and owner of the file that was changed, or that a new one was given. */
  mode: z.number().optional(),
  uid: z.number().optional(),
  gid: z.number().optional(),
  /** The mode since, where it is another one. */
  modeAfter: z.number().optional(),
  /** Folders that were made for it, from the outermost. */
  folders: z.array(z.string()).optional(),
  /** What was there and is there since, where that is not a file whose content is kept; the hash beside it is null. */
  otherBefore: recordedOther.optional(),
  otherAfter: recordedOther.optional(),
});

export type RecordedFile = z.output<typeof recordedFile>;

/** What was changed together, all of it. */
const recordedChange = z.object({
  change: z.string(),
  callId: z.string(),
  at: z.iso.datetime(),
  files: z.array(recordedFile),
  /** That it was found by looking at the workspace before and after a command, and then what can't be said of it. */
  seen: z
    .object({
      /** Why nothing is known. */
      notCovered: z.string().optional(),
      /** What was not looked at, or may be somebody else's. */
      notes: z.array(z.string()).optional(),
    })
    .optional(),
  /** The change before which it was made, where it was found out only afterwards. */
  earlierThan: z.string().optional(),
  /** The calls that were taken back by it, all of them. */
  undoes: z.array(z.string()).optional(),
});

export type RecordedChange = z.output<typeof recordedChange>;

/** Adds to the session's list. */
export async function recordChange(
  folders: JournalFolders,
  sessionId: string,
  change: RecordedChange,
  toDisk: ToDisk = waited,
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(sessionPath(folders, sessionId), flags, 0o600);
  try {
    // In one piece, so that two processes don't mix; the line break before it ends a line that a power cut left open.
    await writeWhole(file, Buffer.from(`\n${JSON.stringify(change)}\n`));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  await toDisk.take(file);
}

/** The changes that a session has made, or one call of it, oldest first. */
export async function listChanges(dataFolder: string, sessionId: string, callId?: string): Promise<RecordedChange[]> {
  const path = sessionPath(journalFolders(dataFolder), sessionId);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  return inOrder(changesIn(text)).filter((change) => callId === undefined || change.callId === callId);
}

function changesIn(text: string): RecordedChange[] {
  const changes = new Map<string, RecordedChange>(); // a take-over after a crash may have listed one again
  for (const line of text.split('\n')) {
    const change = parsedChange(line);
    if (change && !changes.has(change.change)) changes.set(change.change, change);
  }
  return [...changes.values()];
}

/** As they were made, which is almost always as they were found out. */
function inOrder(changes: readonly RecordedChange[]): RecordedChange[] {
  const ordered: RecordedChange[] = [];
  for (const change of changes) {
    const next = change.earlierThan === undefined ? -1 : ordered.findIndex((one) => one.change === change.earlierThan);
    ordered.splice(next === -1 ? ordered.length : next, 0, change);
  }
  return ordered;
}

/** What the session's list was added to since it had `from` bytes, and how many it has now. */
export async function changesSince(
  folders: JournalFolders,
  sessionId: string,
  from: number,
): Promise<{ changes: RecordedChange[]; bytes: number }> {
  const bytes = listBytes(folders, sessionId);
  if (bytes <= from) return { changes: [], bytes };
  const file = await open(sessionPath(folders, sessionId), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(bytes - from), position: from });
    return { changes: changesIn(buffer.toString('utf8', 0, bytesRead)), bytes };
  } finally {
    await file.close();
  }
}

/** How long the session's list is by now. */
export const listBytes = (folders: JournalFolders, sessionId: string): number =>
  statSync(sessionPath(folders, sessionId), { throwIfNoEntry: false })?.size ?? 0;

function parsedChange(line: string): RecordedChange | undefined {
  if (line === '') return undefined;
  try {
    return recordedChange.parse(JSON.parse(line));
  } catch {
    return undefined; // cut off by a power cut
  }
}

/** The sessions that have changed files, the latest first. */
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

/** Removes what is too old or too much, at most once a day. */
export async function pruneJournal(
  folders: JournalFolders,
  now = Date.now(),
  /** Makes smaller what is kept, before room is made for it. */
  shrink: (before: number) => Promise<void> = async () => {},
): Promise<void> {
  const marker = join(folders.top, 'pruned');
  const last = await stat(marker).catch(() => undefined);
  if (last && now - last.mtimeMs < PRUNE_EVERY_MS) return;
  await writeFile(marker, '', { mode: 0o600 });
  await utimes(marker, new Date(now), new Date(now));
  await removeOld([folders.sessions], now, Number.POSITIVE_INFINITY);
  await shrink(now - IN_USE_MS).catch(() => {}); // else it goes when it is old
  await removeOld([folders.images, folders.packs], now, KEPT_BYTES);
}

async function removeOld(from: readonly string[], now: number, keptBytes: number): Promise<void> {
  let left = keptBytes;
  for (const { path, size, mtimeMs } of await newestFirst(from)) {
    left -= size;
    const age = now - mtimeMs;
    if (age < IN_USE_MS || (age < KEPT_MS && left >= 0)) continue;
    const { mtimeMs: latest } = await stat(path).catch(() => ({ mtimeMs: now })); // it may be in use again
    if (latest === mtimeMs) await rm(path, { force: true });
  }
}

async function newestFirst(from: readonly string[]): Promise<Array<{ path: string; size: number; mtimeMs: number }>> {
  const files = [];
  for (const folder of from) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined); // another process may be cleaning too
      if (stats?.isFile()) files.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
    }
  }
  return files.toSorted((one, other) => other.mtimeMs - one.mtimeMs);
}
