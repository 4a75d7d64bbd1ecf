// Step 5 of the path, the scheduling rule of the gate: whether two calls conflict, derived from their effects alone.
import type { Effect, FileEffect } from '../contract/effect.js';
import { isInside } from '../platform/files/paths.js';

/** Whether two calls must not overlap: one writes what the other touches, or one could touch anything. */
export function conflict(a: readonly Effect[], b: readonly Effect[]): boolean {
  if (a.length === 0 || b.length === 0) return false; // touches nothing
  if (a.some(couldTouchAnything) || b.some(couldTouchAnything)) return true;
  return a.some((one) => b.some((other) => collide(one, other)));
}

const couldTouchAnything = (effect: Effect): boolean =>
  (effect.kind === 'unknown' && !effect.readOnlyHint) || (effect.kind === 'command' && !effect.harmless);

function collide(a: Effect, b: Effect): boolean {
  // It could read anything, so it conflicts with writes and may overlap with reads.
  if (a.kind === 'unknown' || b.kind === 'unknown') return isWrite(a) || isWrite(b);
  if (a.kind === 'file' && b.kind === 'file') return writes(a, b) && sharePlace(a, b);
  if (a.kind === 'session' && b.kind === 'session') return writes(a, b) && a.what === b.what;
  return false;
}

const isWrite = (effect: Effect): boolean =>
  (effect.kind === 'file' || effect.kind === 'session') && effect.access === 'write';

const writes = (a: { access: 'read' | 'write' }, b: { access: 'read' | 'write' }): boolean =>
  a.access === 'write' || b.access === 'write';

function sharePlace(a: FileEffect, b: FileEffect): boolean {
  if (a.identity !== undefined && a.identity === b.identity) return true;
  if (isInside(a.real, b.real)) return a.tree === true || isInside(b.real, a.real);
  return b.tree === true && isInside(b.real, a.real);
}

/** Whether two lists of effects mean the same, in the same order. */
export const sameEffects = (a: readonly Effect[], b: readonly Effect[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
