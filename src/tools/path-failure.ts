import type { ToolContext } from '../contract/tool-context.js';
import { elidedPath, realPath, shortPath } from '../platform/files/paths.js';
import { refusal } from './refusal.js';

/** The real path; throws a helpful refusal for a path that can't be resolved. */
export async function realTarget(absolute: string, { cwd }: Pick<ToolContext, 'cwd'>): Promise<string> {
  try {
    return await realPath(absolute);
  } catch (error) {
    throw pathFailure(error, absolute, cwd);
  }
}

/** The refusal for a path that can't be resolved; any other error is returned unchanged. */
export function pathFailure(error: unknown, absolute: string, cwd: string): unknown {
  const reason = reasons[errorCode(error) ?? '']?.(absolute);
  if (reason === undefined) return error;
  const { why, advice } = reason;
  return refusal(`${elidedPath(shortPath(cwd, absolute))} can't be reached: ${why}.`, { advice, cause: error });
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

interface Reason {
  why: string;
  advice: string;
}

const noPermission = (): Reason => ({
  why: 'permission to look into a folder on the way is missing',
  advice: 'Ask the user about it, or use another path.',
});

const reasons: Readonly<Record<string, (absolute: string) => Reason>> = {
  ELOOP: () => ({
    why: 'its symlinks lead in a circle, or there are too many of them',
    advice: 'Look where they lead (ls -l in Bash), then use the path of the real file.',
  }),
  ENAMETOOLONG: (absolute) => {
    const longest = absolute.split('/').reduce((most, name) => Math.max(most, Buffer.byteLength(name)), 0);
    return {
      why: `the path or a name in it is too long for the system (${Buffer.byteLength(absolute)} bytes, the longest name ${longest}; the usual limits are 4096 and 255)`,
      advice: 'Use a shorter one.',
    };
  },
  EACCES: noPermission,
  EPERM: noPermission,
};
