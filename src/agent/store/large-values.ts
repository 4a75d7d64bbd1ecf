// Texts that are too large for a line, mostly images, are stored once each in files that are named by their hash. The
// record has { "$large": hash } instead, and its list `large` names these hashes, so that an input
// that happens to look like a reference is not replaced.
import { closeSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, randomHex } from '../../platform/crypto.js';
import { makePrivateFolder, openFlags } from '../../platform/files/private-files.js';

export const LARGE_CHARS = 64 * 1024;

/** The record as one line. `keep` stores a large text and returns its hash, or undefined if it can't be stored. */
export function lineOf(record: object, keep: (text: string) => string | undefined): string {
  const plain = JSON.stringify(record);
  if (plain.length <= LARGE_CHARS) return plain;
  const large: string[] = [];
  const line = JSON.stringify(record, (_name, value: unknown) => {
    if (typeof value !== 'string' || value.length <= LARGE_CHARS) return value;
    const hash = keep(value);
    if (hash === undefined) return value;
    large.push(hash);
    return { $large: hash };
  });
  return large.length === 0 ? plain : `${line.slice(0, -1)},"large":${JSON.stringify(large)}}`;
}

/** The parsed line with the large texts inserted; `load` returns a placeholder for one that is lost. */
export function withLargeValues(value: unknown, load: (hash: string) => string): unknown {
  if (typeof value !== 'object' || value === null || !('large' in value) || !Array.isArray(value.large)) return value;
  const { large, ...record } = value;
  const hashes = new Set<unknown>(large);
  const fill = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== 'object' || part === null) return part;
    const hash = '$large' in part && Object.keys(part).length === 1 ? part.$large : undefined;
    if (typeof hash === 'string' && hashes.has(hash)) return load(hash);
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, fill(field)]));
  };
  return fill(record);
}

/** Writes the text to a file named by its hash, unless it exists. The caller syncs and closes the descriptor of a new file. */
export function keepLarge(folder: string, text: string): { hash: string; descriptor?: number } {
  const bytes = Buffer.from(text);
  const hash = hashOf(bytes);
  const path = join(folder, hash);
  if (lstatSync(path, { throwIfNoEntry: false })?.size === bytes.length) return { hash };
  makePrivateFolder(folder);
  const unfinished = `${path}.${randomHex(6)}`;
  const descriptor = openSync(unfinished, openFlags.create, 0o600);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    renameSync(unfinished, path);
    return { hash, descriptor };
  } catch (error) {
    closeSync(descriptor);
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** The text with this hash; undefined if its file is missing or damaged. */
export function readLarge(folder: string, hash: string): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  try {
    const descriptor = openSync(join(folder, hash), openFlags.read);
    try {
      const bytes = readFileSync(descriptor);
      return hashOf(bytes) === hash ? bytes.toString() : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
