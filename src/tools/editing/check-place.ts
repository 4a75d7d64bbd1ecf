import { constants, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ToolContext } from '../../contract/tool-context.js';
import { elidedPath, isMissing, shortPath } from '../../platform/files/paths.js';
import { clause } from '../../platform/text/clause.js';
import { errorCode, pathFailure } from '../path-failure.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { refuseUnsaved } from '../unsaved-text.js';

/** A new file needs a folder that exists or can be created, and no unsaved text in an editor. Checked before the user is asked or a folder is created. */
export async function checkPlace(
  target: TargetFile,
  context: Pick<ToolContext, 'cwd' | 'session' | 'signal'>,
): Promise<void> {
  const { real, path, shown } = target;
  const { cwd } = context;
  const existing = async (place: string): Promise<Stats | undefined> => {
    try {
      return await stat(place);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw pathFailure(error, path, cwd);
    }
  };
  let folder = dirname(real);
  const names = [basename(real)];
  let stats = await existing(folder);
  while (!stats && folder !== dirname(folder)) {
    names.push(basename(folder));
    folder = dirname(folder);
    stats = await existing(folder);
  }
  const shownFolder = elidedPath(shortPath(cwd, folder));
  if (stats && !stats.isDirectory()) {
    throw refusal(`${shown} can't be written: ${shownFolder} is a file, not a folder.`, {
      advice: 'Choose another path, or move that file away first.',
    });
  }
  // Below a missing folder the system does not check names, so they are tried in the existing one.
  for (const name of names) {
    await stat(join(folder, name)).catch((error: unknown) => {
      if (errorCode(error) === 'ENAMETOOLONG') throw pathFailure(error, path, cwd);
    });
  }
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    const why =
      errorCode(error) === 'EROFS' ? 'is on a read-only file system' : 'may not be written: permission is missing';
    throw refusal(`${shown} can't be written: ${shownFolder} ${clause(why)}.`, {
      advice: 'Ask the user to change it, or choose another path.',
      cause: error,
    });
  });
  await refuseUnsaved(target, context);
}
