import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileEffect } from '../contract/effect.js';
import type { ToolFailure } from '../contract/failure.js';
import type { ToolContext } from '../contract/tool-context.js';
import { NotARegularFile, type OpenedFile, openForReading } from '../platform/files/open-file.js';
import { elidedPath, isInside, isMissing, resolveIn, shortPath } from '../platform/files/paths.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { errorCode, pathFailure, realTarget } from './path-failure.js';
import { refusal } from './refusal.js';

/** The file that a call names. */
export interface TargetFile {
  path: string;
  real: string;
  /**
   * For messages: relative to the working directory if it is below it, with the target of a symlink, and shortened if
   * very long.
   */
  shown: string;
}

export async function locate(path: string, { cwd }: Pick<ToolContext, 'cwd'>): Promise<TargetFile> {
  const absolute = resolveIn(cwd, path);
  const real = await realTarget(absolute, { cwd });
  const isLink = real !== absolute && real !== join(await realTarget(dirname(absolute), { cwd }), basename(absolute));
  const shown = elidedPath(shortPath(cwd, absolute));
  return { path: absolute, real, shown: isLink ? `${shown} (a link to ${elidedPath(shortPath(cwd, real))})` : shown };
}

/**
 * Refuses a file that was not approved for the call. A symlink on the way may resolve elsewhere now, and that path was
 * not approved.
 */
export function assertApproved(
  { path, real }: Pick<TargetFile, 'path' | 'real'>,
  access: FileEffect['access'],
  { approved, cwd }: Pick<ToolContext, 'approved' | 'cwd'>,
): void {
  if (!approved) return; // not decided yet: the call is still being checked
  const isCovered = approved.some(
    (effect) =>
      effect.kind === 'file' &&
      effect.access === access &&
      (effect.real === real || (effect.tree === true && isInside(effect.real, real))),
  );
  if (isCovered) return;
  const shown = elidedPath(shortPath(cwd, path));
  throw refusal(
    `${shown} now leads elsewhere (to ${elidedPath(real)}) than when ${access === 'read' ? 'reading' : 'writing'} it was approved, so it was left alone. Nothing was written.`,
    { advice: 'Look where it leads (ls -l in Bash), then send the call again.' },
  );
}

/**
 * Opens the file for reading; throws a helpful refusal if it can't be opened or was not approved. The caller closes the
 * handle.
 */
export async function openTarget(
  target: TargetFile,
  context: Pick<ToolContext, 'cwd' | 'approved'>,
): Promise<{ handle: OpenedFile; stats: Stats }> {
  assertApproved(target, 'read', context);
  const { cwd } = context;
  try {
    return await openForReading(target.real);
  } catch (error) {
    if (error instanceof NotARegularFile) {
      const advice =
        error.what === 'a directory' ? 'Use LS to see what is in it.' : 'Only regular files can be opened.';
      throw refusal(`${target.shown} is ${error.what}, not a file.`, { advice, cause: error });
    }
    if (isMissing(error)) throw await missing(target, cwd, error);
    const code = errorCode(error);
    if (code === 'EACCES' || code === 'EPERM') {
      throw refusal(`${target.shown} can't be opened: permission to read it is missing.`, {
        advice: 'Ask the user about it.',
        cause: error,
      });
    }
    throw pathFailure(error, target.path, cwd);
  }
}

async function missing({ real, shown, path }: TargetFile, cwd: string, cause: unknown): Promise<ToolFailure> {
  const names = await readdir(dirname(real)).catch(() => []); // the folder may be missing too
  const [similar] = nearestWords(basename(real), names);
  const advice = similar
    ? `Did you mean ${elidedPath(shortPath(cwd, join(dirname(path), similar)))}?`
    : 'Check the path, or find the file with Glob.';
  return refusal(`${shown} does not exist (the working directory is ${cwd}).`, {
    advice,
    problem: `${shown} does not exist.`,
    cause,
  });
}
