// The paths that a command's effects name for writing.
import * as z from 'zod';
import { isInside } from '../files/paths.js';
import { globMatcher } from '../text/glob-matcher.js';

export const declaredPath = z.object({
  /** The real path. */
  real: z.string(),
  /** Whether everything below it is included. */
  tree: z.boolean(),
  /** An absolute glob: only matching paths and the paths below them are included. */
  pattern: z.string().optional(),
});

export const declaredWrites = z.object({
  paths: z.array(declaredPath),
  /** Whether the command is proven to write nothing else. */
  isExact: z.boolean(),
});

export type DeclaredPath = z.output<typeof declaredPath>;
export type DeclaredWrites = z.output<typeof declaredWrites>;

/** A command about which nothing is known: it may write anything. */
export const anyWrites: DeclaredWrites = { paths: [], isExact: false };

/**
 * Whether the path is named. With `isFolder`, also folders above a named path count, since they are created or removed
 * with it.
 */
export function namesPath({ paths }: DeclaredWrites, path: string, { isFolder = false } = {}): boolean {
  return paths.some((declared) => isNamed(declared, path) || (isFolder && isInside(path, declared.real)));
}

function isNamed({ real, tree, pattern }: DeclaredPath, path: string): boolean {
  if (path === real) return pattern === undefined;
  if (!tree || !isInside(real, path)) return false;
  return pattern === undefined || matchesAtOrAbove(pattern, path);
}

/** A glob has a fixed number of segments, so only one of the path's ancestors can match. */
function matchesAtOrAbove(pattern: string, path: string): boolean {
  const depth = segmentsOf(pattern).length;
  const segments = segmentsOf(path);
  return segments.length >= depth && globMatcher([pattern])(segments.slice(0, depth).join('/'));
}

export const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');
