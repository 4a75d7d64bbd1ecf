import { readSession } from '../../agent/store/read-session.js';
import { sessionFolder } from '../../agent/store/session-folder.js';
import { isPrompt } from '../../agent/store/session-outline.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import type { PastPrompt } from '../contract.js';

/** The user's prompts in a session's file; empty if the session is not saved. */
export function pastPrompts({ dataFolder, id }: { dataFolder: string; id: string }): PastPrompt[] {
  const prompts: PastPrompt[] = [];
  try {
    for (const { line } of readSession(sessionFolder(dataFolder, id), { withoutLarge: true })) {
      if (line?.type !== 'user' || !isPrompt(line.content)) continue;
      const texts = line.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      const text = texts.filter((one) => !/^<(?:system-reminder|user-command)>/.test(one)).join('\n');
      prompts.push({ index: prompts.length, at: line.at, text });
    }
  } catch (error) {
    if (!(error instanceof SessionProblem)) throw error;
  }
  return prompts;
}
