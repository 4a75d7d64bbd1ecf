import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { FileLedger, SeenFile } from '../../contract/tool-context.js';
import { hashOf } from '../../platform/crypto.js';

const MAX_FILE_BYTES = 1024 * 1024; // larger files are rarely edited by a person and a model at once
const MAX_TOTAL_BYTES = 32 * MAX_FILE_BYTES;

/** Records, per session, what the model has seen of each file; for small files also the bytes, evicting the oldest. */
export function createFileLedger(): FileLedger {
  const files = new Map<string, SeenFile>();
  const kept = new Map<string, Uint8Array>(); // oldest first
  let total = 0;

  const dropBytes = (real: string): void => {
    total -= kept.get(real)?.length ?? 0;
    kept.delete(real);
  };
  const keep = (real: string, bytes: Uint8Array): void => {
    kept.set(real, bytes);
    total += bytes.length;
    for (const oldest of kept.keys()) {
      if (total <= MAX_TOTAL_BYTES) break;
      dropBytes(oldest);
    }
  };

  return {
    get(real) {
      const seen = files.get(real);
      const bytes = kept.get(real);
      return seen && bytes ? { ...seen, bytes } : seen;
    },
    set(real, { bytes: given, ...seen }) {
      files.set(real, seen);
      const before = kept.get(real);
      dropBytes(real);
      if (seen.size > MAX_FILE_BYTES) return;
      const isSame = before?.length === seen.size && hashOf(before) === seen.hash;
      const bytes = given ?? (isSame ? before : bytesAt(real, seen));
      if (bytes) keep(real, bytes);
    },
    forget(real) {
      files.delete(real);
      dropBytes(real);
    },
  };
}

/** The bytes of a file that was just read. Synchronous, since the file might change later. */
export function bytesAt(real: string, { hash, size }: Pick<SeenFile, 'hash' | 'size'>): Uint8Array | undefined {
  try {
    const file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size !== size) return undefined;
      const bytes = readFileSync(file);
      return hashOf(bytes) === hash ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // without the bytes, a later change by another program can't be merged, which is acceptable
  }
}
