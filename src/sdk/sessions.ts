import { checkListOptions } from './check-options.js';

/** Which sessions to list. */
export interface ListOptions {
  /** Only those of this project. Default: all. */
  root?: string;
  /** Where Helve keeps its own files. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
}

/** A conversation that was kept. */
export interface SessionSummary {
  id: string;
  title: string;
  /** The project; absent where the first line of the file is damaged. */
  root?: string;
  model?: string;
  created: Date;
  /** When it was last written. */
  updated: Date;
  turns: number;
  /** US dollars; null where it is not known. */
  costUsd: number | null;
  /** Of the conversation's file, without large results. */
  bytes: number;
  /** Whether a process has it open. */
  inUse: boolean;
  /** The session that this one was forked from. */
  fork?: string;
}

/** The conversations that were kept, the latest first. */
export async function listSessions(options: ListOptions = {}): Promise<SessionSummary[]> {
  checkListOptions(options);
  const { listStoredSessions } = await import('./stored-sessions.js');
  return await listStoredSessions(options);
}
