import { chmod, chown, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/failure.js';
import { makeFolder, writeFileAtomically } from '../../platform/files/atomic-write.js';
import { fileIdentity } from '../../platform/files/paths.js';
import type { TargetFile } from '../target-file.js';
import { removeFile } from './remove-file.js';

/** One change that happens whole or not at all, and the way back. */
export interface Step {
  /** What it changes, as messages call it. */
  shown: string;
  take(): Promise<void>;
  takeBack(): Promise<void>;
}

/** Takes all steps, or none: when one fails, those before it are taken back, and what could not be is named. */
export async function changeTogether(steps: readonly Step[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    try {
      await step.take();
    } catch (error) {
      const left = await takeBack(steps.slice(0, index));
      throw new ToolFailure(`${sentence(messageOf(error))} ${outcome(left)}`, { cause: error });
    }
  }
}

async function takeBack(taken: readonly Step[]): Promise<string[]> {
  const left: string[] = [];
  for (const step of taken.toReversed()) {
    await step.takeBack().catch((error: unknown) => left.push(`${step.shown} (${messageOf(error)})`));
  }
  return left;
}

const outcome = (left: readonly string[]): string =>
  left.length === 0
    ? 'What the patch had changed before was put back, so all files are as they were.'
    : `What the patch had changed before was put back, but for ${left.join(', ')}. Look at what is there now before you go on.`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Puts the bytes in the place of others. */
export function replacing({ real, shown }: TargetFile, bytes: Uint8Array, before: Uint8Array): Step {
  return {
    shown,
    take: () => writeFileAtomically(real, bytes),
    takeBack: () => writeFileAtomically(real, before),
  };
}

/** Makes a file where there is none, and the folders that are missing. A `model` gives it its owner and mode. */
export async function creating(target: TargetFile, bytes: Uint8Array, model?: TargetFile): Promise<Step[]> {
  const { real, shown } = target;
  const folders: Step[] = (await missingFolders(dirname(real))).map((folder) => ({
    shown: folder,
    take: () => makeFolder(folder),
    takeBack: () => rmdir(folder).catch(() => {}), // somebody else may have put something in it by now
  }));
  const file: Step = { shown, take: () => writeFileAtomically(real, bytes), takeBack: () => removeFile(real) };
  if (!model) return [...folders, file];
  const owner = await ownerAndMode(model);
  return [...folders, file, { shown, take: () => owner.giveTo(real), takeBack: async () => {} }];
}

/** Removes a file; `bytes` is what it holds. */
export async function removing(target: TargetFile, bytes: Uint8Array): Promise<Step> {
  const { real, shown } = target;
  const owner = await ownerAndMode(target);
  return {
    shown,
    take: () => removeFile(real),
    async takeBack() {
      await writeFileAtomically(real, bytes);
      await owner.giveTo(real);
    },
  };
}

/** From the outermost. */
async function missingFolders(folder: string): Promise<string[]> {
  if ((await fileIdentity(folder)) !== undefined || folder === dirname(folder)) return [];
  return [...(await missingFolders(dirname(folder))), folder];
}

async function ownerAndMode({ real }: TargetFile): Promise<{ giveTo(path: string): Promise<void> }> {
  const { uid, gid, mode } = await stat(real);
  return {
    async giveTo(path) {
      await chown(path, uid, gid).catch(() => {}); // only root may give files away; the content matters more
      await chmod(path, mode & 0o7777); // after chown, which clears the set-user-id bit
    },
  };
}
