import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { hashOf, sha256 } from '../crypto.js';
import { codeOf } from '../error-code.js';
import { NotARegularFile, type OpenedFile, openForReading } from './open-file.js';

export interface CurrentFile {
  bytes: Buffer;
  hash: string;
  stats: Stats;
}

/**
 * The current file at a real path; undefined if there is none. A symlink, or anything but a regular file, is an error.
 */
export async function readCurrent(real: string): Promise<CurrentFile | undefined> {
  return await withCurrent(real, async (handle, stats) => {
    const bytes = await handle.readFile();
    return { bytes, hash: hashOf(bytes), stats };
  });
}

const CHUNK_BYTES = 1024 * 1024;

/** Its hash alone, for which the content of a large file is not held in memory. */
export async function hashCurrent(real: string): Promise<string | undefined> {
  return await withCurrent(real, async (handle, { size }) => {
    if (size <= CHUNK_BYTES) return hashOf(await handle.readFile());
    const hash = sha256();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let done = 0; done < size; ) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK_BYTES, size - done), done);
      if (bytesRead === 0) break; // it has shrunk
      hash.update(chunk.subarray(0, bytesRead));
      done += bytesRead;
    }
    return hash.digest('hex');
  });
}

async function withCurrent<Value>(
  real: string,
  read: (handle: OpenedFile, stats: Stats) => Promise<Value>,
): Promise<Value | undefined> {
  try {
    const { handle, stats } = await openForReading(real);
    try {
      return await read(handle, stats);
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
