import { unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { inFolder } from './folder.js';

/** Removes a file by its real path, and no other if its folder is moved or a link is put in the folder's place. */
export async function removeFile(real: string): Promise<void> {
  await inFolder(dirname(real), (folder) => unlink(folder.at(basename(real))));
}
