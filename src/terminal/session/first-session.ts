import type { SessionRequest } from './opened-session.js';
import type { PickSessionOptions } from './pick-session.js';

/** The conversation to start with, which the user picks if that is requested. The list is loaded only then. */
export async function firstSession(
  { first, root, env }: Pick<PickSessionOptions, 'root' | 'env'> & { first: SessionRequest },
  ask: Pick<PickSessionOptions, 'choose' | 'tell' | 'leave'>,
): Promise<SessionRequest> {
  if (!first.picks && !first.openElsewhere) return first;
  const { pickSession } = await import('./pick-session.js');
  return await pickSession(first, { root, env, ...ask });
}
