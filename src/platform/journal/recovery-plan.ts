import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { type JournalFolders, writeNew } from './journal.js';
import { planPath } from './lock.js';

const changePlan = z.object({
  files: z.array(
    z.object({
      /** Of the existing file; null if there is none. */
      owner: z.object({ mode: z.number(), uid: z.number(), gid: z.number() }).nullable(),
      /** Whether the file is written in place, because it has other hard links. */
      inPlace: z.boolean(),
      /** Folders that are created for it, outermost first. */
      folders: z.array(z.string()),
    }),
  ),
});

/** The data for rolling back a change that is more than one rename. It exists only while all locks are held. */
export type ChangePlan = z.output<typeof changePlan>;

export async function writePlan(folders: JournalFolders, token: string, plan: ChangePlan): Promise<void> {
  await writeNew(planPath(folders, token), JSON.stringify(plan));
}

/** Undefined if there is none, or it is truncated: then nothing was changed yet. */
export async function readPlan(folders: JournalFolders, token: string): Promise<ChangePlan | undefined> {
  try {
    return changePlan.parse(JSON.parse(await readFile(planPath(folders, token), 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * The temporary file with the new content, in the same folder: derived from the change's token, so that it is found
 * after a crash.
 */
export const temporaryName = (token: string, index: number): string => `.helve-${token}-${index}.tmp`;

/** Whether Helve gives such names to files that it is about to rename, here or in `atomic-write.ts`. */
export const isOwnTemporary = (path: string): boolean =>
  path.endsWith('.tmp') && /(^|\/)\.helve-[0-9a-f]{18,24}(-\d+)?\.tmp$/.test(path);
