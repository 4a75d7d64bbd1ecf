import { listSessions } from '../../agent/store/list-sessions.js';

/** The title of a saved session; empty if it has none. */
export async function sessionTitle(dataFolder: string, id: string): Promise<string> {
  const found = await listSessions(dataFolder, {});
  return found.find((one) => one.id === id)?.title ?? '';
}
