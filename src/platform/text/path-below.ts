/**
 * The rest of the path below the folder; empty for the folder itself, undefined if it lies elsewhere. For what is shown: both
 * must be absolute and normalized, and no code of Node's is needed, so that it works in a browser.
 */
export function pathBelow(folder: string, path: string): string | undefined {
  if (path !== folder && !path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)) return undefined;
  return path.slice(folder.length).replace(/^\//, '');
}
