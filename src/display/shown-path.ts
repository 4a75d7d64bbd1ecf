export interface PathPlaces {
  /** The project's folder. */
  root: string;
  /** Undefined if it is not known. */
  home: string | undefined;
}

/** A path as people read it: relative to the project, or with `~` for the home folder. */
export function shownPath(path: string, { root, home }: PathPlaces): string {
  if (path === root) return '.';
  return isBelow(path, root) ? path.slice(root.length + 1) : shownFolder(path, home);
}

/** A folder with `~` for the home folder. */
export function shownFolder(path: string, home: string | undefined): string {
  if (home === undefined) return path;
  return path === home ? '~' : isBelow(path, home) ? `~${path.slice(home.length)}` : path;
}

/** A text with the paths in it shortened, where they stand as words of their own. */
export function withShownPaths(text: string, { root, home }: PathPlaces): string {
  const inProject = root.length > 1 ? replaced(text, root, (rest) => (rest === '' ? '.' : rest.slice(1))) : text;
  return home !== undefined && home.length > 1 ? replaced(inProject, home, (rest) => `~${rest}`) : inProject;
}

const isBelow = (path: string, folder: string): boolean => folder.length > 1 && path.startsWith(`${folder}/`);

/** Replaces a folder at the start of paths, but not that of a `cd`, which says where it goes; `rest` is empty for the folder itself, else it starts with a slash. */
function replaced(text: string, folder: string, shown: (rest: string) => string): string {
  if (!text.includes(folder)) return text;
  const pattern = new RegExp(`(?<![\\w./~-]|\\bcd ["']?)${escaped(folder)}(?:(/)(?=[^\\s/])|/?(?![\\w./-]))`, 'g');
  return text.replaceAll(pattern, (_, slash?: string) => shown(slash ?? ''));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
