import { writeFileSync } from 'node:fs';
import { readFile, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { randomHex } from '../crypto.js';
import { mkdirPrivate } from '../files/mkdir-private.js';
import { makeSpareFolder } from '../files/spare-folder.js';
import { isRunning, isStale, type ProcessIdentity, thisProcess } from '../journal/process-identity.js';
import { ownRecords } from '../own-records.js';
import { parseJson } from '../parse-json.js';
import { isSpareRunningFolder, recordsOfOthers, runningFolder, spareRunningFolder } from './leftovers.js';
import { removeLimitGroups } from './limits.js';
import { endMarked, MARK_VARIABLE } from './process-tree.js';

const MAX_FOREIGN_AGE_MS = 30 * 24 * 60 * 60_000; // for a record of another machine, whose processes can't be checked here

/** The data that is needed to clean up after a killed Helve. */
export interface ShellRecord {
  /** The mark of its shells' processes. */
  mark: string;
  /** The temporary folder of its shells. */
  folder: string;
  /** The folders in which it may have created cgroups. */
  limitFolders: readonly string[];
}

export interface Registration {
  remove(): Promise<void>;
}

/** Registers that this process has shells, for as long as it has. Synchronous, since the first command waits for it. */
export async function registerShells(dataFolder: string, record: ShellRecord): Promise<Registration> {
  const owner = await thisProcess();
  const registerIn = (folder: string): Registration => {
    const file = join(folder, `${randomHex(8)}.json`);
    writeFileSync(file, JSON.stringify({ owner, ...record }), { mode: 0o600, flag: 'wx' });
    ownRecords().add(file);
    return { remove: () => removeRecord(file) };
  };
  try {
    mkdirPrivate(runningFolder(dataFolder));
    return registerIn(runningFolder(dataFolder));
  } catch {
    const spare = spareRunningFolder(makeSpareFolder(dataFolder));
    mkdirPrivate(spare);
    return registerIn(spare);
  }
}

async function removeRecord(file: string): Promise<void> {
  await rm(file, { force: true });
  ownRecords().delete(file);
  const folder = dirname(file);
  if (!isSpareRunningFolder(folder)) return;
  for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => {}); // others may use it
}

/**
 * Ends the processes that a killed Helve has left, and removes its temporary files. Any number of processes may run
 * this at once, and data of live processes is not touched. Without work to do it costs one directory lookup. Returns
 * how many Helves it cleaned up after.
 */
export async function reapLeftovers(dataFolder: string, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const files = recordsOfOthers(dataFolder);
  if (files.length === 0) return 0;
  const ours = await thisProcess();
  const reaped = await Promise.all(files.map((file) => reap(file, ours, env).catch(() => false)));
  return reaped.filter(Boolean).length;
}

/**
 * The mark determines which processes are ended and the folder what is removed, so only records that we would have
 * written are accepted.
 */
const recordSchema = z.object({
  owner: z.object({ pid: z.number(), started: z.number(), boot: z.string(), space: z.string(), host: z.string() }),
  mark: z.string().regex(/^[0-9a-f]{16}$/),
  folder: z.string().refine((path) => /^helve-\w{6}$/.test(basename(path))),
  limitFolders: z.array(z.string()),
});

async function reap(file: string, ours: ProcessIdentity, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { mtimeMs: leftAt } = await stat(file);
  const record = recordSchema.safeParse(parseJson(await readFile(file, 'utf8'))).data;
  if (!record) {
    if (isStale(leftAt)) await removeRecord(file); // otherwise it may be about to be written
    return false;
  }
  const { owner, mark, folder, limitFolders } = record;
  if (owner.host !== ours.host || owner.space !== ours.space) {
    if (Date.now() - leftAt > MAX_FOREIGN_AGE_MS) await removeRecord(file);
    return false;
  }
  if (await isRunning(owner, leftAt, ours)) return false;
  if (isOurOwn(mark, env)) return false;
  if (!(await endMarked(mark))) return false;
  removeLimitGroups(mark, limitFolders);
  await rm(folder, { recursive: true, force: true });
  await removeRecord(file);
  return true;
}

/** Whether this process was itself started by a shell with that mark: it must not end its own ancestors. */
const isOurOwn = (mark: string, env: NodeJS.ProcessEnv): boolean =>
  (env[MARK_VARIABLE] ?? '').split(':').some((one) => one.startsWith(`${mark}.`));
