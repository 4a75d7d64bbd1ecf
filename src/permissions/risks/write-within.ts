import type { Effect } from '../../contract/effect.js';
import { pathBelow } from '../../platform/text/path-below.js';

/**
 * Whether a write is part of another one of the same command: of `mv a ../b`, `../b/a` is what is written if `../b` is a
 * folder, and to name both would look like two files.
 */
export function isWriteWithin(inner: Effect, outer: Effect): boolean {
  if (inner.kind !== 'file' || outer.kind !== 'file' || inner === outer) return false;
  if (inner.access !== 'write' || outer.access !== 'write' || inner.removes || outer.removes) return false;
  if (!outer.tree || outer.pattern !== undefined || inner.by?.command !== outer.by?.command) return false;
  if (inner.path === outer.path) return false;
  return pathBelow(outer.path, inner.path) !== undefined && pathBelow(outer.real, inner.real) !== undefined;
}
