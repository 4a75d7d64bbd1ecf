import type { Effect } from '../../contract/effect.js';
import { isInside } from '../../platform/files/paths.js';

/**
 * Whether a write is part of another one of the same command: of `mv a ../b`, `../b/a` is what is written if `../b` is a
 * folder, and to name both would look like two files.
 */
export function isWriteWithin(inner: Effect, outer: Effect): boolean {
  if (inner.kind !== 'file' || outer.kind !== 'file' || inner === outer) return false;
  if (inner.access !== 'write' || outer.access !== 'write' || inner.removes || outer.removes) return false;
  if (!outer.tree || outer.pattern !== undefined || inner.by?.command !== outer.by?.command) return false;
  return inner.path !== outer.path && isInside(outer.path, inner.path) && isInside(outer.real, inner.real);
}
