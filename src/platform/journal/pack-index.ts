import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../crypto.js';
import type { JournalFolders } from './journal.js';

/** The position of a content in a pack. */
export interface PackEntry {
  pack: string;
  at: number;
  size: number;
}

export const packPath = ({ packs }: JournalFolders, name: string): string => join(packs, `${name}.pack`);
export const indexPath = ({ packs }: JournalFolders, name: string): string => join(packs, `${name}.index`);

/** The entries of all packs, by hash. */
export async function packEntries(folders: JournalFolders): Promise<Map<string, PackEntry>> {
  const entries = new Map<string, PackEntry>();
  for (const name of await readdir(folders.packs).catch(() => [])) {
    if (name.endsWith('.index')) await readIndex(folders, name.slice(0, -'.index'.length), entries);
  }
  return entries;
}

/** Adds the entries of one pack. */
export async function readIndex(folders: JournalFolders, pack: string, entries: Map<string, PackEntry>): Promise<void> {
  const end = statSync(packPath(folders, pack), { throwIfNoEntry: false })?.size ?? 0;
  const text = await readFile(indexPath(folders, pack), 'latin1').catch(() => ''); // being removed right now
  for (const line of text.split('\n')) {
    const [hash = '', at, size] = line.split(' ');
    const entry = { pack, at: Number(at), size: Number(size) };
    if (/^[0-9a-f]{64}$/.test(hash) && entry.at + entry.size <= end) entries.set(hash, entry);
  }
}

/** Undefined if it has been removed or is incomplete. */
export function readAt(folders: JournalFolders, { pack, at, size }: PackEntry, hash: string): Buffer | undefined {
  try {
    const file = openSync(packPath(folders, pack), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const bytes = Buffer.allocUnsafe(size);
      for (let read = 0; read < size; ) {
        const more = readSync(file, bytes, read, size - read, at + read);
        if (more === 0) return undefined;
        read += more;
      }
      return sha256().update(bytes).digest('hex') === hash ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // removed by a clean-up
  }
}
