// The paths that a call may write, derived from its effects.
import { basename, dirname, join } from 'node:path';
import type { Effect } from '../../contract/effect.js';
import { isInside, realPathSync } from '../files/paths.js';
import type { DeclaredPath, DeclaredWrites } from './declared-writes.js';

/** A call without declared effects may touch anything. */
export const mayChangeFiles = (approved: readonly Effect[] | undefined): boolean =>
  approved === undefined ||
  approved.some(
    (effect) => effect.kind === 'unknown' || (effect.kind === 'command' && !effect.harmless) || writesFile(effect),
  );

/** Output to a device such as /dev/null leaves nothing on disk. */
const writesFile = (effect: Effect): boolean =>
  effect.kind === 'file' && effect.access === 'write' && !effect.real.startsWith('/dev/');

/** The files that the call writes, if they are known: everything in it is harmless except for its redirections. */
export function writtenFiles(approved: readonly Effect[] | undefined): string[] | undefined {
  const paths = new Set<string>();
  for (const effect of approved ?? []) {
    if (effect.kind === 'unknown' || (effect.kind === 'command' && !effect.harmless)) return undefined;
    if (effect.kind !== 'file' || !writesFile(effect)) continue;
    if (effect.by?.as !== 'redirection' || effect.tree || effect.path !== effect.real) return undefined;
    paths.add(effect.real);
  }
  return approved && [...paths];
}

/**
 * The paths in the workspace that the call's effects declare as written. The workspace root itself is not included:
 * `git checkout` may write anything below it, and so may other writers at the same time.
 */
export function declaredWritesOf(approved: readonly Effect[] | undefined, roots: readonly string[]): DeclaredWrites {
  const paths: DeclaredPath[] = [];
  for (const effect of approved ?? []) {
    if (effect.kind !== 'file' || !writesFile(effect) || effect.unresolved !== undefined) continue;
    const { path, real, tree = false, pattern } = effect;
    const inPattern = pattern === undefined ? {} : { pattern: `${real}${pattern.slice(path.length)}` };
    // A write goes through a symlink; a removal affects the link itself.
    const names = pattern === undefined ? new Set([real, ownNameOf(path)]) : [real];
    for (const name of names) {
      const isInWorkspace = roots.some((root) => isInside(root, name));
      const isWhole = pattern === undefined && roots.some((root) => isInside(name, root));
      if (isInWorkspace && !isWhole) paths.push({ real: name, tree, ...inPattern });
    }
  }
  return { paths, isExact: writtenFiles(approved) !== undefined };
}

function ownNameOf(path: string): string {
  try {
    return join(realPathSync(dirname(path)), basename(path));
  } catch {
    return path; // a symlink loop
  }
}
