import type { OpenedSession } from './opened-session.js';

/** What to do if no model is set up: an unobtrusive hint, since the tools work without one. */
export async function hintWithoutModel({ env, namedModelProblem }: OpenedSession): Promise<string> {
  const offers = await import('../first-run/model-offers.js');
  if (namedModelProblem === undefined) return offers.setupHint(await offers.findModelOffers(env)).join('\n');
  const { kind, message } = namedModelProblem;
  // A key helps where one is missing, and for nothing else.
  if (kind !== 'auth') return offers.otherModelHint(message).join('\n');
  return offers.setupHint(await offers.findModelOffers(env), message).join('\n');
}
