import { relative } from 'node:path';
import { isInside } from '../../platform/files/paths.js';

export interface Places {
  /** The project, as written and resolved. */
  project: readonly string[];
  /** The home folder, as written and resolved. */
  home?: readonly string[] | undefined;
}

/** A path as people write it: relative to the project, below `~`, or absolute. */
export function placeWords(path: string, { project, home = [] }: Places): string {
  const root = project.find((folder) => isInside(folder, path));
  if (root !== undefined) return relative(root, path) || 'the project folder';
  const own = home.find((folder) => folder !== '/' && isInside(folder, path));
  if (own === undefined) return path;
  return relative(own, path) === '' ? 'your home folder' : `~/${relative(own, path)}`;
}
