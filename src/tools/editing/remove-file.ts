import { constants } from 'node:fs';
import { access, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { assertOpened } from '../../platform/files/open-file.js';

/** Removes a file by its real path, and no other if its folder is moved or a link is put in the folder's place. */
export async function removeFile(real: string): Promise<void> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const folder = await open(dirname(real), flags);
  try {
    await assertOpened(folder, dirname(real));
    const anchor = `/proc/self/fd/${folder.fd}`;
    const isAnchored = process.platform === 'linux' && (await canSearch(anchor));
    await unlink(join(isAnchored ? anchor : dirname(real), basename(real)));
  } finally {
    await folder.close();
  }
}

const canSearch = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false, // no /proc here
  );
