// Data that a session could not write to the data folder until its end. It is kept in the spare folder, which is in the
// temporary folder, and moved to the data folder by the next start that has room there.
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomHex } from '../../platform/crypto.js';
import { codeOf } from '../../platform/error-code.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { openFlags } from '../../platform/files/private-files.js';
import { makeSpareFolder } from '../../platform/files/spare-folder.js';
import type { Unwritten } from './append-log.js';
import { isSessionId } from './session-folder.js';

const AUDIT = 'audit.jsonl';

/** The file name of the end of a session's or child agent's file, which begins at this offset. */
export const tailName = (offset: number): string => `tail-${offset}.jsonl`;

/** Keeps entries that could not be written to the audit log. They are chained when they are moved. */
export function keepAudit(dataFolder: string, sessionId: string, entries: readonly KeptEntry[]): void {
  keep(dataFolder, join(sessionId, AUDIT), Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
}

export interface KeptEntry {
  root: string;
  entry: { type: string };
}

/** Appends to data that an earlier process has kept under that name; all or nothing. */
function keep(dataFolder: string, name: string, bytes: Buffer): void {
  const path = join(makeSpareFolder(dataFolder), name);
  const unfinished = `${path}.${randomHex(6)}`;
  mkdirPrivate(dirname(path));
  try {
    const file = openSync(unfinished, openFlags.create, 0o600);
    try {
      writeFileSync(file, Buffer.concat([readKept(path) ?? Buffer.alloc(0), bytes]));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** The end of a file that is kept in the spare folder of a session. */
export interface KeptTail extends Unwritten {
  path: string;
  /** The id of the child agent, if it is the file of one. */
  agent: string | undefined;
}

export function keptTails(spare: string): KeptTail[] {
  return [
    ...tailsIn(spare, undefined),
    ...agentFoldersIn(spare).flatMap((folder) => tailsIn(folder, basename(folder))),
  ].toSorted((one, other) => one.offset - other.offset);
}

export const agentFoldersIn = (spare: string): string[] =>
  namesIn(join(spare, 'agents'))
    .filter(isSessionId)
    .map((agent) => join(spare, 'agents', agent));

const tailsIn = (folder: string, agent: string | undefined): KeptTail[] =>
  namesIn(folder).flatMap((name) => {
    const [, offset] = /^tail-(\d+)\.jsonl$/.exec(name) ?? [];
    const path = join(folder, name);
    const bytes = offset === undefined ? undefined : readKept(path);
    return bytes ? [{ path, agent, bytes, offset: Number(offset) }] : [];
  });

export function keptAudit(spare: string): { path: string; entries: KeptEntry[] } | undefined {
  const path = join(spare, AUDIT);
  const text = readKept(path)?.toString();
  if (text === undefined) return undefined;
  return { path, entries: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) };
}

/** Removes data that has been moved, and folders that are empty then, up to the spare folder itself. */
export function removeKept(path: string, spare: string): void {
  rmSync(path);
  removeEmptyFolders(dirname(path), dirname(spare));
}

/** Removes the folder and those above it, up to `last`, while they are empty. */
export function removeEmptyFolders(from: string, last: string): void {
  for (let folder = from; folder.length >= last.length; folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return; // it is not empty
    }
  }
}

function readKept(path: string): Buffer | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
