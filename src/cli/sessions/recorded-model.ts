import { realpathSync } from 'node:fs';
import { findSession, modelOf } from '../../agent/store/list-sessions.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import { dataFolderOf } from '../../platform/files/paths.js';

/** The model that a session started with; undefined if that is unknown, which is reported on resuming. */
export async function recordedModel(
  wanted: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const dataFolder = dataFolderOf({ env });
  try {
    return modelOf(dataFolder, await findSession(dataFolder, wanted, { root: realpathSync(process.cwd()) }));
  } catch (error) {
    if (error instanceof SessionProblem) return undefined;
    throw error;
  }
}
