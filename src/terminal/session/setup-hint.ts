import type { OpenedSession } from './opened-session.js';

/** What to do if no model is set up: an unobtrusive hint, since the tools work without one. */
export async function hintWithoutModel({ env, namedModelProblem }: OpenedSession): Promise<string> {
  const { findModelOffers, setupHint } = await import('../first-run/model-offers.js');
  return setupHint(await findModelOffers(env), namedModelProblem).join('\n');
}
