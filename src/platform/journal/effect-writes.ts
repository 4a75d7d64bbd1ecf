// What a call may write, by its effects.
import { basename, dirname, join } from 'node:path';
import type { Effect } from '../../contract/effect.js';
import { isInside, realPathSync } from '../files/paths.js';
import type { DeclaredPath, DeclaredWrites } from './declared-writes.js';

/** Without a word about what it may touch, it may touch anything. */
export const mayChangeFiles = (approved: readonly Effect[] | undefined): boolean =>
  approved === undefined ||
  approved.some(
    (effect) => effect.kind === 'unknown' || (effect.kind === 'command' && !effect.harmless) || writesFile(effect),
  );

/** Nothing is kept in a device such as /dev/null. */
const writesFile = (effect: Effect): boolean =>
  effect.kind === 'file' && effect.access === 'write' && !effect.real.startsWith('/dev/');

/** The files that the call writes, where they are known: all that is not harmless in it is where output goes. */
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
 * What the call's effects name for writing in the workspace. The whole workspace is not a name: `git checkout` may write
 * anything there, and so may others at the same time.
 */
export function declaredWritesOf(approved: readonly Effect[] | undefined, roots: readonly string[]): DeclaredWrites {
  const paths: DeclaredPath[] = [];
  for (const effect of approved ?? []) {
    if (effect.kind !== 'file' || !writesFile(effect) || effect.unresolved !== undefined) continue;
    const { path, real, tree = false, pattern } = effect;
    const inPattern = pattern === undefined ? {} : { pattern: `${real}${pattern.slice(path.length)}` };
    // A link is written through, and removed by its own name.
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
    return path; // links that lead in a circle
  }
}
