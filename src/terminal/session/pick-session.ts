import { realpathSync } from 'node:fs';
import { dataFolderOf } from '../../platform/files/paths.js';
import { sessionChoices } from '../commands/resume.js';
import type { Choice } from '../contract.js';
import type { SessionRequest } from './opened-session.js';

export interface PickSessionOptions {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Undefined if the user chooses none. */
  choose(title: string, items: readonly Choice[]): Promise<string | undefined>;
  tell(sentence: string): void;
}

/** Asks which conversation to resume, if that is requested. Without a choice, a new one is opened. */
export async function pickSession(request: SessionRequest, options: PickSessionOptions): Promise<SessionRequest> {
  const { picks, fork, ...rest } = request;
  if (!picks) return request;
  const { root, env, choose, tell } = options;
  const items = await sessionChoices({ dataFolder: dataFolderOf({ env }), root: realpathSync(root), env });
  if (items.length === 0) tell('There is no earlier conversation in this folder, so this is a new one.');
  const id = items.length === 0 ? undefined : await choose('Which conversation? Esc starts a new one', items);
  return id === undefined ? rest : { ...rest, resume: id, fork };
}
