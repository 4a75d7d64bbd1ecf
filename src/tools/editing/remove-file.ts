import { unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { openFolder } from '../../platform/files/atomic-write.js';

/** Removes a file by its real path, and no other if its folder is moved or a link is put in the folder's place. */
export async function removeFile(real: string): Promise<void> {
  const folder = await openFolder(dirname(real));
  try {
    await unlink(folder.at(basename(real)));
  } finally {
    await folder.handle.close();
  }
}
