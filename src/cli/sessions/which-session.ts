import { realpathSync } from 'node:fs';
import { listSessions } from '../../agent/store/list-sessions.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { UsageProblem } from '../usage-problem.js';
import { sessionTable } from './session-table.js';

const MAX_LISTED = 20;

/** The error if no user can choose: the sessions of this folder, and how to name one. */
export async function whichSession(): Promise<UsageProblem> {
  const found = await listSessions(dataFolderOf(), { root: realpathSync(process.cwd()) });
  if (found.length === 0) return new UsageProblem('There is no session in this folder that could be resumed.');
  const more = found.length - MAX_LISTED;
  return new UsageProblem(
    [
      'Without a terminal, --resume needs the id of a session. Write --resume ID, or --continue for the last one. In this folder there are:',
      sessionTable(found.slice(0, MAX_LISTED)),
      ...(more > 0 ? [`… ${more} more: helve sessions list`] : []),
    ].join('\n'),
  );
}
