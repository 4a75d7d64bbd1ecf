import { dropKeptPrompt, keptPrompts } from './kept-prompts.js';
import { readPresence, writePresence } from './presence.js';
import { resumeSession } from './resume-session.js';
import { sessionFolder } from './session-folder.js';

/**
 * Ends what a process that was killed has left unfinished in a session: nothing of it goes on later. Rejects with
 * `SessionProblem` if a process uses the session.
 */
export async function stopUnfinished(dataFolder: string, id: string): Promise<void> {
  const presence = readPresence(dataFolder, id);
  const resumed = await resumeSession({ dataFolder, id, model: '', root: presence?.root ?? '/' });
  if (resumed.restored.isUnfinished) resumed.store.stopped();
  await resumed.store.close();
  const folder = sessionFolder(dataFolder, id);
  for (const prompt of keptPrompts(folder)) dropKeptPrompt(folder, prompt.id);
  if (presence) writePresence(dataFolder, { ...presence, state: 'idle', activity: '', changed: Date.now() });
}
