// The files of sessions on disk, readable only by their owner:
//
//   sessions/<id>/session.jsonl     the conversation, one record a line
//   sessions/<id>/lock              while a process writes it
//   sessions/<id>/results/<sha256>  texts and images that are too large for a line
//   sessions/<id>/agents/<id>/      the same for each child agent
import { join } from 'node:path';
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
      `"${id.slice(0, 80)}" is not the id of a session. An id has letters, digits, "-" and "_".`,
      { advice: 'helve sessions list shows them.' },
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
