import { writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { randomHex } from '../crypto.js';
import { mkdirPrivate } from '../files/mkdir-private.js';
import { isRunning, isStale, type ProcessIdentity, thisProcess } from '../journal/process-identity.js';
import { runningFolder } from './leftovers.js';
import { removeLimitGroups } from './limits.js';
import { endMarked, MARK_VARIABLE } from './process-tree.js';

const MAX_FOREIGN_AGE_MS = 30 * 24 * 60 * 60_000; // of another machine's record, about which nothing can be found out here

/** What has to be known to clean up after a Helve that was killed. */
export interface ShellRecord {
  /** What the processes of its shells are known by. */
  mark: string;
  /** The temporary folder of its shells. */
  folder: string;
  /** Where it may have made control groups. */
  limitFolders: readonly string[];
}

export interface Registration {
  remove(): Promise<void>;
}

/** Writes down that this process has shells, for as long as it has. At once, since the first command waits for it. */
export async function registerShells(dataFolder: string, record: ShellRecord): Promise<Registration> {
  const owner = await thisProcess();
  mkdirPrivate(runningFolder(dataFolder));
  const file = join(runningFolder(dataFolder), `${randomHex(8)}.json`);
  writeFileSync(file, JSON.stringify({ owner, ...record }), { mode: 0o600, flag: 'wx' });
  return { remove: () => rm(file, { force: true }) };
}

/**
 * Ends the processes that a killed Helve has left, and removes its temporary files. Any number of processes may do this at
 * once, and nothing of one that lives is touched. Where there is nothing to do it costs one look at a folder.
 * Returns how many Helves it cleaned up after.
 */
export async function reapLeftovers(dataFolder: string, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const names = await readdir(runningFolder(dataFolder)).catch(() => []);
  if (names.length === 0) return 0;
  const ours = await thisProcess();
  const files = names.map((name) => join(runningFolder(dataFolder), name));
  const reaped = await Promise.all(files.map((file) => reap(file, ours, env).catch(() => false)));
  return reaped.filter(Boolean).length;
}

/** The mark decides what is ended and the folder what is removed, so nothing counts that we would not have written. */
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
    if (isStale(leftAt)) await rm(file, { force: true }); // else it may be about to be written
    return false;
  }
  const { owner, mark, folder, limitFolders } = record;
  if (owner.host !== ours.host || owner.space !== ours.space) {
    if (Date.now() - leftAt > MAX_FOREIGN_AGE_MS) await rm(file, { force: true });
    return false;
  }
  if (await isRunning(owner, leftAt, ours)) return false;
  if (isOurOwn(mark, env)) return false;
  if (!(await endMarked(mark))) return false;
  removeLimitGroups(mark, limitFolders);
  await rm(folder, { recursive: true, force: true });
  await rm(file, { force: true });
  return true;
}

/** Whether this process was itself started by a shell with that mark: it must not pull the ground from under its feet. */
const isOurOwn = (mark: string, env: NodeJS.ProcessEnv): boolean =>
  (env[MARK_VARIABLE] ?? '').split(':').some((one) => one.startsWith(`${mark}.`));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
