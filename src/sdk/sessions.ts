import type { SessionSummary } from '../contract/session-summary.js';
import { checkListOptions } from './check-options.js';

/** Which sessions to list. */
export interface ListOptions {
  /** Only those of this project. Default: all. */
  root?: string;
  /** Where Helve keeps its own files. Default: `HELVE_HOME`, else `~/.helve`. */
  dataFolder?: string;
}

/** The conversations that were kept, the latest first. */
export async function listSessions(options: ListOptions = {}): Promise<SessionSummary[]> {
  checkListOptions(options);
  const { listStoredSessions } = await import('./stored-sessions.js');
  return await listStoredSessions(options);
}
