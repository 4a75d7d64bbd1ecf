// What was said in a session before, the latest part of it first: a session of thousands of turns does not fit into one
// answer.
import { readSession } from '../agent/store/read-session.js';
import { restoreSession } from '../agent/store/restore-session.js';
import { sessionFolder } from '../agent/store/session-folder.js';
import { builtInTools } from '../tools/index.js';
import { type PastEntry, pastEntries } from './past-entries.js';

export interface PastPage {
  past: PastEntry[];
  /** Where the page before this one ends; absent at the beginning. */
  earlier?: string;
}

export interface PageOfPast {
  /** The `earlier` of a later page. */
  before?: string | undefined;
  limit: number;
}

/** The last entries, or those before the given one. */
export function pageOf(entries: readonly PastEntry[], { before, limit }: PageOfPast): PastPage {
  const found = before === undefined ? -1 : entries.findIndex(({ id }) => id === before);
  const end = found < 0 ? entries.length : found;
  const from = Math.max(0, end - limit);
  const first = entries[from];
  return { past: entries.slice(from, end), ...(from > 0 && first && { earlier: first.id }) };
}

/** Of a session that is not open here. Throws `SessionProblem` if it can't be read. */
export async function readPast(
  dataFolder: string,
  id: string,
  page: PageOfPast,
): Promise<PastPage & { title: string; root: string }> {
  const restored = restoreSession(readSession(sessionFolder(dataFolder, id)), { whole: true });
  const tools = new Map(builtInTools().map((tool) => [tool.name, tool]));
  const entries = await Array.fromAsync(pastEntries(restored, (name) => tools.get(name)));
  return { title: restored.title, root: restored.root ?? '', ...pageOf(entries, page) };
}
