import { spareFolders } from '../../platform/files/spare-folder.js';

/**
 * Moves data that earlier sessions could not write to the data folder, and returns sentences about it for the person. Every
 * start calls this, so no code is loaded if there is nothing to move.
 */
export async function movedSpareData(
  dataFolder: string,
  /** Whether failures are reported; a session reports the same problem itself. */
  { withFailures = true }: { withFailures?: boolean } = {},
): Promise<string[]> {
  if (spareFolders(dataFolder).length === 0) return [];
  const { moveSpareData } = await import('./move-spare-data.js');
  const { moved, failed } = await moveSpareData(dataFolder);
  return [...moved, ...(withFailures && failed !== undefined ? [failed] : [])];
}
