import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { type JournalFolders, writeNew } from './journal.js';
import { planPath } from './lock.js';

const changePlan = z.object({
  files: z.array(
    z.object({
      /** Of the file that is there; null where there is none. */
      owner: z.object({ mode: z.number(), uid: z.number(), gid: z.number() }).nullable(),
      /** Whether it is written into, because it has other names. */
      inPlace: z.boolean(),
      /** Folders that are made for it, from the outermost. */
      folders: z.array(z.string()),
    }),
  ),
});

/** What it takes to take a change back that is more than one rename. Its being there says that all locks are held. */
export type ChangePlan = z.output<typeof changePlan>;

export async function writePlan(folders: JournalFolders, token: string, plan: ChangePlan): Promise<void> {
  await writeNew(planPath(folders, token), JSON.stringify(plan));
}

/** Undefined where there is none, or not a whole one: then nothing was changed yet. */
export async function readPlan(folders: JournalFolders, token: string): Promise<ChangePlan | undefined> {
  try {
    return changePlan.parse(JSON.parse(await readFile(planPath(folders, token), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Where a file's new content waits, beside it: told by the change's token, so that it is found after a crash. */
export const temporaryName = (token: string, index: number): string => `.helve-${token}-${index}.tmp`;

/** Whether the name is one that Helve gives to files it is about to rename, here or in `atomic-write.ts`. */
export const isOwnTemporary = (path: string): boolean =>
  path.endsWith('.tmp') && /(^|\/)\.helve-[0-9a-f]{18,24}(-\d+)?\.tmp$/.test(path);
