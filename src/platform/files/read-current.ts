import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { hashOf } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { NotARegularFile, openForReading } from './open-file.js';

export interface CurrentFile {
  bytes: Buffer;
  hash: string;
  stats: Stats;
}

/**
 * The current file at a real path; undefined if there is none. A symlink, or anything but a regular file, is an error.
 */
export async function readCurrent(real: string): Promise<CurrentFile | undefined> {
  try {
    const { handle, stats } = await openForReading(real);
    try {
      const bytes = await handle.readFile();
      return { bytes, hash: hashOf(bytes), stats };
    } finally {
      handle.close();
    }
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) throw error;
    const there = await lstat(real).catch(() => undefined);
    if (there?.isSymbolicLink()) throw new NotARegularFile(real, 'a symlink by now');
    if (there) throw error;
    return undefined;
  }
}
