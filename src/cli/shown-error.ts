import { UserFacingError } from '../contract/user-facing-error.js';
import { isOutOfDescriptors, OUT_OF_DESCRIPTORS } from '../platform/descriptors.js';
import { dataFolderOf, folderNames, isInside } from '../platform/files/paths.js';
import { clause } from '../platform/text/clause.js';
import { visible } from '../platform/text/visible.js';

/** What is printed when a command fails: the sentence of an error for people, or that this one is unexpected. */
export async function shownError(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if ('syscall' in error && error.syscall === 'uv_cwd') {
    return 'The working directory no longer exists. Change to another one and try again.';
  }
  if (isOutOfDescriptors(error)) return `Helve can't continue because ${OUT_OF_DESCRIPTORS}.`;
  if (error instanceof UserFacingError) return visible(error.message);
  if ('path' in error && typeof error.path === 'string') {
    const { path } = error;
    const folder = dataFolderOf();
    const { dataFolderProblem } = await import('./data-folder-problem.js');
    const problem = folderNames(folder).some((name) => isInside(name, path)) && dataFolderProblem(error, folder);
    if (problem) return visible(`${problem} Nothing was changed.`);
  }
  if (process.env['HELVE_DEBUG']) return error.stack ?? error.message;
  return `Unexpected error: ${clause(error.message)}. Run again with HELVE_DEBUG=1 to see where.`;
}
