// What Helve knows of each worktree that it has made: one small file beside the worktree, written before anything else
// and removed last, so that a process that is killed at any moment leaves a name for what it left.
import { existsSync, linkSync, readdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { worktreeEnds } from '../../contract/worktree.js';
import { randomHex, sha256 } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { mkdirPrivate } from '../files/mkdir-private.js';
import { readPrivateFile, withLock, writePrivateFile } from '../files/private-file.js';
import { isRunning, thisProcess } from '../journal/process-identity.js';
import { isWorktreeName } from './worktree-name.js';

const GIT_WAIT_MS = 600_000; // ten checkouts of a very large repository, one after the other

const recordSchema = z.object({
  version: z.literal(1),
  name: z.string().refine(isWorktreeName),
  /**
   * `creating`: no session has worked in it yet. `removing`: it was found to have nothing to lose, or a person agreed.
   * `merging`: the project's branch is being moved.
   */
  state: z.enum(['creating', 'ready', 'merging', 'removing']),
  /** The folder that the session was started in, whose settings and rules hold. */
  project: z.string(),
  /** The top of the working tree around the project. */
  top: z.string(),
  /** The `.git` folder that all working trees of the repository share. */
  commonFolder: z.string(),
  /** The top of the worktree. */
  folder: z.string(),
  /** The path of the record without `.json`, if a hook has made the worktree, which may be anywhere. Default: `folder`. */
  slot: z.string().optional(),
  branch: z.string(),
  /** The commit that it started from. */
  base: z.string(),
  at: z.iso.datetime(),
  /** The process that uses it. */
  owner: z
    .object({ pid: z.number(), started: z.number(), boot: z.string(), space: z.string(), host: z.string() })
    .optional(),
  /** It is of a child agent. */
  isOfAgent: z.boolean().optional(),
  /** The files of `.worktreeinclude`, relative to the top, with the hash of their content. */
  copied: z.array(z.object({ path: z.string(), hash: z.string() })),
  /** Files that the set-up command has made or changed and that git does not ignore; an empty hash for a removed one. */
  prepared: z.array(z.object({ path: z.string(), hash: z.string() })),
  /** Ignored files outside ignored folders that were there when it was ready. */
  ignored: z.array(z.string()),
  /** The project's branch before and after the merge. */
  merging: z.object({ from: z.string(), to: z.string() }).optional(),
  /** How it ends, if its session was asked to end it in this way. */
  end: z.enum(worktreeEnds).optional(),
  /** The commit of the branch that is removed with it; absent if the branch stays. */
  removes: z.string().optional(),
});

export type WorktreeRecord = z.output<typeof recordSchema>;

export const worktreesFolder = (dataFolder: string): string => join(dataFolder, 'worktrees');

/** The folder of the worktrees of a repository. */
export function repositoryFolder(dataFolder: string, commonFolder: string): string {
  const owner = basename(commonFolder) === '.git' ? dirname(commonFolder) : commonFolder;
  const name = basename(owner)
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 40);
  const hash = sha256().update(commonFolder).digest('hex').slice(0, 12);
  return join(worktreesFolder(dataFolder), `${name || 'repository'}-${hash}`);
}

type Slot = Pick<WorktreeRecord, 'folder' | 'slot'>;

const slotOf = ({ folder, slot }: Slot): string => slot ?? folder;

export const recordPath = (record: Slot): string => `${slotOf(record)}.json`;

/** Held while the record changes hands or is repaired. */
export const lockPath = (record: Slot): string => `${slotOf(record)}.lock`;

/** Whether there are any. Costs one look at the disk. */
export const hasWorktrees = (dataFolder: string): boolean => existsSync(worktreesFolder(dataFolder));

/** Creates the record; false if there is one of this name. */
export async function claimRecord(record: WorktreeRecord): Promise<boolean> {
  const path = recordPath(record);
  mkdirPrivate(dirname(path));
  const draft = `${path}.${randomHex(6)}.tmp`;
  try {
    await writeFile(draft, textOf(record), { flag: 'wx', mode: 0o600 });
    linkSync(draft, path); // appears whole, or not at all
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  // The file system has no hard links.
  try {
    await writeFile(path, textOf(record), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

const textOf = (record: WorktreeRecord): string => `${JSON.stringify(record, null, 2)}\n`;

export async function saveRecord(record: WorktreeRecord): Promise<void> {
  await writePrivateFile(recordPath(record), textOf(record));
}

export async function dropRecord(record: WorktreeRecord): Promise<void> {
  await rm(recordPath(record), { force: true });
}

/** Undefined if there is none, or if it can't be relied on. */
export function readRecord(path: string): WorktreeRecord | undefined {
  try {
    const record = recordSchema.parse(JSON.parse(readPrivateFile(path) ?? ''));
    return recordPath(record) === path ? record : undefined; // moved by hand: its paths lead elsewhere
  } catch {
    return undefined;
  }
}

export interface FoundRecords {
  records: WorktreeRecord[];
  /** Files that should be records and can't be read, and folders without a record. */
  strays: string[];
}

/** All worktrees of this machine's data folder, or those of one repository. */
export function findRecords(dataFolder: string, commonFolder?: string): FoundRecords {
  const folders =
    commonFolder === undefined
      ? namesIn(worktreesFolder(dataFolder)).map((name) => join(worktreesFolder(dataFolder), name))
      : [repositoryFolder(dataFolder, commonFolder)];
  const found: FoundRecords = { records: [], strays: [] };
  for (const folder of folders) {
    const names = namesIn(folder);
    for (const name of names) {
      const path = join(folder, name);
      if (name.endsWith('.lock') || name.endsWith('.tmp') || name.includes('.lock.')) continue;
      if (!name.endsWith('.json')) {
        if (!names.includes(`${name}.json`)) found.strays.push(path);
        continue;
      }
      const record = readRecord(path);
      if (record) found.records.push(record);
      else if (existsSync(path)) found.strays.push(path);
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Whether another process, or this one, uses it now. */
export async function isUsed(record: WorktreeRecord): Promise<boolean> {
  const { owner } = record;
  if (!owner) return false;
  const leftAt = statSync(recordPath(record), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return await isRunning(owner, leftAt, await thisProcess());
}

/** Makes this process the user of a worktree; undefined if another process uses it, or if it is gone. */
export async function takeRecord({
  end,
  ...wanted
}: Slot & Pick<WorktreeRecord, 'end'>): Promise<WorktreeRecord | undefined> {
  return await withLock(lockPath(wanted), async () => {
    const record = readRecord(recordPath(wanted));
    if (!record || (await isUsed(record))) return undefined;
    const taken = { ...record, owner: await thisProcess(), ...(end && { end }) };
    await saveRecord(taken);
    return taken;
  });
}

/** Whether there is a record of a worktree with this name, for any repository. */
export const hasWorktree = (dataFolder: string, name: string): boolean =>
  namesIn(worktreesFolder(dataFolder)).some((folder) =>
    existsSync(join(worktreesFolder(dataFolder), folder, `${name}.json`)),
  );

/**
 * Runs work of git that another must not see half done: `git worktree add` fails if it reads the entry of a worktree that is
 * being made.
 */
export async function exclusively<T>(record: Slot, work: () => Promise<T>): Promise<T> {
  return await withLock(join(dirname(slotOf(record)), '.git-at-work.lock'), work, { waitMs: GIT_WAIT_MS });
}
