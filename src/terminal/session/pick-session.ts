import { realpathSync } from 'node:fs';
import type { OpenElsewhere } from '../../agent/store/open-elsewhere.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { sessionChoices } from '../commands/resume.js';
import type { Choice } from '../contract.js';
import type { SessionRequest } from './opened-session.js';

export interface PickSessionOptions {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Undefined if the user chooses none. */
  choose(title: string, items: readonly Choice[], cancel?: string): Promise<string | undefined>;
  tell(sentence: string): void;
  /** Ends the terminal, and follows the session in the background with this id, if there is one. */
  leave(attachTo?: string): void;
}

/** Asks which conversation to resume, if that is requested. Without a choice, a new one is opened. */
export async function pickSession(request: SessionRequest, options: PickSessionOptions): Promise<SessionRequest> {
  const { picks, fork, openElsewhere: used, ...rest } = request;
  if (used) return await insteadOf(used, rest, options);
  if (!picks) return request;
  const { env, choose, tell } = options;
  const dataFolder = dataFolderOf({ env });
  const root = realpathSync(options.root);
  const items = await sessionChoices({ dataFolder, root, env });
  if (items.length === 0) tell('There is no earlier conversation in this folder, so this is a new one.');
  const id = items.length === 0 ? undefined : await choose('Which conversation? Esc starts a new one', items);
  if (id === undefined) return rest;
  const { openElsewhere } = await import('../../agent/store/open-elsewhere.js');
  const found = fork ? undefined : await openElsewhere(dataFolder, id, { root, env });
  return found ? await insteadOf(found, { ...rest, resume: id }, options) : { ...rest, resume: id, fork };
}

/** Two programs can't continue one conversation. Rejects if the user leaves instead. */
async function insteadOf(
  { id, name, place, isInBackground, other }: OpenElsewhere,
  request: SessionRequest,
  { choose, leave }: PickSessionOptions,
): Promise<SessionRequest> {
  const previous = request.resume === 'last' ? other : undefined;
  const items: Choice[] = [
    ...(isInBackground
      ? [{ value: 'attach', key: 'a', label: 'Attach to it: it goes on, and you see and steer it' }]
      : []),
    ...(previous ? [{ value: 'previous', key: 'c', label: `Continue ${previous.name} instead` }] : []),
    { value: 'fork', key: 'f', label: 'Continue in a copy', description: 'from its last complete turn' },
    { value: 'new', key: 'n', label: 'Start a new conversation' },
  ];
  const chosen = await choose(`${name} is ${place}`, items, 'leave');
  if (chosen === 'previous' && previous) return { ...request, resume: previous.id };
  if (chosen === 'fork') return { ...request, resume: id, fork: true };
  if (chosen === 'new') return { ...request, resume: undefined };
  leave(chosen === 'attach' ? id : undefined);
  throw new Error('The terminal was closed.');
}
