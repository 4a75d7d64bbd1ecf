// Reads an audit log and checks the chain of its lines.

import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../platform/crypto.js';
import { openFlags } from '../../platform/files/private-files.js';
import { messageOf } from '../../platform/message-of.js';
import { isSessionId, sessionFolder, sessionsFolder } from '../store/session-folder.js';
import { SessionProblem } from '../store/session-problem.js';

/** The previous hash of the first line. */
export const NO_HASH = '0'.repeat(64);

export interface AuditEntry {
  n: number;
  at: string;
  type: string;
  hash: string;
  readonly [field: string]: unknown;
}

export interface AuditText {
  /** Without the empty line after the last line break. */
  lines: readonly string[];
  /** The last line has no end, because of a crash or of a change by another program. */
  isCut: boolean;
  /** The last entry that was written, according to `audit.head`. */
  head?: { n: number; hash: string };
}

export interface AuditReport {
  /** The unchanged lines. */
  entries: readonly AuditEntry[];
  /** Sentences about mismatches. */
  problems: readonly string[];
  /** The number and the hash of the last line. A copy kept elsewhere proves later that nothing before it was changed. */
  last: { n: number; hash: string };
}

/** The log of the session in that folder; undefined if there is none. */
export function readAudit(folder: string): AuditText | undefined {
  const text = readPrivate(join(folder, 'audit.jsonl'));
  const headText = readPrivate(join(folder, 'audit.head'));
  if (text === undefined && headText === undefined) return undefined;
  const lines = (text ?? '').split('\n');
  const isCut = lines.pop() !== '';
  const [, n, hash] = /^ *(\d+) ([0-9a-f]{64})\n/.exec(headText ?? '') ?? [];
  return {
    lines: isCut ? (text ?? '').split('\n') : lines,
    isCut,
    ...(n !== undefined && hash !== undefined && { head: { n: Number(n), hash } }),
  };
}

function readPrivate(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, openFlags.read);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const why = messageOf(error);
    throw new SessionProblem('unreadable', `${path} can't be read: ${why}`, { cause: error });
  }
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** The entry that the next line follows: the last complete one, so that damage does not affect later lines. */
export function lastOf(text: AuditText): { n: number; hash: string } {
  const { last } = checkAudit(text);
  const { head } = text;
  return head && head.n > last.n ? head : last; // so that a log that was cut off does not look complete again
}

/** Checks that every line is unchanged and follows the one before it. */
export function checkAudit({ lines, head, isCut }: AuditText): AuditReport {
  const entries: AuditEntry[] = [];
  const problems: string[] = [];
  let last = { n: 0, hash: NO_HASH };
  let isHeadSeen = head === undefined || (head.n === 0 && head.hash === NO_HASH);
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const read = readLine(line);
    if (typeof read === 'string') {
      const isLast = isCut && number === lines.length;
      problems.push(`line ${number} ${isLast ? 'has no end: a crash or a person cut it off' : read}`);
      continue;
    }
    const { entry, prev } = read;
    const place = `line ${number} (entry ${entry.n})`;
    if (entry.n <= last.n) problems.push(`${place} comes after entry ${last.n}: lines were moved or repeated`);
    else if (entry.n > last.n + 1) {
      const missing = entry.n === last.n + 2 ? `entry ${last.n + 1}` : `entries ${last.n + 1} to ${entry.n - 1}`;
      problems.push(`${place} does not follow entry ${last.n}: ${missing} can't be found`);
    } else if (prev !== last.hash) {
      problems.push(`${place} does not fit the entry before it: one of the two was replaced`);
    }
    if (head && entry.n === head.n) isHeadSeen = entry.hash === head.hash;
    entries.push(entry);
    last = { n: entry.n, hash: entry.hash };
  }
  if (head && head.n > last.n) {
    problems.push(`the end is missing: entry ${head.n} was written, and the log ends with entry ${last.n}`);
  } else if (!isHeadSeen && head) {
    problems.push(`entry ${head.n} is not the one that was written: the log was replaced from there on or before`);
  }
  if (head === undefined && entries.length > 0) {
    problems.push('audit.head is missing, so it is not known whether the end is missing');
  }
  return { entries, problems, last };
}

function readLine(line: string): { entry: AuditEntry; prev: unknown } | string {
  const [whole = '', hash = ''] = /,"hash":"([0-9a-f]{64})"\}$/.exec(line) ?? [];
  if (whole === '') return 'is not an entry';
  const body = `${line.slice(0, -whole.length)}}`;
  if (sha256().update(body).digest('hex') !== hash) return 'was changed: its hash does not match';
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null || !('n' in entry) || !('prev' in entry)) return 'is not an entry';
    const { prev, ...fields } = entry;
    return typeof fields.n === 'number' ? { entry: fields as unknown as AuditEntry, prev } : 'is not an entry'; // its hash shows that Helve wrote it
  } catch {
    return 'is not an entry';
  }
}

/** The sessions that have a log, the latest first. */
export function auditedSessions(dataFolder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(sessionsFolder(dataFolder)).filter(isSessionId);
  } catch {
    return []; // no session yet
  }
  const begun = (id: string): string => {
    const text = readAudit(sessionFolder(dataFolder, id).path);
    const [first] = text ? checkAudit({ lines: text.lines.slice(0, 1), isCut: false }).entries : [];
    return text ? (first?.at ?? '-') : '';
  };
  return names
    .map((id) => ({ id, at: begun(id) }))
    .filter(({ at }) => at !== '')
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .map(({ id }) => id);
}
