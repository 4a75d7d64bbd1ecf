import { spareFolders } from '../../platform/files/spare-folder.js';

/**
 * Moves to the data folder what earlier sessions could not write to it, and gives sentences about it for the person. Every
 * start passes here, so nothing is loaded where nothing was kept.
 */
export async function movedSpareData(
  dataFolder: string,
  /** Whether it is also said why something can't be moved; a session that meets the same problem says it itself. */
  { withFailures = true }: { withFailures?: boolean } = {},
): Promise<string[]> {
  if (spareFolders(dataFolder).length === 0) return [];
  const { moveSpareData } = await import('./move-spare-data.js');
  const { moved, failed } = await moveSpareData(dataFolder);
  return [...moved, ...(withFailures && failed !== undefined ? [failed] : [])];
}
