// The files of sessions on disk, readable only by their owner:
//
//   sessions/<id>/session.jsonl     the conversation, one record a line
//   sessions/<id>/lock              while a process writes it
//   sessions/<id>/results/<sha256>  texts and images that are too large for a line
//   sessions/<id>/agents/<id>/      the same for each child agent
import { chmodSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { WriteFailure } from '../../platform/files/write-failure.js';
import { SessionProblem } from './session-problem.js';

export interface SessionFolder {
  id: string;
  path: string;
  file: string;
  lock: string;
  results: string;
}

export const sessionsFolder = (dataFolder: string): string => join(dataFolder, 'sessions');

export const isSessionId = (text: string): boolean => /^[\w-]{1,200}$/.test(text);

export function sessionFolder(dataFolder: string, id: string): SessionFolder {
  if (!isSessionId(id)) {
    throw new SessionProblem(
      'unknown',
      `"${id.slice(0, 80)}" is not the id of a session. An id has letters, digits and "-"; helve sessions list shows them.`,
    );
  }
  const path = join(sessionsFolder(dataFolder), id);
  return { id, path, file: join(path, 'session.jsonl'), lock: join(path, 'lock'), results: join(path, 'results') };
}

/** The folder of a child agent, inside that of its session. */
export function agentFolder(dataFolder: string, sessionId: string, agentId: string): SessionFolder {
  const { path: above } = sessionFolder(dataFolder, sessionId);
  const { id } = sessionFolder(dataFolder, agentId); // throws if the id is invalid
  const path = join(above, 'agents', id);
  return { id, path, file: join(path, 'session.jsonl'), lock: join(path, 'lock'), results: join(path, 'results') };
}

/** Creates the folder, and refuses one that another user could have put in its place. */
export function makePrivateFolder(path: string): void {
  mkdirPrivate(path);
  const stats = lstatSync(path);
  const uid = process.getuid?.();
  if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid)) {
    throw new WriteFailure(
      'EACCES',
      `${path} is not a folder that you own, so the conversation can't be kept there. Inspect and remove it, or set HELVE_HOME to another folder.`,
    );
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

const noFollow = constants.O_NOFOLLOW ?? 0;

export const openFlags = {
  /** Non-blocking: opening a pipe in place of a file would wait for a writer. */
  read: constants.O_RDONLY | constants.O_NONBLOCK | noFollow,
  /** Fails if a pipe has no reader. */
  probe: constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK,
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | noFollow,
  update: constants.O_RDWR | constants.O_CREAT | noFollow,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
} as const;
