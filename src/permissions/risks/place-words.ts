import { pathBelow } from '../../platform/text/path-below.js';

export interface Places {
  /** The project, as written and resolved. */
  project: readonly string[];
  /** The home folder, as written and resolved. */
  home?: readonly string[] | undefined;
}

/** A path as people write it: relative to the project, below `~`, or absolute. Both must be absolute and normalized. */
export function placeWords(path: string, { project, home = [] }: Places): string {
  const inProject = firstBelow(path, project);
  if (inProject !== undefined) return inProject || 'the project folder';
  const own = firstBelow(
    path,
    home.filter((folder) => folder !== '/'),
  );
  if (own === undefined) return path;
  return own === '' ? 'your home folder' : `~/${own}`;
}

/** The rest of the path below the first of the folders that has it. */
const firstBelow = (path: string, folders: readonly string[]): string | undefined =>
  folders.map((folder) => pathBelow(folder, path)).find((rest) => rest !== undefined);
