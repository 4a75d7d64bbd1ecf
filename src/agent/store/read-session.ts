// Reads a session's file line by line, in constant memory. If a crash, a full disk or an editor has damaged
// a line, the others are still read, and the damaged line is reported.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../../platform/error-code.js';
import { openFlags } from '../../platform/files/private-files.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import { readLarge, withLargeValues } from './large-values.js';
import type { SessionFolder } from './session-folder.js';
import { noSuchSession, SessionProblem } from './session-problem.js';
import { checkedLine, SESSION_FORMAT, type SessionLine } from './session-record.js';

const CHUNK_BYTES = 256 * 1024;
const LINE_BREAK = 0x0a;

export type ReadLine =
  /** `end` is the offset in the file after the line. */
  | { number: number; end: number; line: SessionLine; damaged?: undefined }
  /** The number of unreadable bytes. `torn`: the file ends in the middle of the line, as after a crash. */
  | { number: number; end: number; line?: undefined; damaged: { bytes: number; torn: boolean } };

export interface ReadSessionOptions {
  /** Does not load large texts. */
  withoutLarge?: boolean;
  /** Begins after this many bytes: the `end` of a line that was read before. Numbers count from there. */
  from?: number;
  /** Lines that contain none of these texts are left out without being parsed. */
  only?: readonly string[];
}

/** The lines, from the first. Throws `SessionProblem` if the file can't be read. */
export function* readSession(folder: SessionFolder, options: ReadSessionOptions = {}): Generator<ReadLine, void, void> {
  const load = (hash: string): string => (options.withoutLarge ? '' : (readLarge(folder.results, hash) ?? LOST_TEXT));
  let number = 0;
  for (const { text, bytes, end, torn } of rawLines(folder, options.from)) {
    number += 1;
    if (options.only && !torn && !options.only.some((part) => text.includes(part))) continue;
    if (bytes === 0) continue; // added by an editor
    const line = parsed(text, load);
    if (line) {
      if (line.type === 'session') refuseNewer(folder, line.v);
      yield { number, end, line };
    } else yield { number, end, damaged: { bytes, torn } };
  }
}

const LOST_TEXT = '[This was too large for the session file, and the file that it was kept in is missing or damaged.]';

function parsed(text: string, load: (hash: string) => string): SessionLine | undefined {
  try {
    return checkedLine(withLargeValues(JSON.parse(text), load));
  } catch {
    return undefined;
  }
}

function refuseNewer({ id }: SessionFolder, version: number): void {
  if (version <= SESSION_FORMAT) return;
  throw new SessionProblem(
    'newer_format',
    `The session ${id} was written in format ${version} by a later version of Helve; this one reads up to format ${SESSION_FORMAT}. Update Helve, then try again.`,
  );
}

interface RawLine {
  text: string;
  bytes: number;
  end: number;
  torn: boolean;
}

function* rawLines(folder: SessionFolder, from = 0): Generator<RawLine, void, void> {
  const descriptor = openToRead(folder);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let pieces: Buffer[] = []; // of a line that began in an earlier chunk
    let begin = from; // of the line, in the file
    let offset = from; // of the chunk
    for (;;) {
      const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, offset);
      if (count === 0) break;
      let start = 0;
      for (let at = chunk.indexOf(LINE_BREAK); at >= 0 && at < count; at = chunk.indexOf(LINE_BREAK, start)) {
        const text =
          pieces.length === 0
            ? chunk.toString('utf8', start, at)
            : Buffer.concat([...pieces, chunk.subarray(start, at)]).toString();
        pieces = [];
        start = at + 1;
        const end = offset + start;
        yield { text, bytes: end - begin - 1, end, torn: false };
        begin = end;
      }
      if (start < count) pieces.push(Buffer.from(chunk.subarray(start, count)));
      offset += count;
    }
    if (pieces.length > 0) {
      yield { text: Buffer.concat(pieces).toString(), bytes: offset - begin, end: offset, torn: true };
    }
  } finally {
    closeSync(descriptor);
  }
}

function openToRead({ id, file }: SessionFolder): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, openFlags.read);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') {
      throw noSuchSession(id);
    }
    throw unreadable(id, file, error);
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw unreadable(id, file, new Error('it is not a file'));
}

function unreadable(id: string, file: string, error: unknown): SessionProblem {
  const why = messageOf(error);
  return new SessionProblem(
    'unreadable',
    `The session ${id} can't be read: ${clause(why)}. Look at ${file}, which must be a file that you own.`,
    { cause: error },
  );
}
