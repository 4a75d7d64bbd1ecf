// Paths that a plugin names: relative to its folder, and never out of it.
import { join, posix } from 'node:path';
import { isInside, realPathSync } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import { exists } from './manifest.js';

/** The path in the plugin, or a clause that says why it can't be used. */
export function pathInPlugin(root: string, written: unknown): { path: string; below: string } | { problem: string } {
  if (typeof written !== 'string' || written === '') return { problem: 'it is not a path' };
  const shown = visible(written).slice(0, 200);
  if (/[\p{Cc}\\]/u.test(written)) return { problem: `"${shown}" has a control character or a backslash` };
  if (/^(?:[/~]|[A-Za-z]:)/.test(written)) return { problem: `"${shown}" is not relative to the plugin` };
  const below = posix.normalize(written).replace(/\/$/, '');
  if (below === '..' || below.startsWith('../')) return { problem: `"${shown}" is outside of the plugin` };
  const path = join(root, below);
  if (!exists(path)) return { problem: `there is no "${shown}" in the plugin` };
  if (!isInside(realPathSync(root), realPathSync(path))) return { problem: `"${shown}" is outside of the plugin` };
  return { path, below: below === '.' ? '' : below };
}
